"""The registry of dialects, passes, targets and pipelines by name: those of ndpir, of xDSL and of plugins.

Names of ndpir take precedence over equal names of xDSL. Installed packages are searched for plugins only if a name is
not found otherwise, a machine is needed, or a list is requested: the search takes 40 ms, as long as reading a small
program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.ir import Attribute, Dialect, Operation, TypeAttribute
from xdsl.passes import ModulePass
from xdsl.utils.target import Target

from dialects.dependencies import Kept
from dialects.diagnostics import InputError, note
from dialects.text.suggestions import hint
from ndpir.registry.pipelines import PIPELINES, Pipeline
from ndpir.registry.universe import (
    DIALECTS,
    PASSES,
    TARGETS,
    XDSL_UNIVERSE,
    Universe,
    load_dialect,
    load_pass,
    load_target,
)

if TYPE_CHECKING:
    from ndpir.registry.plugins import Plugin

SYNONYMS: Mapping[str, Mapping[str, str]] = {
    kind: {word: name for name, words in rows.items() for word in words.split()}
    for kind, rows in {
        "pass": {
            "canonicalize": "simplify constantfold constantfolding fold dce cse cleanup",
            "fuse": "fusion group merge",
            "reduce-precision": "narrow half quantize fp16 f16 bf16 mixedprecision convert",
            "split": "tile tiling shard cut partitionop",
            "chain": "pipeline pipelining stage stages",
            "layout": "datalayout format",
            "choose-form": "precision types dtype variant variants form forms",
            "inline": "inlining",
            "place": "partition partitioning placement assign map mapping schedule",
            "order": "scheduling reorder ordering listschedule overlap",
            "recompute": "checkpoint checkpointing rematerialize rematerialization remat rerun",
            "prefetch": "swap paging page offloadmemory migrate evict uvm",
            "to-pim": "codegen lower lowering lowertopim banks generate",
            "gpu-only": "gpu baseline host",
        },
        "target": {
            "perfetto": "chrome chrometracing chrometrace",
            "dot": "graphviz graph gv",
            "svg": "png picture pdf image",
            "memory-svg": "occupancy residency memoryovertime",
            "timeline": "gantt schedule time times",
            "pim-trace": "trace",
            "commands": "ramulator commandtrace commandlog cmdtrace log",
            "values": "run numbers results execute",
            "summary": "report stats statistics speedup",
            "mlir": "text ir asm",
            "onnx": "model",
            "stablehlo": "jax xla hlo mhlo",
        },
    }.items()
}
"""Names of ndpir's passes, pipelines and targets by the words that other tools use for them, for suggestions in error
messages. The words are normalised by `dialects.text.suggestions.plain`."""


FORMER: Mapping[str, Mapping[str, str]] = {
    "pass": {"narrow": "reduce-precision"},
    "pipeline": {"best": "optimal", "joint": "thorough"},
    "target": {"readings": "timing-variants"},
}
"""Current names of renamed passes, pipelines and targets, by kind and former name."""


def present_name(kind: str, name: str) -> str:
    """The current name of a pass, pipeline or target. If `name` is a former name, a note is emitted."""
    current = FORMER[kind].get(name)
    if current is None:
        return name
    note(f"the {kind} `{name}` is called `{current}` now; use the new name")
    return current


class Registry:
    """Factories of dialects, passes and targets, and pipelines, by name. If a name is added twice, the first factory is
    kept."""

    def __init__(self) -> None:
        self.dialects: dict[str, Callable[[], Dialect]] = {name: partial(load_dialect, name) for name in DIALECTS}
        self.passes: dict[str, Callable[[], type[ModulePass]]] = {name: partial(load_pass, name) for name in PASSES}
        self.targets: dict[str, Callable[[], type[Target]]] = {name: partial(load_target, name) for name in TARGETS}
        self.pipelines: dict[str, Pipeline] = dict(PIPELINES)
        self.origins: dict[tuple[str, str], str] = {}
        """The path of the plugin that added a name, by the kind of the name and the name."""
        self.loaded: Kept[Plugin] = Kept()
        """The plugins that were loaded from files, by their paths and contents."""
        self.add(XDSL_UNIVERSE)
        self._discovered = False

    def add(self, universe: Universe) -> None:
        """Add the dialects, passes and targets of a universe, except for names that are already in use."""
        for known, new in (
            (self.dialects, universe.all_dialects),
            (self.passes, universe.all_passes),
            (self.targets, universe.all_targets),
        ):
            for name, factory in new.items():
                known.setdefault(name, factory)  # pyright: ignore[reportArgumentType]

    def discover(self) -> bool:
        """Load the plugins of installed packages if this was not done before. Returns True at the first call, False at
        all later calls."""
        if self._discovered:
            return False
        self._discovered = True
        from ndpir.registry.plugins import installed

        for plugin in installed():
            try:
                plugin.join(self)
            except InputError as error:
                note(f"the installed plugin {plugin.origin} is skipped: {error.message}")
        return True

    def xdsl_names(self, factories: Mapping[str, object]) -> list[str]:
        """The names among `factories` whose factories come from xDSL itself."""
        theirs = {**XDSL_UNIVERSE.all_passes, **XDSL_UNIVERSE.all_targets}
        return [name for name, factory in factories.items() if theirs.get(name) is factory]

    def load_pass(self, name: str) -> type[ModulePass]:
        """The pass of this name. Raises InputError, which suggests a similar name, if no pass has this name."""
        return _loaded("pass", name, self._find("pass", name, self.passes, "--list-passes", [*self.pipelines]))

    def load_target(self, name: str) -> type[Target]:
        """The target of this name. Raises InputError, which suggests a similar name, if no target has this name."""
        return _loaded("target", name, self._find("target", name, self.targets, "--list-targets"))

    def _find(
        self, kind: str, name: str, known: Mapping[str, Callable[[], type]], flag: str, others: Sequence[str] = ()
    ):
        name = name if name in known else present_name(kind, name)
        if name not in known:
            self.discover()
        if name not in known:
            near = hint(name, [*known, *others], f"{flag} names all", SYNONYMS[kind])
            raise InputError(f"unknown {kind} `{name}`{near}")
        return known[name]


def _loaded(kind: str, name: str, factory: Callable[[], type]) -> type:
    """The class that a factory returns. Raises InputError if a package that it imports is not installed."""
    try:
        return factory()
    except ImportError as error:
        if error.name is None or error.name.partition(".")[0] in ("ndpir", "lowering", "interp", "dialects"):
            raise
        raise InputError(
            f"the {kind} `{name}` needs the package {error.name}, which is not installed; install it"
        ) from None


class LazyContext(Context):
    """xDSL's context with the dialects of a registry. It loads installed plugins when a dialect is not found."""

    def __init__(self, registry: Registry, allow_unregistered: bool = False) -> None:
        super().__init__(allow_unregistered, _registered_dialects=registry.dialects)
        self.registry = registry

    def get_optional_op(self, name: str, *, dialect_stack: Sequence[str] = ()) -> type[Operation] | None:
        self._need(name)
        return super().get_optional_op(name, dialect_stack=dialect_stack)

    def get_optional_type(self, name: str) -> type[TypeAttribute] | None:
        self._need(name)
        return super().get_optional_type(name)

    def get_optional_attr(self, name: str) -> type[Attribute] | None:
        self._need(name)
        return super().get_optional_attr(name)

    def _need(self, name: str) -> None:
        dialect, dot, _ = name.partition(".")
        if dot and dialect not in self._registered_dialects:
            self.registry.discover()
