"""An environment for each tool, under `benchmarks/.venvs`: made once from what its adapter says it needs, never ours.

An adapter says so in a comment block in the form of PEP 723. lookalike gets an environment too, with this source tree:
where the benchmark runs there are packages that a user may not have.
"""

from __future__ import annotations

import ast
import json
import platform
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ENVIRONMENTS = HERE / ".venvs"
PEERS = HERE / "peers"
OURS = "lookalike"
FOR_THE_JOB = ["numpy", "pyarrow"]
BLOCK = re.compile(r"^# /// script$\s(?P<content>(^#(| .*)$\s)+)^# ///$", re.MULTILINE)


class InstallError(RuntimeError):
    """A tool cannot be installed; the message is what pip said."""


@dataclass(frozen=True)
class Tool:
    """A tool of the comparison, by its adapter: a file named run_TOOL.py."""

    adapter: Path
    environments: Path = ENVIRONMENTS

    @property
    def name(self) -> str:
        """The tool's name: of run_text_dedup.py it is text-dedup."""
        return self.adapter.stem.removeprefix("run_").replace("_", "-")

    @property
    def needs(self) -> list[str]:
        """What the adapter says it needs."""
        block = BLOCK.search(self.adapter.read_text(encoding="utf-8"))
        if block is None:
            raise InstallError(f"{self.adapter.name} has no block that says what to install (PEP 723)")
        lines = (line.removeprefix("#").removeprefix(" ") for line in block["content"].splitlines())
        return list(tomllib.loads("\n".join(lines)).get("dependencies", []))

    @property
    def ours(self) -> bool:
        """Whether it is lookalike, in one of its ways."""
        return OURS in self.needs

    @property
    def package(self) -> str:
        """The package whose version is reported."""
        return str(self.constant("PACKAGE"))

    def constant(self, name: str) -> Any:  # noqa: ANN401 - any literal
        """Return the value of a name that the adapter sets, without importing it."""
        for statement in ast.parse(self.adapter.read_text(encoding="utf-8")).body:
            if isinstance(statement, ast.Assign) and any(ast.unparse(target) == name for target in statement.targets):
                return ast.literal_eval(statement.value)
        raise InstallError(f"{self.adapter.name} does not set {name}")

    @property
    def folder(self) -> Path:
        """Where its environment is."""
        return self.environments / (OURS if self.ours else self.name)

    def python(self) -> Path:
        """Return its interpreter; install the tool first unless that was done."""
        python = self.folder / "bin" / "python"
        stamp = self.folder / "installed.json"
        wanted = json.dumps({"python": platform.python_version(), "needs": self.needs})
        if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
            return python
        shutil.rmtree(self.folder, ignore_errors=True)
        run([sys.executable, "-m", "venv", str(self.folder)])
        quiet = ["--quiet", "--disable-pip-version-check", "--no-input"]
        needs = ["--editable", str(HERE.parent)] if self.ours else self.needs
        run([str(python), "-m", "pip", "install", *quiet, *FOR_THE_JOB, *needs])
        stamp.write_text(wanted, encoding="utf-8")
        return python

    def version(self) -> str:
        """Return the version installed, or "" before that."""
        places = [str(place) for place in self.folder.glob("lib/python*/site-packages")]
        return next((found.version for found in distributions(name=self.package, path=places)), "")


def run(command: list[str]) -> None:
    """Run a command; if it fails, say why in its own words."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode:
        said = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        errors = [line for line in said if line.startswith("ERROR")] or said or [f"exit code {done.returncode}"]
        raise InstallError(errors[-1].strip())


def tools(folder: Path = PEERS) -> list[Tool]:
    """Return all tools; ours comes first, so that others can be compared with it as they come."""
    every = [Tool(path) for path in sorted(folder.glob("run_*.py"))]
    return sorted(every, key=lambda tool: (not tool.name.startswith(OURS), tool.name))
