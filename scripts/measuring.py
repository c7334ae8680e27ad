"""What the bench scripts share: building a release program, running it, and how it is reported.

Needs Python 3.9 and Linux or macOS (resource usage of a child by `os.wait4`). It draws no conclusions.
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent

# The recordings that `docs/benchmarks.md` reports on; other folders are given on the command line.
RECORDINGS = Path(os.environ.get("PALAESTRA_TEST_DATA", ROOT.parent / "shared" / "data" / "trajectories"))


class Usage(NamedTuple):
    """One process or block of work."""

    wall: float  # seconds
    cpu: float  # seconds, user and system
    peak: int  # bytes resident at most
    output: str


def build(*arguments):
    """Builds with the release profile and answers the folder of the programs."""
    subprocess.run(["cargo", "build", "--release", "--locked", "--quiet", *arguments], cwd=ROOT, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return target / "release"


def run(command, cwd=None):
    """Runs a program to its end; a failure ends the bench."""
    start = time.perf_counter()
    child = subprocess.Popen([str(part) for part in command], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output, errors = child.stdout.read(), child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"failed with {child.returncode}: {' '.join(map(str, command))}\n{errors.decode()}")
    # Linux counts in KiB, macOS in bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    return Usage(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit, output.decode())


def milliseconds(usages):
    """Best and median of wall and CPU time as table cells."""
    cells = []
    for values in ([u.wall for u in usages], [u.cpu for u in usages]):
        cells += [f"{min(values) * 1e3:.0f}", f"{statistics.median(values) * 1e3:.0f}"]
    return cells


def table(head, rows):
    """Prints rows as a Markdown table."""
    rows = [head, *rows]
    widths = [max(len(str(row[i])) for row in rows) for i in range(len(head))]
    line = lambda row: "| " + " | ".join(str(c).ljust(w) for c, w in zip(row, widths)) + " |"
    print(line(head))
    print("|" + "|".join("-" * (w + 2) for w in widths) + "|")
    for row in rows[1:]:
        print(line(row))
