"""Failures: what an exception that ended a command is called, and the exit code."""

from __future__ import annotations

import errno
import sys
from typing import TYPE_CHECKING

from lookalike.cli import doing, interrupted, received, written
from lookalike.cli.streams import ReaderGone, StandardOutputError, discard_output
from lookalike.errors import LookalikeError

if TYPE_CHECKING:
    from collections.abc import Iterator

READER_GONE = 141
"""Exit code of a command whose output nobody reads, as shells have it for SIGPIPE."""

NO_MEMORY = ("cannot allocate memory", "out of memory", "failed to map segment")
"""Words of an error about memory that has no type of its own, as that of a library that cannot be loaded."""

ADVICE = {
    errno.ENOSPC: "the disk is full: free some space, or choose another folder",
    errno.EDQUOT: "your quota of the disk is used up: free some space, or choose another folder",
    errno.EMFILE: "raise the limit of open files (ulimit -n)",
    errno.ENFILE: "the system has too many open files: try again later",
    errno.EROFS: "choose a folder that can be written",
    errno.EIO: "the disk or the network has a fault: see the log of the system",
}
"""What to do about an error of the system."""

DEEDS = {
    "start": "starting", "open": "opening the input", "read": "reading", "sign": "signing items", "scan": "sampling",
    "filter": "preparing the search", "compare": "comparing items", "band": "comparing items",
    "verify": "comparing items", "expand": "listing pairs", "cluster": "clustering", "nearest": "searching",
    "measure": "measuring the recall", "examples": "collecting examples", "write": "writing",
    "report": "writing the report",
    "add": "adding items", "query": "searching", "compact": "compacting the index", "export": "exporting items",
}  # fmt: skip
"""What a command does in each stage."""


def failure(error: BaseException) -> tuple[str, int] | None:
    """Return the message and the exit code for an exception, or None for one that nobody expects."""
    if isinstance(error, LookalikeError) and not received and not lacks_memory(error):
        return in_flags(str(error)), 2
    discard_output()  # the rest of it, which is incomplete or has no reader
    if received:  # whatever the signal has become on its way: an ImportError, if it arrived in a C module
        return interrupted(), 128 + received[0]
    if isinstance(error, (ReaderGone, BrokenPipeError)):
        return "", READER_GONE
    if isinstance(error, StandardOutputError):
        message = f"standard output cannot be written: {error.strerror}; check where it goes"
    elif lacks_memory(error):
        message = f"out of memory{while_doing()}; use fewer --threads, or allow more memory{limit_of_memory()}"
    elif isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        message = f"no thread could be started{while_doing()}; use fewer --threads, or raise the limits (ulimit -u, -v)"
    elif isinstance(error, OSError):
        message = system_error(error)
    else:
        return None
    return "; ".join([message, *written[-1:]]), 2


def lacks_memory(error: BaseException) -> bool:
    """Return whether memory was refused, by the error itself or by one it was raised for."""
    return any(
        isinstance(one, MemoryError)
        or (isinstance(one, OSError) and one.errno == errno.ENOMEM)
        or (not isinstance(one, LookalikeError) and any(words in str(one).lower() for words in NO_MEMORY))
        for one in chain(error)
    )


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception and those that led to it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def system_error(error: OSError) -> str:
    """Return the message for an error of the system: what failed, why, and what to do."""
    why = error.strerror or str(error) or type(error).__name__
    if error.filename is None:
        return f"the system reports an error{while_doing()}: {why}; {ADVICE.get(error.errno or 0, 'try again')}"
    usual = "check that it exists and that you have permission"
    return f"{error.filename} cannot be used: {why}; {ADVICE.get(error.errno or 0, usual)}"


def while_doing() -> str:
    """Return what the command was doing, as the end of a clause."""
    return f" while {DEEDS.get(doing[-1], 'working')}" if doing else ""


def limit_of_memory() -> str:
    """Return the limit on this process's memory in brackets, if there is one."""
    try:
        import resource
    except ImportError:
        return ""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return "" if limit == resource.RLIM_INFINITY else f" (the limit, ulimit -v, is {limit / 1e6:,.0f} MB)"


def in_flags(message: str) -> str:
    """Return a message with the options of the current command named by their flags."""
    from typer.main import get_command

    from lookalike.cli.app import app
    from lookalike.cli.flags import command_of, flags_of, with_flags

    return with_flags(message, flags_of(command_of(get_command(app), sys.argv[1:])))
