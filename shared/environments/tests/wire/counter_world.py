"""A world of one number, which also misbehaves on command. For tests of the other side."""

import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src" / "wire" / "python"))

import palaestra_wire  # noqa: E402

SERVER = palaestra_wire.stdio()
TASKS = {"count/1": 1, "count/2": 2}


def tool(name, effect, **parameters):
    schema = {"type": "object", "properties": parameters, "required": list(parameters)}
    return {"name": f"counter.{name}", "description": name, "parameters": schema, "effect": effect}


def deaf():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        signal.pause()


def child():
    return str(subprocess.Popen(["sleep", "600"]).pid)


def out_of_protocol(data):
    os.write(SERVER.sink.fileno(), data)
    return "said"


FAULTS = {
    "huge": lambda: "x" * (1 << 20),
    "deaf": deaf,
    "die": lambda: os._exit(3),
    "last_words": lambda: (os.write(2, b"the disk is full\n"), os._exit(4)),
    "print": lambda: print("a stray print", flush=True) or "printed",
    "garbage": lambda: out_of_protocol(b"this is not JSON\n"),
    "half_a_line": lambda: (out_of_protocol(b'{"id": '), os._exit(5)),
    "strangers_reply": lambda: out_of_protocol(b'{"id": 999, "ok": {}}\n'),
    "surrogate": lambda: "smile \ud83d lost",
    "latin1": lambda: out_of_protocol(
        b'{"id": %d, "ok": {"content": "caf\xe9", "error": false, "over": false}}\n' % SERVER.request
    )
    and os._exit(0),
    "child": child,
    "nag": lambda: [SERVER.ask("user", []) for _ in range(100)],
    "crash": lambda: 1 / 0,
}


class Counter(palaestra_wire.World):
    def __init__(self):
        self.left, self.announced = False, []

    @property
    def over(self):
        return self.left

    def describe(self):
        tools = [tool("add", "write", amount={"type": "integer"}), tool("get", "read")]
        tools += [tool(name, "read") for name in FAULTS if name in ("print", "surrogate")]
        tools.append(tool("run", "write", code={"type": "string"}))
        return {
            "data_version": "counter-1", "tools": tools, "rules": "Count.", "greeting": "Hi!", "user": "leads",
            "cell": "counter.run",
        }

    def tasks(self, split, instances, seed):
        id = "count/1" if split == "reference" else "count/2"
        return [{"id": id, "scenario": id, "instruction": "Count."}]

    def reset(self, task, seed):
        if task not in TASKS:
            raise palaestra_wire.Refusal("unknown_task", task)
        reply = SERVER.ask("user", [{"role": "user", "content": "Hi!"}])
        self.goal, self.number, self.left, self.remarks = TASKS[task], 0, False, []
        self.announced = ["the count begins"]
        return reply

    def act(self, act, function, arguments):
        name = function.removeprefix("counter.")
        if name == "add" and set(arguments) == {"amount"} and isinstance(arguments["amount"], int):
            self.number += arguments["amount"]
            return str(self.number), False
        if name == "run" and set(arguments) == {"code"} and isinstance(arguments["code"], str):
            return self.run(arguments["code"])
        if name == "get" and not arguments:
            return f"{self.number} {self.remarks}", False
        if name in FAULTS and not arguments:
            return FAULTS[name](), False
        return f"there is no call {function} of {sorted(arguments)}", True

    def run(self, code):
        """Adds the numbers that stand in the code, each by a call of its own."""
        calls = []
        for word in code.split():
            self.number += int(word)
            self.announced.append(f"{word} was added")
            made = {"function": "counter.add", "arguments": {"amount": int(word)}}
            calls.append({**made, "content": str(self.number), "error": False})
        return f"{len(calls)} calls", False, calls

    def news(self):
        announced, self.announced = self.announced, []
        return announced

    def remark(self, text):
        self.remarks.append(text)

    def say(self, text):
        messages = [{"role": "assistant", "content": "Hello."}, {"role": "user", "content": text}]
        reply = SERVER.ask("user", messages, lambda reply: None if reply.strip() else "Say something.")
        self.left = "bye" in reply
        return reply

    def state_hash(self):
        return hashlib.sha256(str(self.number).encode()).hexdigest()

    def finish(self, text):
        pass

    def verify(self):
        reply = SERVER.ask(
            "judge",
            [{"role": "user", "content": str(self.number)}],
            lambda reply: None if reply in ("yes", "no") else "Say yes or no.",
        )
        passed = self.number == self.goal and reply == "yes"
        feedback = [] if passed else [f"{self.number} instead of {self.goal}; the judge says {reply}"]
        return {"passed": passed, "reward": float(passed), "feedback": feedback}

    def close(self):
        pass


SERVER.run("counter", Counter())
