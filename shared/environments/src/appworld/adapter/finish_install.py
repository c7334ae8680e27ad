"""Finishes an installation: unpacks the apps that the package carries, and builds our own small world.

Run once, in the installation's folder, by the interpreter of its virtual environment.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent
FIXED = {"PYTHONHASHSEED": "0", "PYTHON_DOTENV_DISABLED": "1"}


def unpack(scratch):
    """What `appworld install` does, offline, but for its unit tests, which are of no use here."""
    os.environ["APPWORLD_CACHE"] = str(scratch / "cache")
    from appworld.install import install_package

    install_package()


def main():
    if any(os.environ.get(name) != value for name, value in FIXED.items()):
        # The same world on every machine, and nobody's file of keys.
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **FIXED})
    # Built elsewhere: the package takes a path with the word memory in it for no path at all.
    with tempfile.TemporaryDirectory(prefix="palaestra-world-") as name:
        scratch = Path(name)
        os.environ["APPWORLD_ROOT"] = name
        os.environ["HOME"] = name
        unpack(scratch)
        from world_build import build

        build(scratch)
        (FOLDER / "world").mkdir()
        shutil.move(scratch / "data", FOLDER / "world" / "data")


main()
