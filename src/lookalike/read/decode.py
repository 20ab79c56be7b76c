"""Columns as a file has them -> a batch as the kernels want it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from .base import Batch
from .columns import as_elements, as_ids, as_ranks, as_text, as_tokens, is_string, signed
from .numbers import as_bits, as_vectors, truths_in
from .utf8 import ensure_utf8
from .weights import as_weights, with_weights

if TYPE_CHECKING:
    from collections.abc import Callable

    from .base import Options
    from .roles import Roles


@dataclass(frozen=True, slots=True)
class Plan:
    """What is read of each item, and as what."""

    roles: Roles
    options: Options
    id_type: pa.DataType
    rank_type: pa.DataType
    element_type: pa.DataType
    """That of a single element, in a long table."""


def make_batch(columns: pa.RecordBatch, plan: Plan, first: int, where: Callable[[int], str]) -> Batch:
    """Check and convert the columns of a batch; `where` says where its i-th row stands."""
    roles, errors = plan.roles, plan.options.encoding_errors
    items = _items(columns.column(roles.text), plan, where)
    if roles.weight is not None:
        items = with_weights(items, columns.column(roles.weight), where, roles.weight)
    ids = ranks = None
    if roles.id is not None:
        ids = as_ids(columns.column(roles.id), plan.id_type, where)
        ids = ensure_utf8(ids, errors, where, "id") if is_string(ids.type) else ids
    if roles.rank is not None:
        ranks = as_ranks(columns.column(roles.rank), plan.rank_type, where, roles.rank)
        ranks = ensure_utf8(ranks, errors, where, f"column {roles.rank!r}") if is_string(ranks.type) else ranks
    truths = truths_in(columns.column(roles.text)) if roles.kind == "bits" else 0
    return Batch(first, items, ids, ranks, truths)


def _items(column: pa.Array, plan: Plan, where: Callable[[int], str]) -> pa.Array:
    errors = plan.options.encoding_errors
    if plan.options.long:
        single = as_ids(column, plan.element_type, where, "element")
        if single.type == pa.uint64():
            single = signed(single, where)
        return ensure_utf8(single, errors, where, "element") if is_string(single.type) else single
    if plan.roles.kind == "texts":
        return ensure_utf8(as_text(column), errors, where)
    decoders = {
        "tokens": as_tokens,
        "elements": as_elements,
        "weights": as_weights,
        "vectors": as_vectors,
        "bits": as_bits,
    }
    return decoders[plan.roles.kind](column, where)
