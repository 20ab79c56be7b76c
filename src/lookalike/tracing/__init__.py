"""Traces: shingles, signatures, bands, buckets and candidates of a small collection, for people to look at."""

from __future__ import annotations

from lookalike.tracing.result import Bucket, Candidate, Estimate, Pair, Trace
from lookalike.tracing.run import trace

__all__ = ["Bucket", "Candidate", "Estimate", "Pair", "Trace", "trace"]
