"""A row of a table of whole networks: what was measured, and what we say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Row:
    """A measured network, and what we say."""

    source: str
    gpu: str
    model: str
    what: str
    """Mode, batch, and what else tells rows of a model apart."""
    group: tuple[str, ...]
    """What errors are reported by."""
    measured_ns: float
    predicted_ns: float
    roofline_ns: float
    origin: str = "graph"
    """What the network was timed from: its graph, or its MACs and activations."""
    parts: Mapping[str, float] = field(default_factory=dict[str, float])
    """Our time by kernel class, ns, where it is kept."""
