"""The environment's side of the wire protocol: one JSON object a line, in and out.

An adapter hands `serve` an object with the methods of a world; everything that is the same for
every world is here: framing, act ids, the order of steps, questions to the client, failures in
words. No agent, no model call, no policy, and no dependency beyond the standard library.

The protocol is written down in docs/environment-protocol.md.
"""

import json
import os
import select
import sys
import threading
import time
import traceback

PROTOCOL = "palaestra-environment"
VERSION = 1

# How long a request may go on after the client has gone, in seconds.
ORPHAN_GRACE = 5


class Refusal(Exception):
    """A request that cannot be fulfilled, with one of the protocol's kinds."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


class World:
    """What an adapter implements. `over` is set once nothing but `finish` is left to do.

    `silence` is set where saying an empty text lets time pass.
    """

    over = False
    silence = False

    def describe(self):
        """`{data_version, tools, rules?, greeting?, user?, cell?}`."""
        raise NotImplementedError

    def tasks(self, split, instances, seed):
        """The tasks of one side of the split: `{id, scenario, ability?, instruction}` each."""
        raise NotImplementedError

    def reset(self, task, seed):
        """Starts a task and returns the instruction for the agent."""
        raise NotImplementedError

    def act(self, act, function, arguments):
        """Performs a call and returns `(content, error)`, or `(content, error, calls)` for executed code.

        A call that code made is `{function, arguments, content, error}`.
        """
        raise NotImplementedError

    def news(self):
        """What came since this was asked last and nobody had asked for: a text each."""
        return []

    def remark(self, text):
        """Hears words of the agent that are for nobody."""

    def say(self, text):
        """Says something to the user and returns the reply. Changes nothing when it fails."""
        raise NotImplementedError

    def state_hash(self):
        """The state's hash, 64 hexadecimal digits."""
        raise NotImplementedError

    def finish(self, text):
        """Hears the final response."""
        raise NotImplementedError

    def verify(self):
        """The verdict: `{passed, reward, feedback}`."""
        raise NotImplementedError

    def close(self):
        """Gives back what the attempt holds."""


class Server:
    """The loop that answers one client, one request at a time."""

    def __init__(self, source, sink):
        self.source, self.sink = source, sink
        self.world = None
        self.request = None
        self.acts = {}
        self.finished = False

    def ask(self, purpose, messages, complaint=None):
        """Asks the client for a completion while a request is being answered.

        `complaint(reply)` says what is wrong with a reply, or nothing. A wrong reply is asked for
        once more, with the complaint's words; a second one is refused.
        """
        for _ in range(2):
            self._send({"id": self.request, "ask": {"purpose": purpose, "messages": messages}})
            reply = self._answer()
            wrong = complaint(reply) if complaint else None
            if not wrong:
                return reply
            if reply.strip():
                words = [{"role": "assistant", "content": reply}, {"role": "user", "content": wrong}]
                messages = [*messages, *words]
        raise Refusal("bad_answer", f"the {purpose}'s answer cannot be used: {wrong}")

    def _answer(self):
        line = self.source.readline()
        if not line:
            raise SystemExit(0)
        message = json.loads(line)
        answer = message.get("answer")
        if message.get("id") != self.request or not isinstance(answer, dict):
            raise Refusal("failed", "an answer to the open question was expected")
        if "text" not in answer:
            raise Refusal("unanswered", str(answer.get("error", "no answer")))
        return answer["text"]

    def run(self, name, world):
        self.world = world
        self._send({"hello": {"protocol": PROTOCOL, "version": VERSION, "name": name}})
        for line in iter(self.source.readline, b""):
            message = json.loads(line)
            self.request = message.pop("id")
            operation = message.pop("op")
            try:
                method = OPERATIONS.get(operation)
                if method is None:
                    raise Refusal("failed", f"there is no operation {operation!r}")
                reply = {"id": self.request, "ok": method(self, **message)}
            except Refusal as refusal:
                reply = {"id": self.request, "error": {"kind": refusal.kind, "message": str(refusal)}}
            except Exception as error:
                traceback.print_exc()
                text = f"{type(error).__name__}: {error}"[:2000]
                reply = {"id": self.request, "error": {"kind": "failed", "message": text}}
            self._send(reply)

    def _send(self, message):
        # ASCII only: a lone surrogate stays an escape, which the client reads and notes.
        self.sink.write(json.dumps(message).encode() + b"\n")
        self.sink.flush()

    def _describe(self):
        return self.world.describe()

    def _tasks(self, split, instances, seed):
        return {"tasks": self.world.tasks(split, instances, seed)}

    def _reset(self, task, seed):
        self.acts, self.finished = {}, False
        instruction = self.world.reset(task, seed)
        silence = {"silence": True} if self.world.silence else {}
        return {"instruction": instruction, **silence, **self._now()}

    def _now(self):
        news = self.world.news()
        return {"over": self.world.over, **({"news": news} if news else {})}

    def _act(self, act, function, arguments):
        call = (function, arguments)
        if act in self.acts:
            earlier, result = self.acts[act]
            if earlier != call:
                raise Refusal("act_id_reused", f"act {act!r} already stands for another call")
            return {**result, **self._now()}
        if self.finished or self.world.over:
            content, error, *calls = "the task is finished: nothing more can be done in it", True
        else:
            content, error, *calls = self.world.act(act, function, arguments)
        result = {"content": content, "error": error, **({"calls": calls[0]} if calls else {})}
        self.acts[act] = (call, result)
        return {**result, **self._now()}

    def _remark(self, text):
        self.world.remark(text)
        return {}

    def _say(self, text):
        if self.finished or self.world.over:
            raise Refusal("failed", "nobody listens any more: the attempt is over")
        return {"text": self.world.say(text), **self._now()}

    def _hash(self):
        return {"hash": self.world.state_hash()}

    def _finish(self, text):
        self.world.finish(text)
        self.finished = True
        return {}

    def _verify(self):
        if not self.finished:
            raise Refusal("failed", "there is no verdict before finish")
        return self.world.verify()

    def _close(self):
        self.world.close()
        self.acts = {}
        return {}


OPERATIONS = {
    "describe": Server._describe,
    "tasks": Server._tasks,
    "reset": Server._reset,
    "act": Server._act,
    "remark": Server._remark,
    "say": Server._say,
    "hash": Server._hash,
    "finish": Server._finish,
    "verify": Server._verify,
    "close": Server._close,
}


def stdio():
    """A server on standard input and output, which then belong to the protocol alone.

    Whatever the benchmark prints goes to standard error. Call it before the benchmark is imported.
    """
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    threading.Thread(target=_end_with_client, daemon=True).start()
    return Server(sys.stdin.buffer, sink)


def _end_with_client():
    """Ends a process that is stuck in a request when its client dies: no orphan stays."""
    poll = select.poll()
    poll.register(0, 0)
    while not any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll()):
        pass
    time.sleep(ORPHAN_GRACE)
    os._exit(3)
