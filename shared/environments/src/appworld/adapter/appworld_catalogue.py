"""What the benchmark offers, read from its data: tasks, functions, versions. It starts no world."""

import hashlib
import importlib.metadata
import json
import sqlite3
from pathlib import Path

EFFECTS = {"GET": "read"}
FINAL = "supervisor.complete_task"
CELL = "python.execute"

RULES = """\
You act for a person, your supervisor, in simulated apps. All of it happens through functions of the form app.function. \
The app `api_docs` describes them: show_app_descriptions(), show_api_descriptions(app_name) and \
show_api_doc(app_name, api_name). The app `supervisor` knows the person's profile, addresses, cards and account passwords.
An app that holds personal data wants an access token: log in with the person's email address (in the phone app: the \
phone number) and the account's password, and hand the token over in every further call of that app.
Listings come in pages. People are friends, relatives or colleagues as the phone's contacts say. The present moment is \
the world's own, not yours.
Nobody answers questions. When the task is done, call supervisor.complete_task: with `answer` if and only if something \
was asked, as short as it can be; with status "fail" if it cannot be done. Nothing can be done afterwards."""

CELL_TOOL = {
    "name": CELL,
    "description": "Runs Python code in a session that keeps its variables. `apis.app.function(...)` calls a function of "
    "an app, with keyword arguments only; what the code prints is the result.",
    "parameters": {
        "type": "object",
        "properties": {"code": {"type": "string", "description": "The code."}},
        "required": ["code"],
        "additionalProperties": False,
    },
    "effect": "write",
}


class Catalogue:
    """The data under one folder."""

    def __init__(self, data):
        self.data = Path(data)
        self.documents = {}
        for path in sorted((self.data / "api_docs" / "standard").glob("*.json")):
            for name, document in json.loads(path.read_text()).items():
                self.documents[f"{path.stem}.{name}"] = document

    def ids(self, split):
        """The task ids of a split, in the benchmark's order; none where it is not there."""
        path = self.data / "datasets" / f"{split}.txt"
        lines = path.read_text().splitlines() if path.exists() else []
        return [line.strip() for line in lines if line.strip()]

    def tasks(self, split):
        return [
            {"id": f"appworld/{split}/{id}", "scenario": id.split("_")[0], "instruction": self.instruction(id)}
            for id in self.ids(split)
        ]

    def instruction(self, id):
        """The task with the facts about the person who gives it."""
        specs = json.loads((self.data / "tasks" / id / "specs.json").read_text())
        person = specs["supervisor"]
        return (
            f"I am {person['first_name']} {person['last_name']}. My email address is {person['email']}, my phone number "
            f"is {person['phone_number']}.\n\nTask: {specs['instruction']}"
        )

    def tools(self, schemas):
        """All functions; `schemas` are the package's own, in which nothing is required."""
        tools = []
        for schema in schemas:
            function = schema["function"]
            name = function["name"].replace("__", ".")
            document = self.documents.get(name)
            if document is None:
                continue
            effect = EFFECTS.get(document["method"].upper(), "write")
            needed = [one["name"] for one in document["parameters"] if one["required"]]
            parameters = {**function["parameters"], "type": "object", "required": needed, "additionalProperties": False}
            tools.append(
                {
                    "name": name,
                    "description": function["description"],
                    "parameters": parameters,
                    "effect": "finalize" if name == FINAL else effect,
                }
            )
        return [*sorted(tools, key=lambda tool: tool["name"]), CELL_TOOL]

    def version(self, splits):
        package = importlib.metadata.version("appworld")
        return f"appworld={package} adapter=1 splits={splits} data={self.digest()}"

    def digest(self):
        """Over all files. Databases of our own world are taken by content: their bytes are SQLite's."""
        ours = (self.data / "palaestra-world.txt").exists()
        whole = hashlib.sha256()
        for path in sorted(path for path in self.data.rglob("*") if path.is_file()):
            whole.update(f"{path.relative_to(self.data)}\0".encode())
            by_content = ours and path.suffix == ".db"
            whole.update(dump(path) if by_content else hashlib.sha256(path.read_bytes()).digest())
        return whole.hexdigest()


def dump(path):
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        whole = hashlib.sha256()
        for statement in connection.iterdump():
            whole.update(statement.encode())
        return whole.digest()
    finally:
        connection.close()
