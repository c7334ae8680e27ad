"""A world that runs what it is told to and says what came of it. For tests of what confines it."""

import palaestra_wire

SERVER = palaestra_wire.stdio()


class Probe(palaestra_wire.World):
    def describe(self):
        tool = {"name": "probe.run", "description": "run", "parameters": {"type": "object"}, "effect": "write"}
        return {"data_version": "probe-1", "tools": [tool]}

    def reset(self, task, seed):
        return "Look around."

    def act(self, act, function, arguments):
        names = {}
        try:
            exec(arguments["code"], names)
        except Exception as error:
            return f"{type(error).__name__}: {error}", True
        return str(names.get("result")), False

    def close(self):
        pass


SERVER.run("probe", Probe())
