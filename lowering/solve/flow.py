"""The greatest flow through a network, by OR-tools."""

from __future__ import annotations

from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Nodes: TypeAlias = NDArray[np.int32]
Amounts: TypeAlias = NDArray[np.int64]


def greatest_flow(tails: Nodes, heads: Nodes, capacities: Amounts, source: int, sink: int) -> Amounts:
    """The flow through each arc, from its tail to its head, such that as much as possible flows from source to sink."""
    flow: Any = import_module("ortools.graph.python.max_flow").SimpleMaxFlow()
    flow.add_arcs_with_capacity(tails, heads, capacities)
    status = flow.solve(source, sink)
    assert status == flow.OPTIMAL, status
    return flow.flows(np.arange(len(tails), dtype=np.int32))
