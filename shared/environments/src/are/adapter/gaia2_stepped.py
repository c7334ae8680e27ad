"""Meta Agents Research Environments (ARE) as a stepped environment: no thread, no sleep, no clock of its own.

Time moves only when this module is told to move it. Imported once, it also seeds what ARE leaves
unseeded. Those patches hold for the whole process, so one process runs one environment at a time.
"""

import random
import sys
import time
import types
import uuid
from datetime import datetime, timezone

import are.simulation.apps  # noqa: F401 (all applications have to be there before they are patched)
from are.simulation.environment import Environment, EnvironmentState
from are.simulation.time_manager import TimeManager

IDS = random.Random(0)
CLOCK = types.SimpleNamespace(now=0.0)


def seed_identifiers(seed):
    """Starts the ids of messages, orders and events anew."""
    IDS.seed(seed)


def _make_applications_deterministic():
    uuid.uuid4 = lambda: uuid.UUID(int=IDS.getrandbits(128), version=4)
    simulated = types.SimpleNamespace(time=lambda: CLOCK.now, sleep=time.sleep)
    for module in list(sys.modules.values()):
        name = getattr(module, "__name__", "")
        if name.startswith("are.simulation.apps.") and getattr(module, "time", None) is time:
            module.time = simulated


_make_applications_deterministic()


def stamp(seconds):
    """Simulated seconds as ARE writes them."""
    return datetime.fromtimestamp(seconds, tz=timezone.utc).strftime("%Y-%m-%d %H:%M:%S")


class ManualTime(TimeManager):
    """A clock that moves only when it is told to, and never backwards."""

    def __init__(self):
        self.passed = 0.0
        super().__init__()

    def time_passed(self):
        return self.passed

    def reset(self, start_time=None):
        self.start_time = start_time or 0.0
        self.passed = 0.0
        CLOCK.now = self.start_time

    def pause(self):
        self.is_paused = True

    def resume(self):
        self.is_paused = False

    def add_offset(self, offset):
        self.passed += max(0.0, offset)
        CLOCK.now = (self.start_time or 0.0) + self.passed

    def set_offset(self, offset):
        self.passed = offset


class SteppedEnvironment(Environment):
    """An environment whose events happen inside `advance`, `run_until` and a waiting call."""

    def __init__(self, config, notification_system):
        super().__init__(config, notification_system=notification_system)
        self.time_manager = ManualTime()
        self.time_manager.reset(self.start_time)
        self.current_time = self.time_manager.time()
        self.notification_system.initialize(self.time_manager)

    def start(self, debug=False):
        self.state = EnvironmentState.RUNNING
        self.prepare_events_for_start()
        self.tick()

    @property
    def running(self):
        return self.state == EnvironmentState.RUNNING

    def advance(self, seconds):
        """Lets so many seconds pass."""
        self.run_until(lambda: False, seconds)

    def run_until(self, done, seconds=None):
        """Goes from event to event until `done()`, until the time is up or the run has ended.

        One big step would let events happen that come after the one that ends the run.
        """
        clock = self.time_manager
        if seconds is None:
            seconds = self.duration - clock.time_passed() + 1.0
        target = clock.time() + seconds
        while self.running and not done():
            following = self.get_next_event_time()
            if following is None or following > target:
                clock.add_offset(target - clock.time())
                self.step()
                return
            clock.add_offset(following - clock.time())
            self.step()

    def step(self):
        """Handles what is due now, and ends the run when its time is over."""
        if self.running:
            self.tick()
        if self.running and self.time_manager.time_passed() > self.duration:
            self.stop()

    def _now(self):
        return datetime.fromtimestamp(self.time_manager.time(), tz=timezone.utc)

    def has_messages(self):
        return self.notification_system.message_queue.has_new_messages(self._now())

    def take_messages(self):
        """The messages that have come: those of the user and of the environment, in order."""
        return self.notification_system.message_queue.get_by_timestamp(self._now())

    def let_go(self):
        """Cuts what ties an environment to the next one: tools rest on the functions of their classes."""
        self.stop()
        for app in self.apps.values():
            for registry in app._tool_registries.values():
                for tool in registry or []:
                    tool.class_instance = None
            app.add_event_callbacks.clear()
