"""GAIA2 scenarios in Meta Agents Research Environments (ARE) behind the wire protocol.

ARE's own code holds the applications, the events and the judge; its agent, its event loop and its
model client are not used. No agent, no model call, no policy of ours.
Run as `python gaia2_adapter.py [--data FOLDER] [--files FOLDER] [--charge SECONDS] [--temporal on|off]`.
"""

import argparse
import atexit
import gc
import importlib.metadata
import logging
import os
import shutil
import sys
import tempfile
import types
from pathlib import Path

import palaestra_wire
from palaestra_wire import Refusal


def settings():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", help="a folder of GAIA2 rows: CAPABILITY/*.json; without it, our own scenarios")
    parser.add_argument("--files", help="the folder with the contents of the rows' files")
    parser.add_argument("--charge", type=float, default=1.0, help="simulated seconds for each call and each message")
    parser.add_argument("--temporal", choices=("on", "off"), default="on", help="the runtime of the Time ability")
    return parser.parse_args()


SETTINGS = settings()
SERVER = palaestra_wire.stdio()


def keep_sandboxes_here():
    """ARE leaves a folder behind for every process. It goes where the next process clears it away."""
    folder = Path(__file__).parent / "sandboxes"
    try:
        folder.mkdir(exist_ok=True)
        for left in folder.iterdir():
            if not Path(f"/proc/{left.name}").exists():
                shutil.rmtree(left, ignore_errors=True)
        own = folder / str(os.getpid())
        own.mkdir(exist_ok=True)
    except OSError:
        return
    tempfile.tempdir = str(own)
    atexit.register(shutil.rmtree, own, ignore_errors=True)


keep_sandboxes_here()
logging.disable(logging.CRITICAL)
os.environ["DEMO_FS_PATH"] = SETTINGS.files or "/no folder of files was named"
# It would read a file of keys from any folder above.
sys.modules["dotenv"] = types.SimpleNamespace(load_dotenv=lambda *_, **__: True)

import pydantic  # noqa: E402
from are.simulation.agents.default_agent.prompts.notification_system import (  # noqa: E402
    get_notification_system_prompt,
)
from are.simulation.agents.default_agent.prompts.system_prompt import (  # noqa: E402
    ARE_SIMULATION_ENVIRONMENT_INSTRUCTIONS,
    GENERAL_SYSTEM_PROMPT_TEMPLATE,
)
from are.simulation.notification_system import VerboseNotificationSystem  # noqa: E402
from are.simulation.utils import make_serializable  # noqa: E402

import gaia2_episode  # noqa: E402
import gaia2_judge  # noqa: E402
import gaia2_library  # noqa: E402

ARE = "meta-agents-research-environments"
WAIT = "SystemApp.wait_for_notification"


def schema(tool):
    """The arguments as JSON Schema, from their types: ARE's own form of it names no JSON types."""
    properties, required = {}, []
    for argument in tool.args:
        try:
            shape = pydantic.TypeAdapter(argument.type_obj).json_schema()
        except Exception:
            shape = {}
        if argument.description:
            shape["description"] = argument.description
        if argument.has_default:
            shape["default"] = make_serializable(argument.default)
        else:
            required.append(argument.name)
        properties[argument.name] = shape
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def effect(name, tool):
    if name == WAIT:
        return "wait"
    return "write" if tool.write_operation else "read"


def rules(scenario):
    """The benchmark's standing instructions without what is about its own agent's format."""
    text = ARE_SIMULATION_ENVIRONMENT_INSTRUCTIONS.format(environment_hints="")
    before, after = text.split("AVAILABLE TOOLS:\n<<tool_descriptions>>\n\n")
    instructions = before + after.split("<<", 1)[0].rstrip()
    notified = get_notification_system_prompt(VerboseNotificationSystem(), scenario.apps)
    return f"{GENERAL_SYSTEM_PROMPT_TEMPLATE}\n\n{instructions}\n{notified.replace('__', '.')}"


class Gaia2(palaestra_wire.World):
    """All scenarios of a library, one attempt at a time."""

    def __init__(self, settings):
        self.settings = settings
        self.library = gaia2_library.Library(settings.data)
        self.questions = gaia2_judge.Questions(SERVER)
        self.description = None
        self.episode = self.started = self.verdict = None
        self.steps = []

    @property
    def over(self):
        return self.episode is not None and self.episode.over

    @property
    def silence(self):
        return self.episode is not None and self.episode.temporal

    def describe(self):
        if self.description is None:
            self.description = self._describe()
        return self.description

    def _describe(self):
        tools, instructions = {}, None
        for row in self.library.showing_all_apps():
            scenario = gaia2_episode.load(row.read())
            scenario.initialize()
            tools = {**gaia2_episode.functions(scenario), **tools}
            instructions = instructions or rules(scenario)
        offered = [
            {
                "name": name,
                "description": tool.function_description or "",
                "parameters": schema(tool),
                "effect": effect(name, tool),
            }
            for name, tool in tools.items()
        ]
        return {"data_version": self._version(), "tools": offered, "rules": instructions, "user": "leads"}

    def _version(self):
        parts = {
            "are": importlib.metadata.version(ARE),
            "adapter": 1,
            "data": self.library.digest,
            "charge": f"{self.settings.charge:g}",
            "temporal": self.settings.temporal,
        }
        return " ".join(f"{name}={value}" for name, value in parts.items())

    def tasks(self, split, instances, seed):
        return [
            {"id": row.id, "scenario": row.group, "ability": row.capability, "instruction": row.instruction}
            for row in self.library.side(split)
        ]

    def reset(self, task, seed):
        row = self.library.by_id.get(task)
        if row is None:
            raise Refusal("unknown_task", f"no task {task}")
        self.close()
        self.questions.forget()
        self.started = (row, seed)
        self.episode = self._begin()
        return self.episode.instruction

    def _begin(self):
        row, seed = self.started
        temporal = self.settings.temporal == "on"
        return gaia2_episode.Episode(row, seed, self.settings.charge, temporal, self.questions)

    def _step(self, method, *arguments):
        """Does a step, or nothing at all: one whose question stays open is undone by a new start."""
        try:
            value = getattr(self.episode, method)(*arguments)
        except Refusal:
            self._play_again()
            raise
        self.steps.append((method, arguments))
        return value

    def _play_again(self):
        self.episode.close()
        self.episode = self._begin()
        for method, arguments in self.steps:
            getattr(self.episode, method)(*arguments)
        self.episode.news.clear()

    def act(self, act, function, arguments):
        return self._step("act", function, arguments)

    def say(self, text):
        return self._step("say", text)

    def news(self):
        if self.episode is None:
            return []
        news, self.episode.news = self.episode.news, []
        return news

    def state_hash(self):
        return self.episode.state_hash()

    def finish(self, text):
        if text.strip() and not self.over:
            self._step("say", text)

    def verify(self):
        if self.verdict is None:
            self.verdict = self._step("verify")
        return self.verdict

    def close(self):
        if self.episode is not None:
            self.episode.close()
        self.episode = self.started = self.verdict = None
        self.steps = []
        gc.collect()


SERVER.run("gaia2", Gaia2(SETTINGS))
