"""Builds our own small world in AppWorld's own format, through the package's public calls.

Run as `build(folder)` where `folder/data` is to come. The same package and the same texts give the same
world on every machine. Every file that AppWorld marks with its own string carries a marker of ours.
"""

import hashlib
import json
import random
from datetime import datetime
from pathlib import Path

import world_people
import world_scenarios
from world_people import PEOPLE, email, password

MARKER = "palaestra-small-world"
NOW = datetime(2023, 5, 18, 12, 0, 0)
SETTLED = datetime(2022, 11, 3, 9, 30, 0)

EVALUATION = '''"""The checks of one task."""
import json


def evaluate(test, public_data, private_data, main_user, models, ground_truth_answer):
    with test("assert the task was completed with the right answer, or with none."):
        done = models.end.supervisor.Task.all()[0]
        test.case(done.status, "==", "success")
        test.answer(json.loads(done.answer), ground_truth_answer)
    with test("assert nothing has changed but what the task is about."):
        test.case(models.changed_model_names(), "==", set({changes}))
{checks}'''


def build(folder):
    """Writes `folder/data`. The environment variable APPWORLD_ROOT must name the folder already."""
    from appworld.apps.api_lib import set_local_date_and_time, unset_local_date_and_time

    data = Path(folder) / "data"
    data.mkdir(parents=True)
    (data / "version.txt").write_text("0.1.0\n")
    documents = write_documents(data)
    random.seed(100)
    for moment, step in ((SETTLED, lambda: write_base(data, documents)), (NOW, lambda: write_tasks(data))):
        clock = set_local_date_and_time(moment)
        step()
        unset_local_date_and_time(clock)
    write_splits(data)
    (data / "palaestra-world.txt").write_text(f"{MARKER} {digest()}\n")


def digest():
    """What the world is made of: the texts of these modules."""
    whole = hashlib.sha256()
    for module in (__file__, world_people.__file__, world_scenarios.__file__):
        whole.update(Path(module).read_bytes())
    return whole.hexdigest()


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1) + "\n")


def write_documents(data):
    """The documentation of all functions, taken from the installed apps."""
    from appworld.apps import get_all_apps
    from appworld.collections.api_docs import ApiDocCollection

    documents = ApiDocCollection.build(tuple(get_all_apps(skip_admin=True)), True)
    for app, functions in documents.items():
        marked = {name: {**text, "canary_string": MARKER} for name, text in functions.items()}
        write_json(data / "api_docs" / "standard" / f"{app}.json", marked)
    return documents


def collection(origin, target, create=False):
    from appworld.apps import get_all_apps
    from appworld.collections.models import ModelCollection

    apps = get_all_apps()
    return ModelCollection.load(to_db_home_path=target, from_db_home_path=origin, load_apps=apps, create_db=create)


def write_base(data, documents):
    from appworld.apps import get_all_apps

    models = collection(":memory:base", ":memory:base", create=True)
    for app, functions in documents.items():
        for name, text in functions.items():
            fields = ("path", "method", "description", "parameters", "response_schemas")
            models.api_docs.ApiDoc.create_save(app_name_=app, api_name=name, **{key: text[key] for key in fields})
    world_people.populate(models)
    models.save(str(data / "base_dbs"), format="full", app_names=get_all_apps())
    models.close()


def tasks():
    """All tasks: id, scenario, number of the person, values, answer, private values."""
    for scenario in world_scenarios.SCENARIOS:
        for number, (person, values, answer, *private) in enumerate(scenario.tasks, 1):
            yield f"{scenario.id}_{number}", scenario, person, values, answer, private[0] if private else {}


def write_tasks(data):
    for id, scenario, number, values, answer, private in tasks():
        person, folder = PEOPLE[number], data / "tasks" / id
        instruction = scenario.instruction.format(**values)
        write_specs(folder, person, instruction)
        write_state(data, folder, person, instruction)
        write_keys(folder / "ground_truth", scenario, values, answer, private)


def supervisor(person):
    return {"first_name": person[0], "last_name": person[1], "email": email(person), "phone_number": person[2]}


def write_specs(folder, person, instruction):
    specs = {"instruction": instruction, "supervisor": supervisor(person), "datetime": NOW.isoformat()}
    write_json(folder / "specs.json", {**specs, "db_version": "0.1.0", "canary_string": MARKER})


def write_state(data, folder, person, instruction):
    """The task's own statements on top of the base: whose task it is, and what it asks for."""
    from appworld.apps import get_all_apps

    models = collection(str(data / "base_dbs"), f":memory:task_input-{folder.name}")
    models.restart_db_tracker()
    apps = models.supervisor
    owner = apps.Supervisor.create_save(**supervisor(person), birthday=person[3])
    for account in world_people.ACCOUNTS:
        apps.AccountPassword.create_save(
            supervisor_id=owner.id, account_name=account, password=password(person, account)
        )
    apps.Task.create_save(supervisor_id=owner.id, instruction=instruction)
    models.save(str(folder / "dbs"), format="changes", app_names=get_all_apps(), save_model_hashes=True)
    models.close()


def write_keys(folder, scenario, values, answer, private):
    """What only the grader may see."""
    body = scenario.reference
    for name, value in values.items():
        body = body.replace("{%s!r}" % name, repr(value)).replace("{%s}" % name, str(value))
    solution = "def solution(apis):\n" + "".join(f"    {line}\n" if line else "\n" for line in body.splitlines())
    evaluation = EVALUATION.format(changes=sorted(scenario.changes), checks=scenario.checks)
    labels = [{"requirement": text, "label": label} for text, label in requirements(scenario)]
    metadata = {"mode": "minimal", "difficulty": scenario.difficulty, "num_apps": 1, "num_apis": 4,
                "num_api_calls": 5, "num_solution_code_lines": len(body.splitlines())}
    files = {"metadata": metadata, "public_data": values, "private_data": private, "answer": answer, "test_data": labels}
    for name, value in files.items():
        write_json(folder / f"{name}.json", value)
    (folder / "evaluation.py").write_text(evaluation)
    (folder / "compiled_solution.py").write_text(f"# {MARKER}\n{solution}")


def requirements(scenario):
    text = EVALUATION.format(changes=sorted(scenario.changes), checks=scenario.checks)
    for line in text.splitlines():
        if line.strip().startswith("with test("):
            requirement = line.split('"')[1]
            unchanged = "nothing has changed" in requirement and not scenario.changes
            yield requirement, "no_op_pass" if unchanged else "no_op_fail"


def write_splits(data):
    for split in ("train", "dev", "test_normal", "test_challenge"):
        ids = [id for id, scenario, *_ in tasks() if scenario.split == split]
        path = data / "datasets" / f"{split}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(ids) + "\n")
