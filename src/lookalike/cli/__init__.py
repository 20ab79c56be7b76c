"""The command `lookalike`: one thin function per subcommand.

Importing this package loads next to nothing, so that `main` handles signals from the first moment on.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from time import perf_counter

BEGUN = perf_counter()
"""When the command was started, as nearly as it can tell."""

try:
    import signal
except KeyboardInterrupt:  # this import takes longer than all before it
    os.write(2, b"lookalike: interrupted; nothing was written\n")
    os._exit(130)

received: list[int] = []
"""Signals received that ask the command to stop."""

written: list[str] = []
"""Permanent changes made so far. The last one is reported if the command ends early."""

doing: list[str] = []
"""Stages that the command has begun, of which the last may not have ended. Before the first, modules are imported."""

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
"""Signals that ask a command to stop. The last is that of a terminal that was closed."""


class Stopped(BaseException):
    """Raised when a signal asks to stop. Unlike KeyboardInterrupt, Typer lets it pass."""


def main() -> None:
    """Run the command line. An expected error is one sentence on standard error, and exit code 2."""
    handle_signals()
    atexit.register(gc.freeze)  # else Python looks through all objects before it lets go of them
    try:
        code = run()
        ignore_signals()
    except BaseException as error:
        ignore_signals()
        from lookalike.cli.failures import failure

        ended = failure(error)
        if ended is None:
            raise
        message, code = ended
        if message:
            print(f"lookalike: {one_line(message)}", file=sys.stderr)  # noqa: T201 - this is the command line
    sys.exit(code)


def run() -> str | int | None:
    """Run the command; return its exit code."""
    from lookalike.cli.streams import prepare_streams

    prepare_streams()
    from lookalike.cli.app import app

    try:
        app()
    except SystemExit as end:
        sys.stdout.flush()  # at exit, Python would report an error in its own words
        return end.code
    return 0


def handle_signals() -> None:
    """Have signals end the command in an orderly way, unless they are ignored, as with nohup."""
    for memory in (received, written, doing):
        memory.clear()
    for number in handled():
        signal.signal(number, stop)
    usual = sys.unraisablehook

    def stop_later(ignored: sys.UnraisableHookArgs) -> None:
        """Repeat a signal that arrived where Python ignores exceptions, as in a destructor."""
        if not issubclass(ignored.exc_type, Stopped):
            usual(ignored)
            return
        from threading import Timer

        Timer(0.02, os.kill, (os.getpid(), received[0])).start()

    sys.unraisablehook = stop_later


def ignore_signals() -> None:
    """Ignore signals from now on: the outcome is decided."""
    for number in handled():
        signal.signal(number, signal.SIG_IGN)


def handled() -> list[signal.Signals]:
    """Return the signals that ask a command to stop, as far as the system has them and they are not ignored."""
    numbers = [signal.Signals[name] for name in SIGNALS if hasattr(signal, name)]
    return [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]


def stop(number: int, _frame: object) -> None:
    """Handle a signal: end the command as soon as the interpreter can.

    Before there is any work to undo, modules are imported, whose code may not expect an exception: end at once.
    """
    received.append(number)
    if doing:
        raise Stopped
    try:
        os.write(2, f"lookalike: {interrupted()}\n".encode())
    finally:
        os._exit(128 + number)


def interrupted() -> str:
    """Return the message of a command that a signal has ended."""
    return f"interrupted; {(written or ['nothing was written'])[-1]}"


def one_line(message: str) -> str:
    """Return a message without line ends and control characters, whatever names it contains."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in message)
