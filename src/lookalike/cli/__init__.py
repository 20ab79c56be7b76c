"""The command `lookalike`: a thin function for each subcommand."""

from __future__ import annotations

import io
import os
import signal
import sys

received: list[int] = []
"""Signals that asked to stop."""

written: list[str] = []
"""What was changed for good, if anything was: the last one is told should the command end early."""


class Stopped(BaseException):
    """A signal asks to stop. Typer takes a KeyboardInterrupt for its own; this one passes and cleans up on its way."""


def main() -> None:
    """Run the command line; what goes wrong on purpose is one sentence and exit code 2."""
    from lookalike.cli.app import app
    from lookalike.errors import LookalikeError

    speak_unicode()
    written.clear()
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, stop)
    try:
        app()
    except LookalikeError as error:
        fail(str(error), 2)
    except (Stopped, ImportError):  # the latter when it came while a module in C was imported
        if not received:
            raise
        discard_output()  # nobody may be reading it
        fail(f"interrupted; {(written or ['nothing was written'])[-1]}", 128 + received[0])
    except MemoryError:
        fail("not enough memory; fewer --threads need less", 2)
    except BrokenPipeError:
        discard_output()
        sys.exit(141)
    except OSError as error:  # of standard output: those of files have a name
        discard_output()
        why = error.strerror or error
        said = f"standard output cannot be written: {why}; check where it goes"
        if error.filename:
            said = f"{error.filename} cannot be used: {why}; check that it is there, and who may use it"
        fail("; ".join([said, *written[-1:]]), 2)


def speak_unicode() -> None:
    """Let no locale stand in the way: what is piped is UTF-8, and a terminal gets signs for what it cannot show."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() or stream is sys.stderr else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def stop(number: int, _frame: object) -> None:
    """Leave, as soon as the interpreter can."""
    received.append(number)
    raise Stopped


def discard_output() -> None:
    """Let Python flush what is left of standard output to nowhere when it ends."""
    if sys.stdout is not None:  # it may have been closed before
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def fail(message: str, code: int) -> None:
    """Say why on standard error, in one line whatever names it holds, and leave."""
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in message)
    print(f"lookalike: {line}", file=sys.stderr)  # noqa: T201 - this is the command line
    sys.exit(code)
