"""Inner loops, compiled by Numba: arrays in, arrays out; no files, no classes.

Every kernel releases the interpreter lock and is cached on disk after its first compilation. Other modules prepare the
arrays, call one kernel, and wrap its results.
"""

from __future__ import annotations
