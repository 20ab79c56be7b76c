"""Compiled kernels: where they are kept, which there are, and how they are compiled ahead.

Numba has a cache of its own, but it ends a program that finds no folder to write to or a damaged file in its cache, and
does not read a folder that it cannot write to, as those of container images are.
"""

from __future__ import annotations
