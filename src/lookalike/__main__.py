"""``python -m lookalike`` is the command ``lookalike``."""

from __future__ import annotations

from lookalike.cli import main

if __name__ == "__main__":
    main()
