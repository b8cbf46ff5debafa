"""Conversion of StableHLO's short (pretty) forms to the attributes and regions of the generic form."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from ndpir.frontends.stablehlo.module import DenseLiteral, HloAttribute, HloBlock, HloOp, HloType, HloValue, TensorShape


@dataclass
class PrintedOp:
    """The parts of an op's text after its name: operands, keywords, attributes, regions, and types."""

    name: str
    place: str
    operands: list[HloValue] = field(default_factory=list[HloValue])
    starts: list[HloValue] = field(default_factory=list[HloValue])
    """Start values of a reduction, which follow `init:`."""
    attributes: dict[str, HloAttribute] = field(default_factory=dict[str, HloAttribute])
    regions: list[HloBlock] = field(default_factory=list[HloBlock])
    words: list[str] = field(default_factory=list[str])
    """Keywords, and keys of attributes (`dims=`), in the order of the text."""
    lists: list[HloAttribute] = field(default_factory=list[HloAttribute])
    """The lists in an op's text that have no key before them."""
    symbols: list[str] = field(default_factory=list[str])
    inner: list[str] = field(default_factory=list[str])
    """The names of a loop's block arguments."""
    dense: DenseLiteral | None = None
    types: tuple[Sequence[HloType], Sequence[HloType]] = ((), ())
    """The types of the operands, and of the results."""


Shorthand = Callable[[PrintedOp], None]


def _keys(**names: str) -> Shorthand:
    """A converter that renames attributes, for example `dims = [0]` to `permutation`."""

    def rename(written: PrintedOp) -> None:
        for short, name in names.items():
            if short in written.attributes:
                written.attributes[name] = written.attributes.pop(short)

    return rename


def _constant(written: PrintedOp) -> None:
    if written.dense is not None:
        written.attributes["value"] = replace(written.dense, type=written.types[1][0])


def _compare(written: PrintedOp) -> None:
    for key, word in zip(("comparison_direction", "compare_type"), written.words, strict=False):
        written.attributes[key] = word


def _slice(written: PrintedOp) -> None:
    listed = written.lists[0] if written.lists else []
    ranges = [each for each in listed if isinstance(each, list) and len(each) > 1] if isinstance(listed, list) else []
    written.attributes["start_indices"] = [each[0] for each in ranges]
    written.attributes["limit_indices"] = [each[1] for each in ranges]
    written.attributes["strides"] = [each[2] if len(each) > 2 else 1 for each in ranges]


def _dot_general(written: PrintedOp) -> None:
    """Converts `batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT]`."""
    _keys(precision="precision_config")(written)
    right = iter(written.lists)
    numbers: dict[str, HloAttribute] = {}
    no_axes: list[HloAttribute] = []
    for word in written.words:
        if word in ("batching_dims=", "contracting_dims="):
            kind = word.removesuffix("_dims=")
            pair = written.attributes.pop(word[:-1]), next(right, no_axes)
            if any(pair):  # the generic form has no empty lists
                numbers[f"lhs_{kind}_dimensions"], numbers[f"rhs_{kind}_dimensions"] = pair
            written.attributes["dot_dimension_numbers"] = numbers


def _convolution(written: PrintedOp) -> None:
    """Converts `dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], …}`."""
    if "dim_numbers" in written.attributes and len(written.lists) == 2:
        layouts = [written.attributes.pop("dim_numbers"), *written.lists]
        written.attributes["dimension_numbers"] = dict(zip(("input", "kernel", "output"), layouts, strict=True))
    window = cast("Mapping[str, HloAttribute]", written.attributes.pop("window", {}))
    for short, name in _WINDOW.items():
        if short in window:
            written.attributes[name] = window[short]


_WINDOW = {
    "stride": "window_strides",
    "pad": "padding",
    "lhs_dilate": "lhs_dilation",
    "rhs_dilate": "rhs_dilation",
    "reverse": "window_reversal",
}


def _reduce(written: PrintedOp) -> None:
    """Converts `reduce(%x init: %c) applies stablehlo.add across dimensions = [0]`. `applies` is followed by the single
    op of the region; any other region follows the types and is recorded already."""
    written.operands += written.starts
    if written.words[:1] == ["applies"] and len(written.words) > 1 and len(written.types[1]) == 1:
        name = written.words[1].removeprefix("stablehlo.")
        result = written.types[1][0]
        scalar = TensorShape((), result.element) if isinstance(result, TensorShape) else result
        left, right, made = HloValue("%left", scalar), HloValue("%right", scalar), HloValue("%made", scalar)
        ops = [HloOp(name, [left, right], [made], {}, [], written.place)]
        ops.append(HloOp("return", [made], [], {}, [], written.place))
        written.regions.append(HloBlock([left, right], ops))


def _reduce_precision(written: PrintedOp) -> None:
    exponent, _, mantissa = str(written.attributes.pop("format", "")).removeprefix("e").partition("m")
    if exponent and mantissa:
        written.attributes |= {"exponent_bits": int(exponent), "mantissa_bits": int(mantissa)}


def _element(written: PrintedOp) -> None:
    """Converts `%t[1]`, an element of a tuple."""
    index = written.lists[0] if written.lists else []
    written.attributes["index"] = index[0] if isinstance(index, list) and index else 0


def _symbol(key: str) -> Shorthand:
    def name(written: PrintedOp) -> None:
        if written.symbols:
            written.attributes[key] = written.symbols[0]

    return name


PRETTY: dict[str, Shorthand] = {
    "broadcast_in_dim": _keys(dims="broadcast_dimensions"),
    "call": _symbol("callee"),
    "compare": _compare,
    "concatenate": _keys(dim="dimension"),
    "constant": _constant,
    "convolution": _convolution,
    "custom_call": _symbol("call_target_name"),
    "dot_general": _dot_general,
    "dynamic_broadcast_in_dim": _keys(dims="broadcast_dimensions"),
    "dynamic_iota": _keys(dim="iota_dimension"),
    "dynamic_slice": _keys(sizes="slice_sizes"),
    "get_dimension_size": _keys(dim="dimension"),
    "get_tuple_element": _element,
    "iota": _keys(dim="iota_dimension"),
    "pad": _keys(low="edge_padding_low", high="edge_padding_high", interior="interior_padding"),
    "reduce": _reduce,
    "reduce_precision": _reduce_precision,
    "reverse": _keys(dims="dimensions"),
    "rng_bit_generator": _keys(algorithm="rng_algorithm"),
    "slice": _slice,
    "transpose": _keys(dims="permutation"),
}
"""Converters of short forms by op name. Each form is the one in the specification's section on the op."""
