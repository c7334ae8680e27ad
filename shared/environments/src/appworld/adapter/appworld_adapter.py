"""AppWorld behind the wire protocol: a warmed parent, and a forked child for each episode.

Run as `python appworld_adapter.py --data FOLDER --reference SPLIT --held-out SPLIT --cell-seconds N`.
The parent holds no world: it forks, keeps the deadlines, seals and has the sealed output graded.
"""

import argparse
import fcntl
import gc
import os
import shutil
import signal
import sys
import tempfile
import traceback
from pathlib import Path

import palaestra_wire

SERVER = palaestra_wire.stdio()

import appworld_box as box  # noqa: E402
import appworld_grading as grading  # noqa: E402
from appworld_catalogue import CELL, RULES, Catalogue  # noqa: E402
from appworld_child import Child, Gone, Late  # noqa: E402
from appworld_episode import Episode, wrong_arguments, wrong_cell  # noqa: E402
from palaestra_wire import Refusal  # noqa: E402

EXPERIMENT = "attempt"
START, QUICK, GRADING = 110, 60, 110
TEACHING = ("train", "dev")
PREFIX = "palaestra-appworld-"


def scratch():
    """A folder of this process's own, locked while it lives, and none of those that killed ones left."""
    for left in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            with (left / "lock").open() as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left, ignore_errors=True)
        except OSError:
            continue
    made = Path(tempfile.mkdtemp(prefix=f"new-{PREFIX}"))
    lock = (made / "lock").open("w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    # Only now may others see it, since they would take an unlocked one for left behind.
    folder = made.rename(made.with_name(made.name.removeprefix("new-")))
    return folder, lock


SCRATCH, LOCK = scratch()


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parent.parent / "world" / "data")
    parser.add_argument("--reference", choices=TEACHING, default="train")
    parser.add_argument("--held-out", choices=("test_normal", "test_challenge", "dev"), default="test_normal")
    parser.add_argument("--cell-seconds", type=int, default=60)
    given = parser.parse_args()
    if given.reference == given.held_out:
        parser.error("the reference and the held-out tasks must come from different splits")
    if not (given.data / "version.txt").is_file():
        parser.error(f"{given.data} holds no data of AppWorld: there is no version.txt in it")
    return given


OPTIONS = options()
# The package reads these at import. Nothing of it may end up in the user's home.
os.environ.update(
    APPWORLD_ROOT=str(SCRATCH / "warm"), APPWORLD_CACHE=str(SCRATCH / "cache"), HOME=str(SCRATCH),
    IPYTHONDIR=str(SCRATCH / "ipython"), PYTHON_DOTENV_DISABLED="1", MPLCONFIGDIR=str(SCRATCH),
)
DATA = OPTIONS.data.resolve()
CATALOGUE = Catalogue(DATA)
TASKS = {f"appworld/{split}/{id}": id for split in (OPTIONS.reference, OPTIONS.held_out) for id in CATALOGUE.ids(split)}


def keyless_tree(root, task):
    """A tree with all that an episode reads, and without any key. Returns what must be readable."""
    data, inputs = root / "data", DATA / "tasks" / task
    (data / "tasks" / task).mkdir(parents=True)
    real = [DATA / "api_docs", DATA / "base_dbs", DATA / "version.txt", inputs / "specs.json", inputs / "dbs"]
    for path in real:
        (data / path.relative_to(DATA)).symlink_to(path)
    return real


def set_root(root):
    """Points the package to another tree, and makes it forget paths of the last one."""
    from appworld.apps.model_lib import get_db_home_path
    from appworld.common.path_store import path_store

    path_store.update_root(str(root))
    get_db_home_path.cache_clear()
    os.environ.update(HOME=str(root), IPYTHONDIR=str(root / "ipython"), TMPDIR=str(root))
    os.chdir(root)


def clear():
    """Closes whatever a fork would share: worlds, threads, databases."""
    from appworld import AppWorld
    from appworld.apps.model_lib import get_cached_db_engine, get_direct_cached_sqlite3_connection

    AppWorld.close_all()
    get_cached_db_engine.cache_clear()
    get_direct_cached_sqlite3_connection.cache_clear()


def warm():
    """Imports everything and plays one world through, so that a fork starts at once. Returns the tools."""
    task = next(iter(TASKS.values()))
    keyless_tree(SCRATCH / "warm", task)
    os.chdir(SCRATCH)
    from appworld.collections.api_docs import ApiDocCollection

    set_root(SCRATCH / "warm")
    episode = Episode(task, EXPERIMENT, OPTIONS.cell_seconds, CATALOGUE.documents, 100)
    episode.do_cell("print(apis.supervisor.show_profile())")
    tools = CATALOGUE.tools(ApiDocCollection.load(tuple(episode.world.task.allowed_apps), True).function_calling())
    import appworld.evaluator  # noqa: F401

    del episode
    clear()
    return tools


