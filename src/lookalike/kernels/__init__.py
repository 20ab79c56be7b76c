"""Inner loops, compiled by Numba: arrays in, arrays out; no files, no classes.

Every kernel releases the interpreter lock and is kept on disk after its first compilation (`compiled/`). Other modules
prepare the arrays, call one kernel, and wrap its results. A kernel is compiled for each combination of types that it is
called with: so arrays are contiguous, and those that are only read are read-only.
"""

from __future__ import annotations
