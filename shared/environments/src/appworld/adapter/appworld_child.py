"""A forked child that answers one request at a time over pipes, and is killed from outside.

The parent keeps the deadline by its own clock and never waits for the child's goodwill: what does not
answer in time gets SIGKILL and is reaped. Nothing in a child can wedge its parent.
"""

import json
import os
import select
import signal
import time
import traceback

CHUNK = 1 << 16


class Gone(Exception):
    """The child ended by itself."""


class Late(Exception):
    """The child did not answer in time and was killed."""


class Child:
    """`serve()` runs in the child and returns the function that answers its requests."""

    def __init__(self, serve, closing):
        (ours_in, theirs_out), (theirs_in, ours_out) = os.pipe(), os.pipe()
        self.process = os.fork()
        if self.process == 0:
            try:
                for descriptor in (ours_in, ours_out, *closing):
                    os.close(descriptor)
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                answer_requests(serve, theirs_in, theirs_out)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        os.close(theirs_in)
        os.close(theirs_out)
        self.source, self.sink, self.rest = ours_in, ours_out, b""

    def request(self, seconds, **message):
        """The reply's `(ok, value)`.

        Raises `Late` and `Gone`; the child is no more after either.
        """
        if self.process is None:
            raise Gone("it was ended before")
        try:
            self.write(message)
            line = self.line(time.monotonic() + seconds)
        except BrokenPipeError:
            line = None
        if line is None:
            raise Gone(self.kill())
        reply = json.loads(line)
        return reply["ok"], reply["value"]

    def write(self, message):
        whole = memoryview(json.dumps(message).encode() + b"\n")
        while whole:
            whole = whole[os.write(self.sink, whole) :]

    def line(self, deadline):
        """The next line; none when the child has ended."""
        poll = select.poll()
        poll.register(self.source, select.POLLIN)
        while b"\n" not in self.rest:
            left = deadline - time.monotonic()
            if left <= 0 or not poll.poll(left * 1000):
                self.kill()
                raise Late
            chunk = os.read(self.source, CHUNK)
            if not chunk:
                return None
            self.rest += chunk
        line, self.rest = self.rest.split(b"\n", 1)
        return line

    def kill(self):
        """Ends and reaps it, and says how it ended."""
        if self.process is None:
            return "it was ended before"
        os.kill(self.process, signal.SIGKILL)
        _, status = os.waitpid(self.process, 0)
        self.process = None
        os.close(self.source)
        os.close(self.sink)
        code = os.waitstatus_to_exitcode(status)
        return f"killed by signal {-code}" if code < 0 else f"exit status {code}"


def answer_requests(serve, source, sink):
    """The child's loop. It ends with its parent."""
    answer = serve()
    # Agents' code replaces and forbids functions while it runs; these are ours.
    load, dump, write = json.loads, json.dumps, os.write
    with os.fdopen(source, "rb") as lines:
        for line in lines:
            try:
                reply = {"ok": True, "value": answer(**load(line))}
            except BaseException as error:
                traceback.print_exc()
                reply = {"ok": False, "value": f"{type(error).__name__}: {error}"[:2000]}
            whole = memoryview(dump(reply).encode() + b"\n")
            while whole:
                whole = whole[write(sink, whole) :]
    os._exit(0)
