"""Drives an environment's adapter by a script in its own process: the same calls as through the wire, without it.

    python drive_directly.py SCRIPT ADAPTER [ARGUMENT ...]
    python drive_directly.py --as-published SCRIPT ADAPTER [ARGUMENT ...]
    python drive_directly.py --listing ADAPTER [ARGUMENT ...]

As published, a τ²-bench database is read anew for every use and hashed as a whole, as the benchmark does it. Runs in the environment's own Python. Prints what `palaestra-bench episodes` prints: microseconds as JSON; or the
reference tasks and the tools.
"""

import hashlib
import json
import os
import runpy
import sys
import time
from pathlib import Path


class Directly:
    """Stands for the wire's server: keeps the world instead of serving it, and answers from the script."""

    def __init__(self):
        self.world, self.answers = None, {}

    def ask(self, purpose, messages, complaint=None):
        return self.answers[purpose].pop(0)

    def run(self, name, world):
        self.world = world


def load(adapter, arguments):
    """The adapter's world, as its process would serve it."""
    sys.path.insert(0, str(Path(adapter).parent))
    import palaestra_wire

    server = Directly()
    palaestra_wire.stdio = lambda: server
    sys.argv = [adapter, *arguments]
    # Under the name of a program, as it is started; the module stays alive with the server.
    server.globals = runpy.run_path(adapter, run_name="__main__")
    return server


def as_published(adapter):
    """Undoes what our adapter of τ²-bench does for speed."""
    sys.path.insert(0, str(Path(adapter).parent))
    import shared_records

    class ReadAnew:
        def __init__(self, database):
            self.kind, self.text = type(database), database.model_dump_json()

        def fresh(self):
            return self.kind.model_validate_json(self.text)

    def whole(database):
        return hashlib.sha256(shared_records.written(database.model_dump()).encode()).hexdigest()

    shared_records.Pristine, shared_records.database_hash = ReadAnew, whole


class Clock:
    """Times steps in microseconds."""

    def __init__(self, report):
        self.report = report

    def __call__(self, what, step, *arguments):
        start = time.perf_counter_ns()
        result = step(*arguments)
        self.report[what].append((time.perf_counter_ns() - start) // 1000)
        return result


def drive(server, episode, seed):
    report = {"reset": [], "act": [], "verify": [], "episode": [], "passed": 0}
    clock, world = Clock(report), server.world
    server.answers = {"user": list(episode["user"]), "judge": list(episode["judge"])}

    def whole():
        clock("reset", world.reset, episode["task"], seed)
        for number, (function, arguments) in enumerate(episode["calls"]):
            clock("act", world.act, f"call-{number}", function, arguments)
        if episode["say"] is not None:
            world.say(episode["say"])

        def end():
            world.finish("")
            verdict = world.verify()
            world.close()
            return verdict

        report["passed"] += clock("verify", end)["passed"]

    clock("episode", whole)
    return report


def main():
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    arguments = sys.argv[1:]
    published = arguments[0] == "--as-published"
    wanted, adapter, *arguments = arguments[1:] if published else arguments
    if published:
        as_published(adapter)
    server = load(adapter, arguments)
    if wanted == "--listing":
        listing = {"tasks": server.world.tasks("reference", 1, 0), "tools": server.world.describe()["tools"]}
        print(json.dumps(listing), file=output)
        return
    script = json.loads(Path(wanted).read_text())
    drive(server, script["episodes"][0], script["seed"])
    total = None
    for episode in script["episodes"]:
        report = drive(server, episode, script["seed"])
        total = {key: total[key] + report[key] for key in report} if total else report
    print(json.dumps(total), file=output)


if __name__ == "__main__":
    main()
