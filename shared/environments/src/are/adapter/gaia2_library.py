"""The scenarios: a folder of GAIA2 rows, or our own ones. What is in them, and which side they are on."""

import functools
import hashlib
import json
import re
from pathlib import Path

import gaia2_scenarios
from pydantic_core import from_json

CAPABILITIES = ("execution", "search", "ambiguity", "adaptability", "time")
UNIVERSE = re.compile(r"universe_\d+")


class Row:
    """One scenario: where its text is, and what a listing says about it."""

    def __init__(self, capability, stem, read):
        self.capability = capability
        self.id = f"gaia2/{capability}/{stem}"
        self.read = read

    @functools.cached_property
    def document(self):
        """What a listing needs of the text, which may be some megabytes long."""
        whole = from_json(self.read())
        definition = whole["metadata"]["definition"]
        apps = {app["name"]: app["class_name"] for app in whole["apps"]}
        return definition["scenario_id"], apps, first_words(whole["events"])

    @property
    def apps(self):
        return self.document[1]

    @property
    def instruction(self):
        return self.document[2]

    @property
    def group(self):
        """Scenarios of one universe share its people, letters and goods."""
        found = UNIVERSE.search(self.document[0])
        return found.group(0) if found else self.document[0]


def first_words(events):
    """What the user says first; events without a predecessor come at their own time."""
    said = [
        event
        for event in events
        if event["event_type"] == "USER" and event["action"]["function"] == "send_message_to_agent"
    ]
    first = min(said, key=lambda event: (bool(event["dependencies"]), event.get("event_relative_time") or 0))
    return next(arg["value"] for arg in first["action"]["args"] if arg["name"] == "content")


class Library:
    """All scenarios, in a fixed order."""

    def __init__(self, folder=None):
        self.rows = rows_of_folder(Path(folder)) if folder else own_rows()
        if not self.rows:
            raise SystemExit(f"no scenarios in {folder}: it needs folders such as execution/ with *.json files")
        self.by_id = {row.id: row for row in self.rows}

    @functools.cached_property
    def digest(self):
        """The hash of all names and texts."""
        whole = hashlib.sha256()
        for row in self.rows:
            whole.update(f"{row.id}\n{hashlib.sha256(row.read()).hexdigest()}\n".encode())
        return whole.hexdigest()

    @functools.cached_property
    def sides(self):
        """Whole universes alternate between the sides, so that no scenario's world is on both."""
        groups = sorted({row.group for row in self.rows}, key=lambda group: (len(group), group))
        return {"reference": set(groups[::2]), "held_out": set(groups[1::2])}

    def side(self, split):
        return [row for row in self.rows if row.group in self.sides[split]]

    def showing_all_apps(self):
        """A few rows that have every application of the whole library between them."""
        chosen, seen = [], set()
        for row in self.rows:
            apps = set(row.apps.items())
            if not apps <= seen:
                chosen.append(row)
                seen |= apps
        return chosen


def rows_of_folder(folder):
    return [
        Row(capability, path.stem, path.read_bytes)
        for capability in CAPABILITIES
        for path in sorted((folder / capability).glob("*.json"), key=lambda path: path.stem)
    ]


def own_rows():
    return [
        Row(capability, stem, functools.partial(text_of, document))
        for capability, stem, document in sorted(gaia2_scenarios.documents(), key=place)
    ]


def place(entry):
    capability, stem, _ = entry
    return CAPABILITIES.index(capability), stem


def text_of(document):
    return json.dumps(document).encode()
