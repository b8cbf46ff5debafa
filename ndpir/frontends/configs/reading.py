"""The facts of a model from its config file, by the table of its family; a field that is not understood is refused."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields as fields_of
from math import log, sqrt
from pathlib import Path
from typing import Any, NoReturn, TypeVar, cast

import msgspec

from dialects.diagnostics import FileName, InputError
from dialects.files import read_regular
from dialects.strict_json import json_value
from dialects.text.printable import clipped
from dialects.text.suggestions import hint
from ndpir.frontends.configs.config import Config, Rotation, Scaling
from ndpir.frontends.configs.families import FAMILIES, IGNORED, REQUIRED, Family

T = TypeVar("T")
_LARGEST = 1 << 24
"""The largest config file in bytes; published ones have some kilobytes."""
_LARGEST_SIZE = 1 << 31
"""The largest size that a config may state."""
ACTIVATIONS = {
    "silu": "silu",
    "swish": "silu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "quick_gelu": "gelu_quick",
    "relu": "relu",
}
"""The activations by their published names."""
_DTYPES = {"float16": "f16", "bfloat16": "bf16", "float32": "f32"}


def read_config(source: str | Path | Mapping[str, Any]) -> Config:
    """The facts of a model: of a config file, of a folder with a `config.json`, or of the file's content as a dict.

    Raises InputError, at the file, for a family that is not known, for a field that is missing, not understood or of
    another type, and for facts that contradict each other; OSError for a file that can't be read.
    """
    if isinstance(source, Mapping):
        return _Reading(dict(source), "").config()
    path = os.path.join(source, "config.json") if os.path.isdir(source) else str(source)
    stated = json_value(read_regular(path, "a config file is smaller", _LARGEST), path, "the config file")
    if not isinstance(stated, dict):
        raise InputError("the config file must hold one JSON object, as published with a model", FileName(path))
    return _Reading(cast("dict[str, Any]", stated), path).config()


class _Reading:
    """The reading of one config: each field is taken once, and what is left is refused."""

    def __init__(self, stated: dict[str, Any], file: str) -> None:
        self.file = file
        self.stated = stated
        self.taken = set[str]()

    def fail(self, message: str) -> NoReturn:
        raise InputError(message, FileName(self.file) if self.file else None)

    def take(self, name: str, expected: type[T], default: Any = REQUIRED) -> T:
        """The value of a field, of a type; the default if it is missing or null."""
        self.taken.add(name)
        value = self.stated.get(name)
        if value is None:
            if default is REQUIRED:
                self.fail(f"the config has no field `{name}`, which decides what the model computes; add it")
            return default
        try:
            return msgspec.convert(value, expected)
        except msgspec.ValidationError as error:
            reason = str(error)[:1].lower() + str(error)[1:].replace("`", "")
            self.fail(f"the config's field `{name}` is not as expected: {reason}")

    def size(self, name: str, default: Any = REQUIRED) -> int:
        """The value of a field that is a number from 1 on."""
        value = self.take(name, int, default)
        if value is not None and not 0 < value <= _LARGEST_SIZE:
            self.fail(f"the config's field `{name}` must be a number from 1 on, not {value}")
        return value

    def config(self) -> Config:
        """The facts. Raises InputError for a config that is not understood."""
        kind = self.take("model_type", str)
        family = FAMILIES.get(kind)
        if family is None:
            known = f"known are {', '.join(FAMILIES)}"
            self.fail(
                f"the config's `model_type` is `{clipped(kind)}`, a family that is not known{hint(kind, FAMILIES, known)}"
            )
        found: dict[str, Any] = dict(family.facts)
        types = {each.name: each.type for each in fields_of(Config)}
        for fact, (name, default) in family.fields.items():
            found[fact] = self._value(fact, name, default, str(types[fact]))
        self._derive(found)
        self._check_heads(found)
        found["windows"] = self._windows(family, found["layers"])
        found["rotations"] = self._rotations(family, found)
        found["dtype"] = self._dtype()
        for name, allowed in family.expected.items():
            if (met := self.take(name, object, allowed[0])) not in allowed:
                self.fail(f"the config's `{name}` is {met!r}, but only {' or '.join(map(repr, allowed))} is supported")
        self._check_rest(family)
        return Config(family=kind, names=family.names, file=self.file, **found)

    def _value(self, fact: str, name: str, default: Any, type_: str) -> Any:
        match type_:
            case "int":
                return self.size(name, default)
            case "float":
                return self.take(name, float, default)
            case "bool":
                return self.take(name, bool, default)
            case _:
                assert fact == "activation"
                word = self.take(name, str, default)
                if word not in ACTIVATIONS:
                    known = f"known are {', '.join(ACTIVATIONS)}"
                    self.fail(
                        f"the config's `{name}` is `{clipped(word)}`, which is not known{hint(word, ACTIVATIONS, known)}"
                    )
                return ACTIVATIONS[word]

    def _derive(self, found: dict[str, Any]) -> None:
        """Facts that follow from others where the file does not state them."""
        hidden, heads = found["hidden"], found["heads"]
        if found.get("kv_heads") is None:
            found["kv_heads"] = heads
        if found.get("head_size") is None:
            if hidden % heads:
                self.fail(f"the config's hidden size of {hidden} can't be divided among {heads} heads")
            found["head_size"] = hidden // heads
        if found.get("feed_forward") is None:
            found["feed_forward"] = 4 * hidden

    def _check_heads(self, found: Mapping[str, Any]) -> None:
        heads, kv_heads = found["heads"], found["kv_heads"]
        if heads % kv_heads:
            self.fail(f"the config's {heads} heads of queries can't be divided among {kv_heads} heads of keys")

    def _dtype(self) -> str:
        name = self.take("dtype", str, None) or self.take("torch_dtype", str, "float32")
        self.taken.add("torch_dtype")
        word = name.removeprefix("torch.")
        if word not in _DTYPES:
            self.fail(f"the config's `torch_dtype` is `{clipped(word)}`, but one of {', '.join(_DTYPES)} is expected")
        return _DTYPES[word]

    # Windows

    def _windows(self, family: Family, layers: int) -> tuple[int, ...]:
        """The number of last tokens that each layer sees; 0: all."""
        if family.windows == "none":
            return (0,) * layers
        window = self.take("sliding_window", int, None)
        used = self.take("use_sliding_window", bool, family.windows != "from")
        first = self.take("max_window_layers", int, 0)
        types = self.take("layer_types", list[str], None)
        if window is None or not used:
            return (0,) * layers
        if window < 1:
            self.fail(f"the config's `sliding_window` must be a number from 1 on, not {window}")
        if types is not None:
            return self._typed(types, layers, window)
        match family.windows:
            case "from":
                return tuple(window if layer >= first else 0 for layer in range(layers))
            case "alternate":
                return tuple(0 if layer % 2 else window for layer in range(layers))
            case "five of six":
                return tuple(window if (layer + 1) % 6 else 0 for layer in range(layers))
            case _:
                return (window,) * layers

    def _typed(self, types: Sequence[str], layers: int, window: int) -> tuple[int, ...]:
        known = {"full_attention": 0, "sliding_attention": window}
        if len(types) != layers:
            self.fail(f"the config's `layer_types` has {len(types)} entries for {layers} layers; give each layer one")
        for word in types:
            if word not in known:
                self.fail(f"the config's `layer_types` has `{clipped(word)}`, but only {' and '.join(known)} are known")
        return tuple(known[word] for word in types)

    # Rotations

    def _rotations(self, family: Family, found: Mapping[str, Any]) -> tuple[Rotation | None, ...]:
        """The rotation of each layer."""
        layers = found["layers"]
        if found.get("positions", "rotary") != "rotary":
            return (None,) * layers
        stated = self.take("rope_parameters", dict[str, Any], None)
        scaling = stated if stated is not None else self.take("rope_scaling", dict[str, Any], None)
        self.taken.add("rope_scaling")
        theta = self.take("rope_theta", float, family.theta)
        turned = self.take("partial_rotary_factor", float, family.turned)
        return (self._rotation(scaling or {}, theta, turned, found),) * layers

    def _rotation(self, stated: Mapping[str, Any], theta: float, turned: float, found: Mapping[str, Any]) -> Rotation:
        inner = _Reading(dict(stated), self.file)
        theta = inner.take("rope_theta", float, theta)
        turned = inner.take("partial_rotary_factor", float, turned)
        size = int(found["head_size"] * turned)
        if not 0 < size <= found["head_size"] or size % 2:
            self.fail(
                f"the config turns {size} of the {found['head_size']} elements of a head; an even number is needed"
            )
        if theta <= 1:
            self.fail(f"the base of the config's rotations must be greater than 1, not {theta:g}")
        scaling = inner.scaling(found["context"], size, self.take("original_max_position_embeddings", int, None))
        inner.check_scaling_fields()
        return Rotation(theta, size, found.get("neighbours", False), scaling)

    def scaling(self, context: int, size: int, trained: int | None) -> Scaling | None:
        """The scaling that the fields of `rope_scaling` state. `trained`: the trained context that the config states
        elsewhere."""
        kind = self.take("rope_type", str, None) or self.take("type", str, "default")
        self.taken.add("type")
        if kind == "default":
            return None
        kind = {"su": "longrope"}.get(kind, kind)
        if kind not in ("linear", "dynamic", "llama3", "yarn", "longrope"):
            self.fail(f"the config's rotations are scaled by `{clipped(kind)}`, a way that is not known")
        trained = trained or self.size(
            "original_max_position_embeddings",
            context if kind in ("yarn", "longrope") else REQUIRED if kind == "llama3" else 0,
        )
        self.taken.add("original_max_position_embeddings")
        factor = self.take("factor", float, context / trained if kind in ("yarn", "longrope") else REQUIRED)
        if factor <= 0:
            self.fail(f"the config's rotations are scaled by a factor of {factor:g}; it must be positive")
        match kind:
            case "llama3":
                slow, fast = self.take("low_freq_factor", float), self.take("high_freq_factor", float)
                if not 0 < slow < fast:
                    self.fail(f"the config's `low_freq_factor` {slow:g} must be less than `high_freq_factor` {fast:g}")
                return Scaling("llama3", factor, trained, slow, fast)
            case "yarn":
                return self._yarn(factor, trained)
            case "longrope":
                return self._longrope(factor, trained, size // 2)
            case _:
                return Scaling(kind, factor, trained)

    def _yarn(self, factor: float, trained: int) -> Scaling:
        fast, slow = self.take("beta_fast", float, 32.0), self.take("beta_slow", float, 1.0)
        if not 0 < slow < fast:
            self.fail(f"the config's `beta_slow` {slow:g} must be less than `beta_fast` {fast:g}")
        own, every = self.take("mscale", float, 0.0), self.take("mscale_all_dim", float, 0.0)
        usual = _magnitude(factor, own) / _magnitude(factor, every) if own and every else _magnitude(factor, 1.0)
        magnitude = self.take("attention_factor", float, usual)
        return Scaling("yarn", factor, trained, slow, fast, magnitude, self.take("truncate", bool, True))

    def _longrope(self, factor: float, trained: int, pairs: int) -> Scaling:
        usual = sqrt(1 + log(factor) / log(trained)) if factor > 1 else 1.0
        magnitude = self.take("attention_factor", float, usual)
        short, long = (tuple(self.take(name, list[float])) for name in ("short_factor", "long_factor"))
        for name, divisors in (("short_factor", short), ("long_factor", long)):
            if len(divisors) != pairs or min(divisors) <= 0:
                self.fail(f"the config's `{name}` needs {pairs} positive numbers, one for each pair that turns")
        return Scaling("longrope", factor, trained, magnitude=magnitude, short=short, long=long)

    def check_scaling_fields(self) -> None:
        """Raise InputError for a field of `rope_scaling` that was not taken."""
        for name, value in self.stated.items():
            if name not in self.taken and value is not None:
                self.fail(f"the config's rope scaling has the field `{clipped(name)}`, which is not known")

    def _check_rest(self, family: Family) -> None:
        """Raise InputError for a field that was not taken and might matter."""
        for name, value in self.stated.items():
            if name in self.taken or name in IGNORED or name in family.ignored or value is None:
                continue
            known = [*self.taken, *IGNORED, *family.ignored]
            self.fail(
                f"the config's field `{clipped(name)}` is not known for {self.stated['model_type']}, and may change what "
                f"the model computes{hint(name, known, 'remove it if it does not')}"
            )


def _magnitude(factor: float, scale: float) -> float:
    """The factor of sine and cosine that YaRN recommends for contexts longer by `factor`."""
    return 0.1 * scale * log(factor) + 1.0 if factor > 1 else 1.0
