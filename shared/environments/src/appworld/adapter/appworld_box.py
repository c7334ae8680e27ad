"""What a forked child may take and reach: the kernel's Landlock rules and resource limits.

Landlock needs no rights of its own and cannot be undone by the process that it holds. Where the kernel
lacks it, only the limits hold, and whoever may read this machine's files may read the answer keys.
"""

import ctypes
import os
import resource
import signal
import sys
from pathlib import Path

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
PATH_BENEATH = 1
SET_DEATH_SIGNAL, SET_NO_NEW_PRIVILEGES = 1, 38

READ = 0b1101  # execute, read a file, list a folder
FILE = 0b1 | 0b10 | 0b100  # the rights that a rule on a single file may name
RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}  # of which version, how many rights on files there are
NEWEST = 15
DEVICE = 1 << 15  # control of devices: since version 5
NETWORK = 0b11  # TCP in both directions: since version 4
SCOPES = 0b11  # abstract sockets and signals to processes outside: since version 6

MOST_MEMORY = 6 << 30
MOST_FILE = 1 << 30

LIBRARY = ctypes.CDLL(None, use_errno=True)


class Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64)]


class Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("rights", ctypes.c_uint64), ("folder", ctypes.c_int32)]


def version():
    """The version of Landlock that this kernel offers; 0 for none."""
    return max(LIBRARY.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1)), 0)


def system_folders():
    """What an interpreter reads, whatever it runs."""
    names = ["/usr", "/lib", "/lib64", "/bin", "/etc", "/dev/null", "/dev/urandom", "/dev/zero"]
    return [*names, sys.prefix, sys.base_prefix, sys.exec_prefix]


def limit():
    """Resource limits, and an end together with the parent."""
    LIBRARY.prctl(SET_DEATH_SIGNAL, signal.SIGKILL)
    for kind, most in ((resource.RLIMIT_AS, MOST_MEMORY), (resource.RLIMIT_FSIZE, MOST_FILE), (resource.RLIMIT_CORE, 0)):
        soft, hard = resource.getrlimit(kind)
        bounds = [most, *(bound for bound in (soft, hard) if bound != resource.RLIM_INFINITY)]
        resource.setrlimit(kind, (min(bounds), min(bounds)))


def close(readable, writable):
    """Closes every way to files but these. Returns whether the kernel does so."""
    found = version()
    if found == 0:
        return False
    every = (1 << RIGHTS.get(found, NEWEST)) - 1 | (DEVICE if found >= 5 else 0)
    rules = Ruleset(every, NETWORK if found >= 4 else 0, SCOPES if found >= 6 else 0)
    size = 8 * (3 if found >= 6 else 2 if found >= 4 else 1)
    ruleset = checked(LIBRARY.syscall(CREATE_RULESET, ctypes.byref(rules), ctypes.c_size_t(size), ctypes.c_uint32(0)))
    for path in [*system_folders(), *readable]:
        allow(ruleset, path, READ)
    for path in writable:
        allow(ruleset, path, every)
    checked(LIBRARY.prctl(SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    checked(LIBRARY.syscall(RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0)))
    os.close(ruleset)
    return True


def allow(ruleset, path, rights):
    path = Path(path)
    if not path.exists():
        return
    folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
    rule = Beneath(rights if path.is_dir() else rights & FILE, folder)
    arguments = (ctypes.c_int(ruleset), ctypes.c_int(PATH_BENEATH), ctypes.byref(rule), ctypes.c_uint32(0))
    checked(LIBRARY.syscall(ADD_RULE, *arguments))
    os.close(folder)


def checked(result):
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result
