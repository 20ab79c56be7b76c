"""The command `lookalike`: one thin function per subcommand."""

from __future__ import annotations

import io
import os
import signal
import sys

received: list[int] = []
"""Signals received that ask the command to stop."""

written: list[str] = []
"""Permanent changes made so far. The last one is reported if the command ends early."""


class Stopped(BaseException):
    """Raised when a signal asks to stop. Unlike KeyboardInterrupt, Typer lets it pass."""


def main() -> None:
    """Run the command line. An expected error is one sentence on standard error, and exit code 2."""
    from lookalike.cli.app import app
    from lookalike.errors import LookalikeError

    use_unicode()
    written.clear()
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, stop)
    try:
        app()
    except LookalikeError as error:
        fail(in_flags(str(error)), 2)
    except (Stopped, ImportError):  # the latter if the signal arrived during the import of a C module
        if not received:
            raise
        discard_output()  # its reader may be gone
        fail(f"interrupted; {(written or ['nothing was written'])[-1]}", 128 + received[0])
    except MemoryError:
        fail("out of memory; use fewer --threads", 2)
    except BrokenPipeError:
        discard_output()
        sys.exit(141)
    except OSError as error:
        discard_output()
        fail("; ".join([system_error(error), *written[-1:]]), 2)


def use_unicode() -> None:
    """Make output independent of the locale: UTF-8 in pipes, escapes for what a terminal cannot show."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() or stream is sys.stderr else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def stop(number: int, _frame: object) -> None:
    """Handle a signal: end the command as soon as the interpreter can."""
    received.append(number)
    raise Stopped


def discard_output() -> None:
    """Send the rest of standard output to nowhere, which Python would otherwise flush at exit."""
    if sys.stdout is not None:  # it may have been closed before
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def system_error(error: OSError) -> str:
    """Return the message for an error of the system. Only those of files have a file name."""
    why = error.strerror or error
    if error.filename:
        return f"{error.filename} cannot be used: {why}; check that it exists and that you have permission"
    return f"standard output cannot be written: {why}; check where it goes"


def in_flags(message: str) -> str:
    """Return a message with the options of the current command named by their flags."""
    from typer.main import get_command

    from lookalike.cli.app import app
    from lookalike.cli.flags import command_of, flags_of, with_flags

    return with_flags(message, flags_of(command_of(get_command(app), sys.argv[1:])))


def fail(message: str, code: int) -> None:
    """Print a message to standard error, as one line whatever names it contains, and exit."""
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in message)
    print(f"lookalike: {line}", file=sys.stderr)  # noqa: T201 - this is the command line
    sys.exit(code)
