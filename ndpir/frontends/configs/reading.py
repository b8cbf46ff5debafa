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
from dialects.files import is_file, is_folder, read_regular
from dialects.strict_json import json_value, of_type
from dialects.text.printable import clipped
from dialects.text.suggestions import hint
from ndpir.frontends.configs.config import Config, Experts, Latent, Rotation, Scaling
from ndpir.frontends.configs.families import FAMILIES
from ndpir.frontends.configs.families.family import IGNORED, REQUIRED, Facts, Family
from ndpir.frontends.configs.quantization import BESIDE, read_beside, read_quantization

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
        return _Reading({**source}, "").config()
    path = config_path(source)
    return _Reading(_object(path), path).config()


def _object(path: str) -> dict[str, Any]:
    """The JSON object in a file. Raises InputError, at the file, for other content."""
    stated = json_value(read_regular(path, "a config file is smaller", _LARGEST), path, "the config file")
    if not isinstance(stated, dict):
        raise InputError("the config file must hold one JSON object, as published with a model", FileName(path))
    return cast("dict[str, Any]", stated)


def config_path(path: str | Path) -> str:
    """The path of a config file; for a folder, that of its `config.json`."""
    return os.path.join(path, "config.json") if is_folder(Path(path)) else str(path)


class _Reading:
    """The reading of one config: each field is taken once, and what is left is refused."""

    def __init__(self, stated: dict[str, Any], file: str) -> None:
        self.file = file
        self.stated = stated
        self.taken = set[str]()

    def fail(self, message: str) -> NoReturn:
        raise InputError(message, FileName(self.file) if self.file else None)

    def optional(self, name: str, expected: type[T]) -> T | None:
        """The value of a field, of a type; None if it is missing or null."""
        self.taken.add(name)
        value = self.stated.get(name)
        try:
            return None if value is None else msgspec.convert(value, expected)
        except msgspec.ValidationError as error:
            reason = str(error)[:1].lower() + str(error)[1:].replace("`", "")
            self.fail(f"the config's field `{clipped(name)}` is not as expected: {reason}")

    def take(self, name: str, expected: type[T], default: Any = REQUIRED) -> T:
        """The value of a field, of a type; the default if it is missing or null."""
        if (value := self.optional(name, expected)) is not None:
            return value
        if default is REQUIRED:
            self.fail(f"the config has no field `{name}`, which decides what the model computes; add it")
        return default

    def size(self, name: str, default: Any = REQUIRED) -> int:
        """The value of a field that is a number from 1 on."""
        value = self.optional(name, int)
        if value is None:
            return self.take(name, int, default)
        if not 0 < value <= _LARGEST_SIZE:
            self.fail(f"the config's field `{name}` must be a number from 1 on, not {value}")
        return value

    def config(self) -> Config:
        """The facts. Raises InputError for a config that is not understood."""
        kind = self.take("model_type", str)
        family = FAMILIES.get(kind)
        if family is None:
            known = f"known are {', '.join(FAMILIES)}"
            near = hint(kind, FAMILIES, known)
            self.fail(f"the config's `model_type` is `{clipped(kind)}`, a family that is not known{near}")
        if not family.inside:
            return self.facts(family, kind)
        outer = {name: self.stated[name] for name in ("dtype", "torch_dtype") if name in self.stated}
        return _Reading(outer | self.take(family.inside, dict[str, Any]), self.file).facts(family, kind)

    def facts(self, family: Family, kind: str) -> Config:
        """The facts of a model of a family; `kind`: its name."""
        found: Facts = {**family.facts, "names": dict(family.names)}
        types = {each.name: str(each.type) for each in fields_of(Config)}
        types |= {f"experts.{each.name}": str(each.type) for each in fields_of(Experts)}
        types |= {f"latent.{each.name}": str(each.type) for each in fields_of(Latent)}
        for fact, (names, default) in family.fields.items():
            found[fact] = self._value(names, default, types[fact])
        self._derive(found)
        for name, (default, switch) in family.switches.items():
            switch(self._switch(name, default), found)
        if family.finish is not None:
            family.finish(found)
        self._check_heads(found)
        found["windows"] = self._windows(family, found["layers"])
        found["rotations"] = self._rotations(family, found)
        found["dtype"] = self._dtype(family.dtype)
        if (stated := self.optional("quantization_config", dict[str, Any])) is not None:
            found["quantization"], found["narrow_caches"] = read_quantization(stated, self.fail)
        elif is_file(beside := os.path.join(os.path.dirname(self.file), BESIDE)) and self.file:
            found["quantization"], found["narrow_caches"] = read_beside(_object(beside), self.fail)
        for name in ("neighbours", "rotated"):  # facts of the rotations
            found.pop(name, None)
        self._assemble(found)
        for name, allowed in family.expected.items():
            met: Any = self.take(name, object, allowed[0])
            if met not in allowed:
                self.fail(f"the config's `{name}` is {met!r}, but only {' or '.join(map(repr, allowed))} is supported")
        self._check_rest(family, kind)
        return Config(family=kind, file=self.file, **found)

    def _value(self, names: str | tuple[str, ...], default: Any, type_: str) -> Any:
        """The value of a field with one of some names, for a fact of a type."""
        several = (names,) if isinstance(names, str) else names
        name = next((name for name in several if self.stated.get(name) is not None), several[0])
        self.taken.update(several)
        match type_:
            case "int":
                return self.size(name, default)
            case "float":
                return self.take(name, float, default)
            case "bool":
                return self.take(name, bool, default)
            case _:
                word = self.take(name, str, default)
                if word not in ACTIVATIONS:
                    near = hint(word, ACTIVATIONS, f"known are {', '.join(ACTIVATIONS)}")
                    self.fail(f"the config's `{name}` is `{clipped(word)}`, which is not known{near}")
                return ACTIVATIONS[word]

    def _switch(self, name: str, default: object) -> object:
        """The value of a field of the kind of its default: a truth value, a number, a word, or numbers of layers."""
        return self.take(name, list[int] if default == () else type(default), default)

    def _derive(self, found: Facts) -> None:
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

    def _assemble(self, found: Facts) -> None:
        """Replace the facts of experts and of latents by records of them. Raises InputError for experts that can't be
        chosen so."""
        rotation = found["rotations"][0]
        if inner := self._inside(found, "experts."):
            inner.setdefault("layers", frozenset(range(found["layers"])))
            found["experts"] = Experts(**inner)
        if inner := self._inside(found, "latent."):
            found["latent"] = Latent(**inner)
        if "latent" in found:
            slowed = rotation.scaling if rotation is not None else None
            found["scale"] = found["head_size"] ** -0.5 * (slowed.scores if slowed is not None else 1.0)
        if (experts := found.get("experts")) is None:
            return
        count, chosen, groups, best = experts.count, experts.chosen, experts.groups, experts.chosen_groups
        if count % groups or best > groups or not 0 < chosen <= count // groups * best:
            self.fail(
                f"the config's tokens can't choose {chosen} of {count} experts in {best} of {groups} groups; these "
                "numbers contradict each other"
            )

    def _inside(self, found: Facts, prefix: str) -> Facts:
        """Take the facts with a prefix out of others."""
        return {name.removeprefix(prefix): found.pop(name) for name in [*found] if name.startswith(prefix)}

    def _check_heads(self, found: Facts) -> None:
        heads, kv_heads = found["heads"], found["kv_heads"]
        if heads % kv_heads:
            self.fail(f"the config's {heads} heads of queries can't be divided among {kv_heads} heads of keys")

    def _dtype(self, usual: str) -> str:
        """The element type of the model; `usual` where the file states none."""
        name = self.optional("dtype", str) or self.optional("torch_dtype", str) or usual
        word = name.removeprefix("torch.")
        if word not in _DTYPES:
            self.fail(f"the config's `torch_dtype` is `{clipped(word)}`, but one of {', '.join(_DTYPES)} is expected")
        return _DTYPES[word]

    # Windows

    def _windows(self, family: Family, layers: int) -> tuple[int, ...]:
        """The number of last tokens that each layer sees; 0: all."""
        if family.windows == "none":
            return (0,) * layers
        window = self.optional("sliding_window", int)
        if "sliding_window" not in self.stated:
            window = family.window
        used = self.take("use_sliding_window", bool, family.windows_used)
        first = self.take("max_window_layers", int, layers)
        period = self.size("sliding_window_pattern", self.take("_sliding_window_pattern", int, family.period or 1))
        types = self.optional("layer_types", list[str])
        if window is None or not used:
            return (0,) * layers
        if window < 1:
            self.fail(f"the config's `sliding_window` must be a number from 1 on, not {window}")
        if types is not None:
            return self._typed(types, layers, window)
        numbers = range(layers)
        match family.windows:
            case "from":
                local = {layer for layer in numbers if layer >= first}
            case "below":
                local = {layer for layer in numbers if layer < first and layer % 2 == 0}
            case "but every":
                local = {layer for layer in numbers if (layer + 1) % period}
            case _:
                local = set(numbers)
        return tuple(window if layer in local else 0 for layer in numbers)

    def _typed(self, types: Sequence[str], layers: int, window: int) -> tuple[int, ...]:
        known = {"full_attention": 0, "sliding_attention": window}
        if len(types) != layers:
            self.fail(f"the config's `layer_types` has {len(types)} entries for {layers} layers; give each layer one")
        for word in types:
            if word not in known:
                self.fail(f"the config's `layer_types` has `{clipped(word)}`, but only {' and '.join(known)} are known")
        return tuple(known[word] for word in types)

    # Rotations

    def _rotations(self, family: Family, found: Facts) -> tuple[Rotation | None, ...]:
        """The rotation of each layer."""
        layers = found["layers"]
        if found.get("positions", "rotary") != "rotary":
            self.taken.update(("rope_parameters", "rope_scaling", "rope_theta"))
            return (None,) * layers
        stated = self.optional("rope_parameters", dict[str, Any])
        scaling = self.optional("rope_scaling", dict[str, Any])
        local: Mapping[str, Any] | None = None
        if stated is not None and isinstance(stated.get("full_attention"), dict):
            inner = {
                word: of_type(part, dict[str, Any], self.file, f"`{word}` of the config")
                for word, part in stated.items()
            }
            scaling, local = inner["full_attention"], inner.get("sliding_attention")
        elif stated is not None:
            scaling = stated
        theta = float(self._value(("rope_theta", "rotary_emb_base"), family.theta, "float"))
        turned = float(self._value(("partial_rotary_factor", "rotary_pct"), family.turned, "float"))
        usual = self._rotation(scaling or {}, theta, turned, found)
        others = self._rotation(local, theta, turned, found) if local is not None else usual
        if family.local_theta and local is None:
            others = Rotation(
                self.take("rope_local_base_freq", float, family.local_theta), usual.size, usual.neighbours
            )
        everywhere = usual if family.global_rotation else None
        return tuple(others if window else everywhere for window in found["windows"])

    def _rotation(self, stated: Mapping[str, Any], theta: float, turned: float, found: Facts) -> Rotation:
        inner = _Reading(dict(stated), self.file)
        theta = inner.take("rope_theta", float, theta)
        turned = inner.take("partial_rotary_factor", float, turned)
        whole = found["rotated"] if "rotated" in found else found["head_size"]
        size = int(whole * turned)
        if not 0 < size <= whole or size % 2:
            self.fail(f"the config turns {size} of the {whole} elements of a head, but an even number is needed")
        if theta <= 1:
            self.fail(f"the base of the config's rotations must be greater than 1, not {theta:g}")
        trained = self.optional("original_max_position_embeddings", int)
        scaling = inner.scaling(found["context"], size, trained)
        inner.check_scaling_fields()
        return Rotation(theta, size, found.get("neighbours", False), scaling)

    def scaling(self, context: int, size: int, trained: int | None) -> Scaling | None:
        """The scaling that the fields of `rope_scaling` state. `trained`: the trained context that the config states
        elsewhere."""
        kind = self.optional("rope_type", str) or self.take("type", str, "default")
        self.taken.update(("type", "original_max_position_embeddings"))
        if kind == "default":
            return None
        if kind not in ("linear", "dynamic", "llama3", "yarn", "longrope", "su"):
            self.fail(f"the config's rotations are scaled by `{clipped(kind)}`, a way that is not known")
        extends = kind in ("yarn", "longrope", "su")
        usual = REQUIRED if kind == "llama3" else context
        trained = trained or self.size("original_max_position_embeddings", usual)
        factor = self.take("factor", float, context / trained if extends else REQUIRED)
        if factor <= 0:
            self.fail(f"the config's rotations are scaled by a factor of {factor:g}, but it must be positive")
        match kind:
            case "llama3":
                slow, fast = self.take("low_freq_factor", float), self.take("high_freq_factor", float)
                if not 0 < slow < fast:
                    self.fail(
                        f"the config's `low_freq_factor` of {slow:g} must be less than `high_freq_factor`, {fast:g}"
                    )
                return Scaling("llama3", factor, trained, slow, fast)
            case "yarn":
                return self._yarn(factor, trained)
            case "linear" | "dynamic":
                return Scaling(kind, factor, trained)
            case _:
                return self._longrope(factor, trained, size // 2)

    def _yarn(self, factor: float, trained: int) -> Scaling:
        fast, slow = self.take("beta_fast", float, 32.0), self.take("beta_slow", float, 1.0)
        if not 0 < slow <= fast:
            self.fail(f"the config's `beta_slow` of {slow:g} must be at most `beta_fast`, {fast:g}")
        own, every = self.take("mscale", float, 0.0), self.take("mscale_all_dim", float, 0.0)
        usual = _magnitude(factor, own) / _magnitude(factor, every) if own and every else _magnitude(factor, 1.0)
        magnitude = self.take("attention_factor", float, usual)
        scores = _magnitude(factor, every) ** 2 if every else 1.0
        return Scaling("yarn", factor, trained, slow, fast, magnitude, scores, self.take("truncate", bool, True))

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

    def _check_rest(self, family: Family, kind: str) -> None:
        """Raise InputError for a field that was not taken and might matter."""
        known = {*self.taken, *IGNORED, *family.ignored}
        for name, value in self.stated.items():
            if name not in known and value is not None:
                near = hint(name, known, "remove it if it does not")
                self.fail(
                    f"the config's field `{clipped(name)}` is not known for {kind} models, and may change what they "
                    f"compute{near}"
                )


def _magnitude(factor: float, scale: float) -> float:
    """The factor of sine and cosine that YaRN recommends for contexts longer by `factor`."""
    return 0.1 * scale * log(factor) + 1.0 if factor > 1 else 1.0
