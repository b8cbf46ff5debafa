"""Models whose steps can be compiled: built from a `config.json`, or exported graphs of a prefill and a decode step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp

import ndpir
from dialects.diagnostics import FileName, InputError
from dialects.graph import shape_of
from interp.walk.entry import entry_of
from ndpir.frontends.configs import Config, Group, build, read_config
from ndpir.frontends.sizes import is_config
from ndpir.serving.question import Question
from ndpir.serving.steps import StepModel


def model_of(question: Question) -> tuple[StepModel, str]:
    """The model of a question, and its name for reports. Raises InputError for files that hold no model."""
    first, *more = question.model
    if is_config(first):
        if more:
            raise InputError("a config is the whole model; name no further file", FileName(more[0]))
        config = read_config(first)
        return ConfigModel(config, dict(question.types), question.resolved_engine().merges), _name(first)
    if question.types:
        name = next(iter(question.types))
        raise InputError(f"`{name}` applies to a config.json; an exported graph has its types", FileName(first))
    return ExportedModel(first, more[0] if more else None), _name(first)


def _name(path: str) -> str:
    file = Path(path)
    return file.parent.name if file.name == "config.json" and file.parent.name else file.stem


@dataclass(frozen=True)
class ConfigModel:
    """A model whose graphs are built from its config. `types`: element types that differ from it, as arguments of
    `build`."""

    config: Config
    types: Mapping[str, str] = field(default_factory=dict[str, str])
    merges: bool = False
    """True if products of the same values are one kernel, as an engine may store their weights."""

    has_prompts = True
    has_chunks = True

    @property
    def context(self) -> int:
        return self.config.context

    @property
    def layers(self) -> Sequence[object]:
        return self.config.kinds_of_layers()

    def program(
        self, groups: Sequence[Group], layers: Sequence[int] | None = None, element: str | None = None
    ) -> ModuleOp:
        config = self.config if layers is None else self.config.with_layers(layers)
        config = config.merged() if self.merges else config
        types = dict(self.types) | ({} if element is None else {"dtype": element})
        return build(config, groups, **types)  # pyright: ignore[reportArgumentType]


@dataclass(frozen=True)
class ExportedModel:
    """A model of which a decode step was exported, and perhaps the step of a prompt: ONNX models, which are given other
    sizes, or programs of fixed sizes (StableHLO)."""

    decode: str
    prefill: str | None = None

    has_chunks = False
    context = None
    layers = ()

    @property
    def has_prompts(self) -> bool:
        return self.prefill is not None

    def program(
        self, groups: Sequence[Group], layers: Sequence[int] | None = None, element: str | None = None
    ) -> ModuleOp:
        if len(groups) > 1:
            raise InputError("an exported graph has no step of prompts and decoding sequences together", self._place)
        (group,) = groups
        if group.new == 1 and group.cached:
            return _resized(self.decode, group)
        if self.prefill is None or group.cached:
            what = "no graph of prompts is given" if self.prefill is None else "it has no step behind cached tokens"
            raise InputError(f"{what}; name the exported graph of a prefill step, or a config.json", self._place)
        return _resized(self.prefill, group)

    @property
    def _place(self) -> FileName:
        return FileName(self.decode)


def _resized(path: str, group: Group) -> ModuleOp:
    """The program of a file for the sizes of a group. Raises InputError for a program of other, fixed sizes."""
    if path.endswith(".onnx"):
        decodes = group.new == 1
        sizes: dict[str, Any] = {"cache_length": group.cached} if decodes else {"dims": {"sequence": group.new}}
        return ndpir.read(path, batch=group.sequences, **sizes)
    program = ndpir.read(path)
    extents = {extent for value in entry_of(program).body.block.args for extent in shape_of(value)}
    missing = [size for size in (group.sequences, group.cached or group.new) if size > 1 and size not in extents]
    if missing:
        raise InputError(
            f"the program has fixed sizes, and no argument of {missing[0]} sequences or tokens; ask for its own sizes "
            "(--batch N --prompt N --output 2), or for those of a config.json",
            FileName(path),
        )
    return program
