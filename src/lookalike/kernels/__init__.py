"""The inner loops: arrays in, arrays out; no files, no classes.

Every kernel releases the interpreter lock and is cached on disk after its first compilation. The stage modules
(`shingle`, `sign`, `band`, `verify`, `cluster`) prepare the arrays, call one kernel, and wrap what comes back.
"""

from __future__ import annotations