class Attempt:
    """One episode and its sealed output."""

    def __init__(self, name, seed):
        self.task, self.teaching = TASKS[name], name.split("/")[1] in TEACHING
        self.root = Path(tempfile.mkdtemp(prefix="episode-", dir=SCRATCH))
        self.sealed = Path(tempfile.mkdtemp(prefix="grading-", dir=SCRATCH))
        self.over, self.wedged = False, False
        readable = keyless_tree(self.root, self.task)
        self.child = Child(lambda: self.open(readable, seed), (SERVER.sink.fileno(),))
        self.ask(START, operation="start")

    def open(self, readable, seed):
        """Runs in the child, before anything of the agent's."""
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        box.limit()
        set_root(self.root)
        if not box.close([self.root, *readable], [self.root]):
            print("this kernel has no Landlock: the episode could read the answer keys", file=sys.stderr)
        episode = Episode(self.task, EXPERIMENT, OPTIONS.cell_seconds, CATALOGUE.documents, seed)
        return episode.answer

    def ask(self, seconds, **request):
        try:
            ok, value = self.child.request(seconds, **request)
        except Late:
            raise Refusal("failed", f"the episode's process did not {request['operation']} in {seconds} s") from None
        except Gone as end:
            raise Refusal("failed", f"the episode's process is gone ({end})") from None
        if not ok:
            raise Refusal("failed", value)
        return value

    def cell(self, code):
        """A cell that even ignores its own time limit costs the episode its process, and ends it."""
        most = OPTIONS.cell_seconds + max(OPTIONS.cell_seconds // 2, 2)
        try:
            ok, value = self.child.request(most, operation="cell", code=code)
        except Late:
            self.over = self.wedged = True
            return f"The code ignored its limit of {OPTIONS.cell_seconds} s and was killed. The task is over.", False, []
        except Gone as end:
            raise Refusal("failed", f"the episode's process is gone ({end})") from None
        if not ok:
            raise Refusal("failed", value)
        self.over = value["over"]
        return value["content"], False, value["calls"]

    def call(self, function, arguments):
        value = self.ask(QUICK, operation="call", function=function, arguments=arguments)
        self.over = value["over"]
        return value["content"], value["error"]

    def seal(self):
        """After a kill, what stands on disk counts: the benchmark saves after each cell."""
        if not self.wedged:
            self.ask(QUICK, operation="seal")
        output = self.root / "experiments" / "outputs" / EXPERIMENT / "tasks" / self.task / "dbs"
        lost = grading.seal(output, self.output())
        if lost:
            raise Refusal("failed", f"the final state is not whole, so it is not graded: {', '.join(lost)} missing")

    def output(self):
        return self.sealed / "experiments" / "outputs" / EXPERIMENT / "tasks" / self.task / "dbs"

    def verdict(self):
        grader = Child(self.open_grader, (SERVER.sink.fileno(),))
        try:
            ok, value = grader.request(GRADING, task=self.task, experiment=EXPERIMENT)
        except (Late, Gone) as end:
            raise Refusal("failed", f"the grader did not finish ({end or 'too late'})") from None
        finally:
            grader.kill()
        if not ok:
            raise Refusal("failed", f"the grader failed: {value}")
        return grading.verdict(value, self.teaching)

    def open_grader(self):
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        box.limit()
        (self.sealed / "data").symlink_to(DATA)
        set_root(self.sealed)
        # The evaluator looks up the source of every frame below it, and fails where it cannot.
        box.close([self.sealed, DATA, Path(__file__).resolve().parent], [self.sealed])
        return grading.grade

    def end(self):
        self.child.kill()
        for folder in (self.root, self.sealed):
            shutil.rmtree(folder, ignore_errors=True)


class AppWorldWorld(palaestra_wire.World):
    """The benchmark with two of its splits."""

    attempt = None
    version = None

    def __init__(self, tools):
        self.offered = tools

    @property
    def over(self):
        return self.attempt is not None and self.attempt.over

    def describe(self):
        if self.version is None:
            self.version = CATALOGUE.version(f"{OPTIONS.reference}/{OPTIONS.held_out}")
        return {"data_version": self.version, "tools": self.offered, "rules": RULES, "user": "absent", "cell": CELL}

    def tasks(self, split, instances, seed):
        return CATALOGUE.tasks({"reference": OPTIONS.reference, "held_out": OPTIONS.held_out}[split])

    def reset(self, task, seed):
        self.close()
        if task not in TASKS:
            raise Refusal("unknown_task", f"no task {task} in {OPTIONS.reference} or {OPTIONS.held_out}")
        self.attempt = Attempt(task, seed % (1 << 32))
        return CATALOGUE.instruction(TASKS[task])

    def act(self, act, function, arguments):
        if function == CELL:
            wrong = wrong_cell(arguments)
            return (wrong, True) if wrong else self.attempt.cell(arguments["code"])
        document = CATALOGUE.documents.get(function)
        if document is None:
            return f"There is no function {function}: api_docs describes those that there are.", True
        wrong = wrong_arguments(document, arguments)
        return (wrong, True) if wrong else self.attempt.call(function, arguments)

    def say(self, text):
        return "(Nobody answers here. Go on with what the functions tell you, and complete the task.)"

    def state_hash(self):
        return self.attempt.ask(QUICK, operation="hash")["hash"]

    def finish(self, text):
        self.attempt.seal()

    def verify(self):
        return self.attempt.verdict()

    def close(self):
        if self.attempt is not None:
            self.attempt.end()
            self.attempt = None


def stop(*_):
    """SIGTERM: the folder goes with the process, and the child dies with its parent."""
    shutil.rmtree(SCRATCH, ignore_errors=True)
    os._exit(143)


def main():
    signal.signal(signal.SIGTERM, stop)
    code = 0
    try:
        world = AppWorldWorld(warm())
        gc.collect()
        gc.freeze()
        SERVER.run("appworld", world)
        world.close()
    except BaseException:
        traceback.print_exc()
        code = 1
    # What the package wants to do at its end needs the folder that goes now.
    shutil.rmtree(SCRATCH, ignore_errors=True)
    os._exit(code)


main()
