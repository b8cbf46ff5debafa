"""The forms in which a model's weights are stored in fewer bits: as its config file states it, or as is asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, NoReturn, TypeAlias

import msgspec

from dialects.text.printable import clipped
from ndpir.frontends.configs.config import Activations, Element, Quantization

Fail: TypeAlias = Callable[[str], NoReturn]

FORMATS: dict[str, Quantization] = {
    "f8": Quantization("f8", "f8E4M3FN", 1, 0, activations="token", published=False),
    "f8_static": Quantization("f8_static", "f8E4M3FN", activations="tensor", published=False),
    "f8_block": Quantization("f8_block", "f8E4M3FN", 128, 128, activations="block", published=False),
    "i4": Quantization("i4", "i4", 1, 128, published=False),
    "mxfp4": Quantization("mxfp4", "f4E2M1FN", 1, 32, powers=True, published=False),
}
"""The ways to store weights that can be asked for, by name: floats of 8 bits with a scale for each output, multiplied
by rows of 8 bits; the same with one scale for all, known ahead of time; with one for each 128 by 128 elements
(DeepSeek-V3, 2024); integers of 4 bits with a
scale for each 128 inputs; floats of 4 bits with a power of two for each 32 inputs (OCP Microscaling Formats, 2023)."""

_Size: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=1 << 20)]


class _Numbers(msgspec.Struct):
    """The part of a group of compressed-tensors that says how weights, or what they multiply, are stored."""

    num_bits: int
    type: Literal["float", "int"]
    strategy: str | None = None
    group_size: int | None = None
    block_structure: tuple[_Size, _Size] | None = None
    symmetric: bool = True
    dynamic: bool | str = False
    actorder: str | None = None


class _Group(msgspec.Struct):
    """A group of compressed-tensors: modules whose weights are stored alike, here those of all products."""

    weights: _Numbers
    input_activations: _Numbers | None = None
    output_activations: object = None
    targets: tuple[Literal["Linear"], ...] = ("Linear",)


class _Stated(msgspec.Struct):
    """The field `quantization_config` of a config file, of any of the methods that are known."""

    quant_method: str = ""
    activation_scheme: Literal["dynamic", "static"] = "dynamic"
    bits: int | None = None
    config_groups: dict[str, _Group] | None = None
    fmt: str = "e4m3"
    format: str | None = None
    group_size: int | None = None
    ignore: tuple[str, ...] | None = None
    kv_cache_scheme: _Numbers | Literal["FP8"] | None = None
    modules_to_not_convert: tuple[str, ...] | None = None
    quant_algo: str = ""
    sym: bool = True
    weight_block_size: tuple[_Size, _Size] | None = None
    zero_point: bool = True


def read_quantization(stated: Mapping[str, Any], fail: Fail) -> tuple[Quantization, bool]:
    """The way that `quantization_config` states, and True if it stores caches in 8 bits, too. `fail` raises InputError:
    for a method that is not known, and for a field of it that can't be carried out."""
    if "quant_algo" in stated and "config_groups" not in stated:
        return _of_modelopt(stated, "the config's `quantization_config`", fail)
    try:
        found = msgspec.convert(stated, _Stated)
    except msgspec.ValidationError as error:
        reason = str(error)[:1].lower() + str(error)[1:].replace("`", "")
        fail(f"the config's `quantization_config` is not as expected: {reason}")
    for name, value in stated.items():
        if value and name not in _IGNORED and name not in _Stated.__struct_fields__:
            fail(
                f"the config's `quantization_config` has the field `{clipped(name)}`, which is not known, and may "
                "change how weights are stored"
            )
    skipped = _patterns((*(found.modules_to_not_convert or ()), *(found.ignore or ())), fail)

    caches = found.kv_cache_scheme
    if isinstance(caches, _Numbers) and (caches.num_bits, caches.type) != (8, "float"):
        fail("the config's `kv_cache_scheme` must store caches as floats of 8 bits; no other way is supported")
    match found.quant_method or ("modelopt" if found.quant_algo else ""):
        case "fp8":
            if found.fmt not in ("e4m3", "e5m2"):
                fail(f"the config's weights are floats of the kind {found.fmt!r}, but e4m3 or e5m2 is expected")
            rows, columns = found.weight_block_size or (0, 0)
            element = "f8E4M3FN" if found.fmt == "e4m3" else "f8E5M2"
            activations = "tensor" if found.activation_scheme == "static" else "block" if columns else "token"
            made = Quantization("fp8", element, rows, columns, activations=activations, skipped=skipped)
        case "fbgemm_fp8":
            made = Quantization("fbgemm_fp8", "f8E4M3FN", activations="token", skipped=skipped)
        case "mxfp4":
            made = Quantization("mxfp4", "f4E2M1FN", 1, 32, powers=True, parts="experts", skipped=skipped)
        case "gptq" | "awq" as method:
            if found.bits != 4 or found.group_size is None or found.group_size < -1:
                fail(f"the config's weights of {method} must have 4 bits and a `group_size`; no others are supported")
            zeros = not found.sym if method == "gptq" else found.zero_point
            columns = max(found.group_size, 0)
            made = Quantization(method, "ui4", 1, columns, zeros=zeros, skipped=skipped)
        case "compressed-tensors" | "modelopt":
            made = _of_groups(found, skipped, fail)
        case other:
            fail(
                f"the config's weights are quantized by {other!r}, which is not supported; known are awq, "
                "compressed-tensors, fbgemm_fp8, fp8, gptq, modelopt and mxfp4"
            )
    return made, caches is not None


