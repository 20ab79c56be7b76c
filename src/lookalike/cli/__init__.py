"""The command `lookalike`: a thin function for each subcommand."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; what goes wrong on purpose is one sentence and exit code 2."""
    from lookalike.cli.app import app
    from lookalike.errors import LookalikeError

    try:
        app()
    except LookalikeError as error:
        fail(str(error), 2)
    except KeyboardInterrupt:
        fail("interrupted; nothing was written", 130)
    except MemoryError:
        fail("not enough memory; fewer --threads need less", 2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)


def fail(message: str, code: int) -> None:
    """Say why on standard error, and leave."""
    print(f"lookalike: {message}", file=sys.stderr)  # noqa: T201 - this is the command line
    sys.exit(code)
