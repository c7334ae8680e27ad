"""One attempt at one scenario: what the agent does and says, what comes back, how time passes."""

import hashlib
import json
import os

from are.simulation.apps.agent_user_interface import AgentUserInterface
from are.simulation.data_handler.importer import JsonScenarioImporter
from are.simulation.environment import EnvironmentConfig
from are.simulation.notification_system import MessageType, VerboseNotificationSystem
from are.simulation.scenarios.scenario_imported_from_json.utils import preprocess_scenario
from palaestra_wire import Refusal

import gaia2_judge
from gaia2_stepped import SteppedEnvironment, seed_identifiers, stamp

# The benchmark's own limits, in simulated seconds.
DURATION = 1800
TIME_DURATION = 420

# The runtime of the Time ability: how long a tick lets an idle agent rest, and how many there are.
TICK = 60
MOST_TICKS = 5

USER_INTERFACE = "AgentUserInterface"


def load(text):
    scenario, _, _ = JsonScenarioImporter().import_from_json_to_benchmark(text, load_completed_events=False)
    return scenario


def functions(scenario):
    """The callable functions under our names. What speaks to the user is `say`, not a function."""
    return {
        f"{tool.app_name}.{tool.func_name}": tool
        for tool in scenario.get_tools()
        if tool.app_name != USER_INTERFACE
    }


class Episode:
    """A scenario that has been started, up to the user's first words."""

    def __init__(self, row, seed, charge, temporal, questions):
        self.charge = charge
        self.temporal = temporal and row.capability == "time"
        self.ended = False
        self.turns = self.ticks = 0
        self.news = []
        seed_identifiers(seed)
        self.scenario = load(row.read())
        need_files(self.scenario)
        duration = TIME_DURATION if row.capability == "time" else DURATION
        preprocess_scenario(self.scenario, gaia2_judge.config(questions), max_scenario_duration=duration)
        if getattr(self.scenario, "judge", None) is None:
            raise Refusal("failed", f"{row.id} has no oracle events: nothing could judge an attempt at it")
        self.environment = self._start()
        self.functions = functions(self.scenario)
        self.instruction = self._first_words()

    def _start(self):
        scenario = self.scenario
        config = EnvironmentConfig(
            start_time=scenario.start_time or 0,
            duration=scenario.duration,
            verbose=False,
            time_increment_in_seconds=scenario.time_increment_in_seconds,
        )
        environment = SteppedEnvironment(config, VerboseNotificationSystem())
        for app in scenario.apps:
            if isinstance(app, AgentUserInterface):
                app.wait_for_user_response = False
                self.speak = app.send_message_to_user
        environment.run(scenario, wait_for_end=False)
        return environment

    def _first_words(self):
        words = ""
        while self.environment.running and not words:
            self.environment.run_until(self.environment.has_messages)
            words = self._hear()
        return words

    @property
    def over(self):
        return self.ended or not self.environment.running

    def act(self, function, arguments):
        """A call: `(content, error)`. It takes its time whether it succeeds or not."""
        self.environment.advance(self.charge)
        content, error = self._call(function, arguments)
        self.environment.step()
        self._tell(self._hear())
        if self.temporal:
            content = f"{content}\n[simulated time: {self._clock()}]"
        return content, error

    def _call(self, function, arguments):
        if self.over:
            return "the time of this task is over: nothing was done", True
        tool = self.functions.get(function)
        if tool is None:
            return f"there is no function {function} here", True
        try:
            return str(tool(**arguments)), False
        except Refusal:
            raise
        except Exception as error:
            return f"{type(error).__name__}: {error}", True

    def say(self, text):
        """Words to the user, which end the turn. Returns the user's next words, if they come next."""
        if self.temporal and not text.strip():
            return self._rest()
        environment = self.environment
        environment.advance(self.charge)
        if self.over:
            return ""
        self.speak(content=text)
        environment.step()
        self.turns += 1
        if self.turns >= self.scenario.nb_turns:
            self.ended = True
            return ""
        judge = self.scenario.judge.state
        environment.run_until(lambda: judge.turn_idx + 1 >= self.turns)
        environment.run_until(environment.has_messages)
        return self._hear()

    def _rest(self):
        """A tick: time passes until something comes, or for a while. It knows nothing of the task.

        An agent that falls silent has not told the user anything, and may have something left to do.
        """
        if self.ticks >= MOST_TICKS:
            self.ended = True
            return ""
        self.ticks += 1
        self.environment.run_until(self.environment.has_messages, TICK)
        before = len(self.news)
        words = self._hear()
        if self.environment.running and not words and len(self.news) == before:
            self.news.append(f"[{self._clock()}] Tick: {TICK} seconds have passed.")
        return words

    def _hear(self):
        """Takes what has come: the user's words are returned, everything else is news."""
        said = []
        for message in self.environment.take_messages():
            if message.message_type == MessageType.USER_MESSAGE:
                said.append(words_of(message.message))
            elif message.message_type == MessageType.ENVIRONMENT_NOTIFICATION:
                self.news.append(f"[{stamp(message.timestamp.timestamp())}] {message.message}")
        return "\n\n".join(said)

    def _tell(self, words):
        if words:
            self.news.append(f"[{self._clock()}] The user says: {words}")

    def _clock(self):
        return stamp(self.environment.time_manager.time())

    def state_hash(self):
        return hashlib.sha256(self.environment.apps_state_json().encode()).hexdigest()

    def verify(self):
        passed = gaia2_judge.verdict(self.scenario, self.environment)
        remarks = [] if passed else gaia2_judge.Diagnosis(self.scenario, self.environment).remarks()
        return {"passed": passed, "reward": float(passed), "feedback": remarks}

    def close(self):
        self.environment.let_go()


def words_of(message):
    """The user's own words in ARE's text of a message."""
    words = message.split("\nMessage: ", 1)[-1]
    return words.rsplit("\nAlready read: ", 1)[0]


def need_files(scenario):
    """A scenario with files reads their contents from a folder; without one, ARE would give empty ones."""
    states = (json.dumps(app.app_state) for app in scenario.serialized_apps)
    if any('"type": "file"' in state for state in states) and not os.path.isdir(os.environ["DEMO_FS_PATH"]):
        raise Refusal("failed", "this scenario has files: name the folder that holds their contents")
