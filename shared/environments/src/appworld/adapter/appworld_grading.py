"""Sealing and grading: outside of the episode, with the full data, by the benchmark's own evaluator."""

import shutil
from pathlib import Path

APPS = (
    "admin", "amazon", "api_docs", "file_system", "gmail", "phone", "simple_note", "splitwise", "spotify",
    "supervisor", "todoist", "venmo",
)
FILES = (*(f"{app}.jsonl" for app in APPS), "model_hashes.json")


def missing(folder):
    """What an output lacks: the benchmark's evaluator takes an absent database for an unchanged one."""
    return [name for name in FILES if not (Path(folder) / name).is_file()]


def seal(output, sealed):
    """Copies an output out of the episode's reach and returns what it lacks."""
    shutil.rmtree(sealed, ignore_errors=True)
    Path(sealed).mkdir(parents=True)
    for name in FILES:
        if (Path(output) / name).is_file() and not (Path(output) / name).is_symlink():
            shutil.copyfile(Path(output) / name, Path(sealed) / name)
    return missing(sealed)


def grade(task, experiment):
    """The official report on a sealed output. APPWORLD_ROOT holds the full data and the output."""
    from appworld.evaluator import evaluate_task

    report = evaluate_task(task, experiment_name=experiment, save_report=False).to_dict()
    failures = [" ".join(failure["requirement"].split()) for failure in report["failures"]]
    return {"passed": report["success"], "tests": report["num_tests"], "failures": failures}


def verdict(report, teaching):
    """The contract's verdict. Outside of train and dev nobody is told which requirement failed."""
    if report["passed"]:
        return {"passed": True, "reward": 1.0, "feedback": []}
    count = f"{len(report['failures'])} of {report['tests']} requirements not met"
    named = [f"not met: {text}" for text in report["failures"]] if teaching else []
    return {"passed": False, "reward": 0.0, "feedback": [count, *named]}
