"""Dialects, passes and targets of ndpir by name, and the universe through which `xdsl-opt` finds them.

Every xDSL tool fails if two installed universes define the same name. Therefore, in `xdsl-opt`, ndpir's passes are
called `ndp-NAME`, because xDSL also has a `canonicalize`, and ndpir's `hw` ops are merged with xDSL's dialect `hw`
(CIRCT's).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import XDSL_UNIVERSE, Universe
from xdsl.utils.target import Target

# Modules by name; a module is imported when its name is first used.
DIALECTS: dict[str, tuple[str, str]] = {
    "graph": ("dialects.graph", "Graph"),
    "task": ("dialects.task", "Task"),
    "pim": ("dialects.pim", "Pim"),
    "ndp": ("dialects.ndp", "Ndp"),
    "tile": ("dialects.tile", "Tile"),
    "hw": ("dialects.hw", "Hw"),
}
PASSES: dict[str, str] = {
    "inline": "lowering.graph.inline",
    "canonicalize": "lowering.graph.canonicalize",
    "state": "lowering.graph.state",
    "fuse": "lowering.graph.fuse",
    "unquantize": "lowering.graph.unquantize",
    "reduce-precision": "lowering.graph.precision",
    "split": "lowering.partition.shards.split",
    "chain": "lowering.partition.shards.chain",
    "strip-mine": "lowering.partition.shards.strips",
    "layout": "lowering.graph.layout",
    "choose-form": "lowering.place.choose_form",
    "place": "lowering.place.place",
    "order": "lowering.place.order",
    "recompute": "lowering.memory.rerunning",
    "prefetch": "lowering.memory.prefetch",
    "to-pim": "lowering.banks.to_pim",
    "to-ndp": "lowering.ndp.to_ndp",
    "forward-stores": "lowering.ndp.forwarding",
    "number-values": "lowering.ndp.numbering",
    "split-outputs": "lowering.ndp.splitting",
    "to-tile": "lowering.tile.to_tile",
    "detect-pipelines": "lowering.tile.pipelining",
    "coalesce-nests": "lowering.tile.pipelining",
    "enlarge-buffers": "lowering.tile.pipelining",
    "shift-copies": "lowering.tile.pipelining",
    "wrap-indices": "lowering.tile.pipelining",
    "copy-first-stages": "lowering.tile.pipelining",
    "wait-for-stages": "lowering.tile.pipelining",
    "peel-last-turns": "lowering.tile.pipelining",
    "copy-in-bulk": "lowering.tile.pipelining.bulk",
}
TARGETS: dict[str, str] = {
    "timeline": "ndpir.reports.timeline",
    "summary": "ndpir.reports.summary",
    "json": "ndpir.reports.everything",
    "explain": "ndpir.reports.explain",
    "values": "ndpir.reports.values",
    "perfetto": "ndpir.reports.perfetto",
    "dot": "ndpir.reports.dot",
    "svg": "ndpir.reports.drawing.picture",
    "memory-svg": "ndpir.reports.memory_svg",
    "report": "ndpir.reports.html.page",
    "placement-graph": "ndpir.reports.placement_graph",
    "profile-plan": "ndpir.reports.profile_plan",
    "pim-trace": "ndpir.traces.emit",
    "timing-variants": "ndpir.reports.banks.timing_variants",
    "banks": "ndpir.reports.banks.kernels",
    "commands": "ndpir.reports.banks.commands",
    "ndp": "ndpir.reports.near_data.programs",
    "triton": "ndpir.writers.triton.emit",
    "decisions": "ndpir.reports.near_data.decisions",
    "onnx": "ndpir.writers.onnx.emit",
    "stablehlo": "ndpir.writers.stablehlo.emit",
}


def load_dialect(name: str) -> Dialect:
    """The dialect of this name."""
    module, attribute = DIALECTS[name]
    return getattr(import_module(module), attribute)


def load_pass(name: str) -> type[ModulePass]:
    """The pass class of this name. Raises LookupError if its module does not define it."""
    return _named(PASSES[name], name, ModulePass)


def load_target(name: str) -> type[Target]:
    """The target class of this name. Raises LookupError if its module does not define it."""
    return _named(TARGETS[name], name, Target)


def _named(module: str, name: str, kind: type[Any]) -> Any:
    for value in vars(import_module(module)).values():
        if isinstance(value, type) and issubclass(value, kind) and getattr(value, "name", None) == name:
            return value
    raise LookupError(f"{module} defines no {kind.__name__} named {name}")


def _prefixed(name: str) -> type[ModulePass]:
    """A subclass of the pass `name` with the name `ndp-NAME`, for `xdsl-opt`."""
    ours = load_pass(name)
    return type(ours.__name__, (ours,), {"name": f"ndp-{name}", "__doc__": ours.__doc__, "__module__": ours.__module__})


def _merged_hw(circt: Callable[[], Dialect]) -> Dialect:
    theirs, ours = circt(), load_dialect("hw")
    return Dialect("hw", [*theirs.operations, *ours.operations], [*theirs.attributes, *ours.attributes])


NDPIR_UNIVERSE = Universe(
    all_dialects={name: partial(load_dialect, name) for name in DIALECTS if name not in XDSL_UNIVERSE.all_dialects},
    all_passes={f"ndp-{name}": partial(_prefixed, name) for name in PASSES},
    all_targets={name: partial(load_target, name) for name in TARGETS},
)

# xDSL loads all universes before it compares their names, so this takes effect whichever of the two is loaded first.
XDSL_UNIVERSE.all_dialects["hw"] = partial(_merged_hw, XDSL_UNIVERSE.all_dialects["hw"])
