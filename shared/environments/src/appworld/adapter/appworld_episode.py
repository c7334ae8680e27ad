"""One episode, in a child of its own: the world, its cells and calls, its state, and the sealed output.

It sees a tree of data without any answer key. Nothing here decides what an agent is told beyond what
the benchmark itself says.
"""

import copy
import hashlib
import json

from appworld_catalogue import CELL

# The most bytes of one text on the wire: less than a line may hold, and far more than a model reads.
MOST_OUTPUT = 4 << 20
MOST_CALL = 256 << 10
MOST_CALLS = 8 << 20


def cut(text, most):
    """A text of at most so many bytes as JSON; a cut is marked."""
    if len(text) * 6 <= most or len(json.dumps(text)) <= most:
        return text
    return f"{text[: most // 12]}\n[cut off by the environment: {len(text)} characters]"


class Episode:
    """The benchmark's world for one task."""

    def __init__(self, task, experiment, seconds, documents, seed):
        from appworld import AppWorld

        self.documents = documents
        self.calls, self.room = None, MOST_CALLS
        self.world = AppWorld(
            task_id=task, experiment_name=experiment, load_ground_truth=False, timeout_seconds=seconds,
            random_seed=seed, max_interactions=100000,
        )
        self.request = self.world.requester.request
        self.world.requester.request = self.recorded

    def answer(self, operation, **arguments):
        """One request of the parent."""
        value = getattr(self, f"do_{operation}")(**arguments)
        return {**value, "over": self.world.task_completed()} if operation in ("cell", "call") else value

    def do_start(self):
        return {}

    def do_cell(self, code):
        """Runs a cell. Its own time limit is an answer; what ignores it is the parent's business."""
        self.calls, self.room = [], MOST_CALLS
        try:
            output = self.world.execute(code)
        finally:
            calls, self.calls = self.calls, None
        return {"content": cut(output, MOST_OUTPUT), "calls": calls}

    def do_call(self, function, arguments):
        """One call outside of any cell."""
        app, name = function.split(".", 1)
        requester = self.world.requester
        requester.reset_request_count()
        try:
            response = requester._request(_app_name=app, _api_name=name, raise_on_failure=False, **arguments)
            failed = response.status_code != 200
            content = json.dumps(requester.response_to_json(response))
        except Exception as error:
            failed, content = True, f"The call could not be made: {type(error).__name__}: {error}"
        if self.documents[function]["method"].upper() != "GET":
            self.save()
        return {"content": cut(content, MOST_OUTPUT), "error": failed}

    def recorded(self, _app_name, _api_name, **arguments):
        """The benchmark's own call, written down when a cell makes it."""
        function = f"{_app_name}.{_api_name}"
        if self.calls is None or function not in self.documents:
            return self.request(_app_name, _api_name, **arguments)
        told = {name: value for name, value in arguments.items() if name not in ("client", "raise_on_failure", "show", "track")}
        told = plain(told)
        try:
            result = self.request(_app_name, _api_name, **arguments)
        except Exception as error:
            self.write_down(function, told, str(error), True)
            raise
        self.write_down(function, told, json.dumps(result, default=str), False)
        return result

    def write_down(self, function, arguments, content, error):
        content = cut(content, min(MOST_CALL, max(self.room, 1024)))
        self.room -= len(content)
        self.calls.append({"function": function, "arguments": arguments, "content": content, "error": error})

    def do_hash(self):
        """Over every row of every app."""
        from appworld.apps import get_all_apps
        from appworld.common.utils import import_models_module

        whole = hashlib.sha256()
        for app in get_all_apps():
            engine = import_models_module(app).SQLModel.db.engine
            connection = engine.raw_connection().connection
            for name in tables(connection):
                whole.update(f"{app}.{name}\n".encode())
                for row in sorted(repr(tuple(row)) for row in connection.execute(f'SELECT * FROM "{name}"')):
                    whole.update(row.encode())
        return {"hash": whole.hexdigest()}

    def do_seal(self):
        self.save()
        return {}

    def save(self):
        self.world._save_state(self.world.output_db_home_path_on_disk)


def tables(connection):
    """The tables that hold records. Those of the full-text search follow from them."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
    return [name for (name,) in connection.execute(query) if "_fts" not in name and not name.startswith("sqlite_")]


def plain(arguments):
    """Arguments as JSON can say them, and not longer than a call may be."""
    text = json.dumps(copy.copy(arguments), default=str, skipkeys=True)
    if len(text) <= MOST_CALL:
        return json.loads(text)
    return {str(name): cut(str(value), MOST_CALL // 8) for name, value in list(arguments.items())[:16]}


def wrong_arguments(document, arguments):
    """What is wrong with a direct call's arguments as far as their names say it."""
    known = {one["name"]: one["required"] for one in document["parameters"]}
    unknown = [name for name in arguments if name not in known]
    missing = [name for name, needed in known.items() if needed and name not in arguments]
    if unknown:
        return f"Unknown argument {unknown[0]!r}: there are {', '.join(known) or 'none'}. Nothing was called."
    return f"Missing argument {missing[0]!r}. Nothing was called." if missing else None


def wrong_cell(arguments):
    if set(arguments) != {"code"} or not isinstance(arguments["code"], str):
        return f"{CELL} takes one argument, `code`, a text. Nothing was run."
    return None
