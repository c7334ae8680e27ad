"""ARE's own judge with our questions, and remarks about what an attempt missed.

The judge's prompts go to the client. ARE's engine for them is never used: it rewrites the verdict
words that the judge looks for, so that some checks can never pass.
"""

import functools

import are.simulation.validation.tool_judge as tool_judge
from are.simulation.types import EventType
from are.simulation.validation.configs import GraphPerEventJudgeConfig
from are.simulation.validation.utils.event_utils import resolve_arg_placeholders
from palaestra_wire import Refusal

VERDICTS = (("[[Success]]", "[[Failure]]"), ("[[True]]", "[[False]]"))
SAY = "send_message_to_user"


class Questions:
    """Asks the client, and remembers its answers for the rest of an attempt.

    A step whose question got no answer is undone by playing the attempt again, which must not ask
    the same things again.
    """

    def __init__(self, server):
        self.server = server
        self.answers = {}

    def forget(self):
        self.answers = {}

    def __call__(self, messages, **_):
        plain = [{"role": message["role"], "content": str(message["content"])} for message in messages]
        key = tuple((message["role"], message["content"]) for message in plain)
        if key not in self.answers:
            self.answers[key] = self.server.ask("judge", plain, functools.partial(complaint, plain))
        return self.answers[key], {}

    # The judge's parts are cached by their engine, so this one stands for itself.
    __hash__ = object.__hash__


def complaint(messages, reply):
    """What is wrong with a reply: without a verdict word, the judge would take it for a refusal."""
    if not reply.strip():
        return "Answer in words."
    asked = "\n".join(message["content"] for message in messages if message["role"] == "system")
    words = [word for pair in VERDICTS if all(word in asked for word in pair) for word in pair]
    if words and not any(word in reply for word in words):
        return f"End your answer with one of {', '.join(words)}, written exactly so."
    return None


def share_checkers():
    """Makes the judge build each of its checkers once: they depend on nothing but the engine."""
    extractor = tool_judge.build_subtask_extractor
    tool_judge.build_llm_checkers = functools.lru_cache(maxsize=None)(tool_judge.build_llm_checkers)
    by_kind = functools.lru_cache(maxsize=None)(lambda engine, kind: extractor(engine=engine, tool_name=kind))

    def shared(engine, tool_name):
        if "add_calendar_event" in tool_name:
            return by_kind(engine, "add_calendar_event")
        whole = tool_name == f"AgentUserInterface__{SAY}"
        return by_kind(engine, tool_name if whole else "other")

    tool_judge.build_subtask_extractor = shared


share_checkers()


def config(questions):
    return GraphPerEventJudgeConfig(engine=questions)


def verdict(scenario, environment):
    """The official verdict. An exception inside the judge is a failure of ours, not the agent's."""
    result = scenario.validate(environment)
    if result.exception is not None:
        raise result.exception
    if result.success is None:
        raise Refusal("failed", f"scenario {scenario.scenario_id} has no oracle events to judge by")
    return bool(result.success)


class Diagnosis:
    """A second look at a failed attempt, without a model: the official verdict names one fault at most.

    The remarks name functions and arguments, never values or ids of the reference.
    """

    def __init__(self, scenario, environment):
        self.state = scenario.judge.state
        self.judge = scenario.judge.event_judges[EventType.AGENT]
        log = [e for e in environment.event_log.list_view() if scenario.judge.event_filter(e)]
        self.log = sorted(log, key=lambda event: event.event_time)
        self.times = {e.event_id: e.event_time for e in self.log if e.event_type != EventType.AGENT}
        # Reference event to the index of the agent's event that stands for it.
        self.matches = {}

    def remarks(self):
        found = []
        turns = self._turns()
        last = self.state.turn_idx + (1 if self.state.last_turn_success else 0)
        for turn, expected in enumerate(self.state.turn_to_oracle_events):
            if turn > last:
                found.append(f"turn {turn + 1} not reached")
                break
            found += self._turn(turn, expected, turns[turn])
        return list(dict.fromkeys(found)) or ["the words of a write or of the answer were not accepted"]

    def _turns(self):
        """The indices of the agent's writes, by turn. Words to the user end a turn."""
        turns = [[]]
        for index, event in enumerate(self.log):
            if event.event_type != EventType.AGENT:
                continue
            turns[-1].append(index)
            if event.function_name() == SAY:
                turns.append([])
        return turns

    def _turn(self, turn, expected, indices):
        found, free = [], list(indices)
        for oracle in expected:
            if oracle.event_type == EventType.AGENT:
                found += self._event(turn, oracle, free)
        spare = [self.log[index] for index in free]
        found += [f"unwanted write: {name(event)}" for event in spare if event.function_name() != SAY]
        return found

    def _event(self, turn, oracle, free):
        called = name(oracle)
        same = [index for index in free if name(self.log[index]) == called]
        if not same:
            return [f"missing: {called}"]
        oracle = resolve_arg_placeholders(
            event=oracle, event_id_to_target_event_idx=self.matches, target_events=self.log
        )
        faults = {index: self._faults(oracle, self.log[index]) for index in same}
        best = min(same, key=lambda index: len(faults[index]))
        free.remove(best)
        self.matches[oracle.event_id] = best
        if faults[best]:
            return [f"wrong argument: {called} {argument}" for argument in faults[best]]
        return [f"{called} {fault}" for fault in self._place(turn, oracle, best)]

    def _faults(self, oracle, event):
        """The arguments that differ, as far as no model is needed to say so."""
        judge = self.judge.tool_judges[oracle.tool_name].hard_judge
        wanted, got, wrong = oracle.get_args(), event.get_args(), []
        for argument, check in judge.config.arg_to_checker_type.items():
            if not check.is_hard():
                continue
            try:
                equal = judge.checkers[check.value](x_agent=got.get(argument), x_oracle=wanted.get(argument))
            except Exception:
                equal = False
            if not equal:
                wrong.append(argument)
        return wrong

    def _place(self, turn, oracle, index):
        """Whether a write came after what it depends on, and in its time."""
        parents = self.state.turn_to_oracle_graph[turn].get(oracle.event_id, [])
        if any(self.matches.get(parent, -1) >= index for parent in parents):
            return ["before what it depends on"]
        times = {e.event_id: e.event_time for e in self.state.turn_to_oracle_events[turn]}
        pairs = [(self.state.scenario_start_time, self.state.scenario_start_time)]
        pairs += [(times[parent], self._time(parent)) for parent in parents if parent in times]
        if any(ours is None for _, ours in pairs):
            return []
        latest = max(reference for reference, _ in pairs)
        ours = max(time for reference, time in pairs if reference >= latest)
        event = self.log[index]
        if self.judge.check_time(event, oracle, latest, ours):
            return []
        early = event.event_time - ours < oracle.event_time - latest
        return ["too early" if early else "too late"]

    def _time(self, parent):
        if parent in self.matches:
            return self.log[self.matches[parent]].event_time
        return self.times.get(parent)


def name(event):
    """`App.function`, as the agent knows it."""
    if event.function_name() == SAY:
        return "the answer to the user"
    return f"{event.action.app.name}.{event.function_name()}"