def _of_groups(stated: _Stated, skipped: tuple[str, ...], fail: Fail) -> Quantization:
    """The way of compressed-tensors: one group of modules, all of whose weights are stored alike."""
    groups = [*(stated.config_groups or {}).values()]
    if len(groups) != 1 or groups[0].output_activations is not None:
        fail("the config's `quantization_config` must have one group of modules whose results stay as they are")
    weights, inputs = groups[0].weights, groups[0].input_activations
    if weights.actorder not in (None, "static", "weight"):
        fail(f"the config's weights are stored in the order {weights.actorder!r}, which is not supported")
    strategy = weights.strategy or ("group" if weights.group_size else "tensor")
    blocks = {"tensor": (0, 0), "channel": (1, 0), "group": (1, weights.group_size or 0)}
    extents: tuple[int, int] | None = weights.block_structure or blocks.get(strategy)
    element = _ELEMENTS.get((weights.type, weights.num_bits))
    if element is None or extents is None or min(extents) < 0:
        fail(
            f"the config's weights are {weights.type}s of {weights.num_bits} bits with scales for each {strategy}; "
            "floats of 8 bits and integers of 8 or 4 bits by tensor, channel, group or block are supported"
        )
    rows, columns = extents
    activations: Activations = "own"
    if inputs is not None:
        if (inputs.type, inputs.num_bits, element) != ("float", 8, "f8E4M3FN"):
            fail(
                "the config scales what weights multiply to another type than floats of 8 bits, which is not supported"
            )
        activations = "tensor" if not inputs.dynamic else "block" if strategy == "block" else "token"
    method = "pack-quantized" if element == "ui4" else stated.quant_method
    zeros = not weights.symmetric
    return Quantization(method, element, rows, columns, zeros=zeros, activations=activations, skipped=skipped)


class _ModelOpt(msgspec.Struct):
    """The quantization that NVIDIA's ModelOpt states, where it does so in words of its own."""

    quant_algo: str
    kv_cache_quant_algo: str | None = None
    exclude_modules: tuple[str, ...] = ()


def read_beside(stated: Mapping[str, Any], fail: Fail) -> tuple[Quantization, bool]:
    """`read_quantization` for the content of `hf_quant_config.json`, beside a config file that says nothing itself."""
    return _of_modelopt(stated.get("quantization"), f"the field `quantization` of {BESIDE}", fail)


def _of_modelopt(stated: object, place: str, fail: Fail) -> tuple[Quantization, bool]:
    """The way that ModelOpt states at a place: weights of 8 bits, each with one scale."""
    try:
        found = msgspec.convert(stated, _ModelOpt)
    except msgspec.ValidationError as error:
        reason = str(error)[:1].lower() + str(error)[1:].replace("`", "")
        fail(f"{place} is not as expected: {reason}")
    if found.quant_algo != "FP8" or found.kv_cache_quant_algo not in (None, "FP8"):
        fail(
            f"{place} says that weights are stored as {clipped(found.quant_algo)!r}, and caches as "
            f"{clipped(found.kv_cache_quant_algo or 'numbers')!r}, but only FP8 is supported"
        )
    made = Quantization("modelopt", "f8E4M3FN", 0, 0, activations="tensor", skipped=found.exclude_modules)
    return made, found.kv_cache_quant_algo is not None


_IGNORED = frozenset(
    (
        *("activation_scale_ub", "backend", "batch_size", "block_name_to_quantize", "cache_block_outputs"),
        *("checkpoint_format", "damp_percent", "dataset", "desc_act", "do_fuse", "exllama_config", "fuse_max_seq_len"),
        *("global_compression_ratio", "max_input_length", "meta", "model_file_base_name", "model_name_or_path"),
        *("model_seqlen", "module_name_preceding_first_block", "modules_in_block_to_quantize", "modules_to_fuse"),
        *("pack_dtype", "pad_token_id", "producer", "quantization_status", "scale_fmt", "static_groups", "tokenizer"),
        *("true_sequential", "use_cuda_fp16", "use_exllama", "version"),
    )
)
"""Fields of files of all methods that say how weights were made, or which kernels read them, not how they are stored;
`desc_act` is about an order of elements that is not read."""
BESIDE = "hf_quant_config.json"
"""The file that says how weights are stored where the config file does not."""
_ELEMENTS: Mapping[tuple[str, int], Element] = {("float", 8): "f8E4M3FN", ("int", 4): "ui4", ("int", 8): "i8"}
_SIMPLE = re.compile(r"(?:\w|-|\\?\.|\.\*)*")


def _patterns(names: Sequence[str], fail: Fail) -> tuple[str, ...]:
    """Names of modules as texts with `*` for any text; those of compressed-tensors may be regular expressions, of which
    only such texts are understood."""
    found: list[str] = []
    for name in names:
        if not name.startswith("re:"):
            found.append(name)
            continue
        pattern = name[3:].removeprefix("^").removesuffix("$")
        if not _SIMPLE.fullmatch(pattern):
            fail(f"the config leaves out modules by the expression {name[:60]!r}, of which only `.*` is understood")
        found.append(pattern.replace(".*", "*").replace("\\.", "."))
    return tuple(found)
