"""Our own scenarios in the GAIA2 JSON format: five abilities, two kinds of task each, in several universes.

Run as `python gaia2_scenarios.py FOLDER`, it writes them as CAPABILITY/*.json, the layout of real rows.
"""

import json
import sys
from pathlib import Path

from gaia2_templates import TEMPLATES
from gaia2_universe import START, Universe

# Every second universe is held out.
UNIVERSES = (1, 2, 3, 4)


class Script:
    """The events of a scenario: what the user says, what happens, and what a right agent does."""

    def __init__(self, universe):
        self.universe = universe
        self.events = []
        self.turn = 0

    def user(self, words, after=None):
        """The user speaks, at first or after the end of a turn. Returns the event's id."""
        name = f"user-{self.turn}"
        action = call("AgentUserInterface", "send_message_to_agent", {"content": words}, "WRITE")
        self._add("Event", "USER", name, [after] if after else [], action, 2.0 if after is None else 5.0)
        return name

    def happens(self, name, after, seconds, function, **arguments):
        """Something happens in the world, so long after another event."""
        app, function = function.split(".")
        self._add("Event", "ENV", name, [after], call(app, function, arguments, "WRITE"), seconds)
        return name

    def agent(self, name, after, function, seconds=1.0, **arguments):
        """A right agent calls a function. More than a second is a time that has to be kept."""
        app, function = function.split(".")
        self._add("OracleEvent", "AGENT", name, after, call(app, function, arguments, None), seconds)
        return name

    def answer(self, after, words):
        """A right agent tells the user something, which ends the turn."""
        name = f"answer-{self.turn}"
        action = call("AgentUserInterface", "send_message_to_user", {"content": words}, None)
        self._add("OracleEvent", "AGENT", name, after, action, 1.0)
        self.turn += 1
        return name

    def _add(self, kind, event_type, name, after, action, seconds):
        event = {
            "class_name": kind,
            "event_type": event_type,
            "event_id": name,
            "event_time": None,
            "event_relative_time": seconds,
            "dependencies": after,
            "action": {"action_id": name, **action},
        }
        if kind == "OracleEvent":
            event["event_time_comparator"] = None
        self.events.append(event)


def call(app, function, arguments, operation):
    args = [argument(name, value) for name, value in arguments.items()]
    return {"app": app, "function": function, "operation_type": operation, "args": args}


def argument(name, value):
    """The format has texts only, with their types beside them."""
    text = value if isinstance(value, str) else json.dumps(value)
    return {"name": name, "value": text, "value_type": type(value).__name__}


def document(capability, name, universe, events):
    definition = {
        "scenario_id": f"scenario_universe_{universe.number:02d}_{name.replace('-', '_')}",
        "seed": 0,
        "duration": None,
        "time_increment_in_seconds": 1,
        "start_time": START,
        "run_number": None,
        "hints": [],
        "config": capability,
        "tags": [capability.capitalize()],
        "hf_metadata": None,
    }
    return {
        "version": "are_simulation_v1",
        "metadata": {
            "definition": definition,
            "simulation": None,
            "annotation": None,
            "execution": None,
            "runner_config": None,
        },
        "apps": universe.apps(),
        "events": events,
        "completed_events": [],
        "world_logs": [],
        "context": None,
        "augmentation": None,
    }


def documents():
    """All scenarios: capability, file name without its ending, document."""
    made = []
    for capability, name, template in TEMPLATES:
        for number in UNIVERSES:
            universe = Universe(number)
            script = Script(universe)
            template(universe, script)
            made.append((capability, f"{name}-{number}", document(capability, name, universe, script.events)))
    return made


def main(folder):
    for capability, stem, content in documents():
        path = Path(folder) / capability / f"{stem}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))


if __name__ == "__main__":
    main(sys.argv[1])
