"""Models whose steps can be compiled: built from a `config.json`, or exported graphs of a prefill and a decode step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

from xdsl.dialects.builtin import ModuleOp

from ndpir.frontends.configs import Config, Group, build


@dataclass(frozen=True)
class ConfigModel:
    """A model whose graphs are built from its config."""

    config: Config

    @cached_property
    def layers(self) -> Sequence[object]:
        per_layer = [getattr(self.config, name) for name in _per_layer(self.config)]
        return list(zip(*per_layer, strict=True)) if per_layer else [0] * self.config.layers

    def program(
        self, groups: Sequence[Group], layers: Sequence[int] | None = None, element: str | None = None
    ) -> ModuleOp:
        return build(self.config if layers is None else with_layers(self.config, layers), groups, dtype=element)


def with_layers(config: Config, layers: Sequence[int]) -> Config:
    """The config of a model with only these of its layers."""
    kept = {name: tuple(getattr(config, name)[layer] for layer in layers) for name in _per_layer(config)}
    return replace(config, layers=len(layers), **kept)


def _per_layer(config: Config) -> list[str]:
    """The names of the fields that have a value for each layer."""
    return [each.name for each in fields(config) if _is_per_layer(getattr(config, each.name), config.layers)]


def _is_per_layer(value: object, layers: int) -> bool:
    return isinstance(value, tuple) and len(value) == layers
