"""The cache of compiled kernels, in place of Numba's own."""

from __future__ import annotations

import hashlib
import pickle
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import llvmlite
import numba
from numba.core import sigutils
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from lookalike.kernels.compiled.files import Files
from lookalike.kernels.compiled.folders import PACKAGE

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCES = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(PACKAGE.glob("*.py")))).hexdigest()
"""The digest of the sources of all kernels: what was compiled is valid for exactly these, whatever their dates.

Numba checks only the file that a kernel is in, and would keep code that was compiled with an outdated function of
another file.
"""


class Observer(Protocol):
    """Receives what is compiled, to show it."""

    def compiling(self, file: str) -> None:
        """Note that a kernel is about to be compiled, for this file."""

    def compiled(self, file: str) -> None:
        """Note that the kernel has been compiled."""

    def not_kept(self, why: str) -> None:
        """Note that a compiled kernel is lost when the process ends."""


class Warner:
    """An observer for programs: warns if kernels cannot be kept."""

    def compiling(self, file: str) -> None:
        """Do nothing."""

    def compiled(self, file: str) -> None:
        """Do nothing."""

    def not_kept(self, why: str) -> None:
        """Warn once."""
        warnings.warn(why, RuntimeWarning, stacklevel=2)


class Observed:
    """Who is notified, and what has been said already."""

    observer: Observer = Warner()
    told = False


@cache
def files() -> Files:
    """Return the files of compiled kernels."""
    return Files(SOURCES)


class KernelCache(NullCache):
    """The compiled versions of one kernel: loads them from files, and saves them."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.name = f"{Path(function.__code__.co_filename).stem}.{function.__qualname__}"

    def load_overload(self, signature: Any, target: Any) -> CompileResult | None:
        """Return the kernel compiled for a signature, or None if it has to be compiled now."""
        target.refresh()
        file = file_of(self.name, signature, target.codegen())
        found = load(file, target)
        if found is None:
            files().claim(file, lambda: files().has(file))
            found = load(file, target)  # another process may have compiled it meanwhile
        if found is None:
            Observed.observer.compiling(file)
        else:
            files().release(file)
        return found

    def save_overload(self, signature: Any, compiled: CompileResult) -> None:
        """Keep a kernel that has been compiled for a signature, if possible."""
        file = file_of(self.name, signature, compiled.codegen)
        kept = files().save(file, dumps(compiled._reduce()))  # noqa: SLF001 - Numba's cache does the same
        files().release(file)
        Observed.observer.compiled(file)
        if not kept and not Observed.told:
            Observed.told = True
            Observed.observer.not_kept(why_not_kept())


def file_of(kernel: str, signature: Any, codegen: Any) -> str:
    """Return the name of the file of a kernel for a signature on this machine, with this Python and this Numba."""
    arguments, _ = sigutils.normalize_signature(signature)
    versions = sys.implementation.cache_tag, numba.__version__, llvmlite.__version__
    key = repr((arguments, codegen.magic_tuple(), versions))
    return f"{kernel}-{hashlib.sha256(key.encode()).hexdigest()[:20]}.nbc"


def load(file: str, target: Any) -> CompileResult | None:
    """Return the kernel in a file, or None if it cannot be used: then it is compiled, and the file replaced."""
    content = files().load(file)
    if content is None:
        return None
    try:
        found: CompileResult = CompileResult._rebuild(target, *pickle.loads(content))  # noqa: S301, SLF001 - trusted
    except Exception:  # noqa: BLE001 - whatever an unusual build of Numba cannot use
        return None
    return found


def why_not_kept() -> str:
    """Return why compiled kernels cannot be kept, and what to do about it."""
    tried = f" ({'; '.join(files().trouble)})" if files().trouble else ""
    return (
        f"Compiled kernels cannot be kept, as there is no folder to write them to{tried}. They will be compiled again "
        "in each run. Set NUMBA_CACHE_DIR to a folder that you can write to, or run `lookalike warm-up` as a user who "
        "may write to the installation, when an image is built for example"
    )
