"""Laws of GPU kernels with the shipped constants, far outside of the sizes to which the constants were fitted: for
every GPU and kernel class, with extents from one to millions. A time is never below the roofline, never above a
fixed multiple of the roofline of the padded tiles, grows with each extent, and at most doubles or so between
neighbouring extents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings

from benchmarks.gpu.measurements import SHEETS
from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.known import constants_for
from interp.machine.records import Gpu
from interp.machine.sheets.files import load_device
from tests.amount import cases
from tests.gpu_draws import COUNT, SEEDS, sizes

GPUS = sorted(set(SHEETS.values()))
FIXED_NS = 2e4
"""The constant part in ns of the upper limit of a time, for launches, fills and drains, unless a class has its own."""
WIDTHS = {"f32": 4.0, "f16": 2.0, "bf16": 2.0, "f8": 1.0}
"""The bytes of an element. Only products are tested with other types than f16."""
WIDTH = WIDTHS["f16"]


@dataclass(frozen=True)
class Extents:
    """The random kernels of one class on which the laws are tested, and the limits that their times must keep."""

    draw: Callable[[np.random.Generator], dict[str, Floats]]
    least: Callable[[Mapping[str, Floats], Chip], Floats]
    """The function that returns the kernels' roofline in ns, the lower limit of their times."""
    blocks: Callable[[Mapping[str, Floats], Chip], Floats]
    """The function that returns the kernels' roofline in ns if thread blocks compute padded tiles, and if
    multiprocessors without a block are idle."""
    multiple: float
    """The largest allowed ratio of a kernel's time, less `fixed_ns`, to the result of `blocks`."""
    grows: tuple[str, ...]
    """The names of the extents (columns of kernels) with which times must grow."""
    step: int = 1
    """The number of which all compared extents m, n and k are multiples, since products with other alignments use other
    kernels."""
    jump: float = 2.0
    """The largest allowed ratio of the time at one extent to the time at the next smaller extent."""
    element: str = "f16"
    fixed_ns: float = FIXED_NS


def product(draw: np.random.Generator, step: int = 1) -> dict[str, Floats]:
    batch = np.where(draw.random(COUNT) < 0.5, 1.0, sizes(draw, 1000))
    return {
        "batch": batch,
        "m": sizes(draw, 65536 / step, step),
        "n": sizes(draw, 131072 / step, step),
        "k": sizes(draw, 65536 / step, step),
    }


def products(draw: np.random.Generator) -> dict[str, Floats]:
    """Random products with all extents at least two, since extents of one take other kernels."""
    return {**product(draw), "batch": 1 + sizes(draw, 1000)}


def product_least(c: Mapping[str, Floats], chip: Chip) -> Floats:
    flops = 2 * c["batch"] * c["m"] * c["n"] * c["k"]
    moved = c["batch"] * (c["m"] * c["k"] + c["k"] * c["n"] + c["m"] * c["n"]) * c["bytes"]
    return np.maximum(flops / chip.matrix_rate, moved / chip.bandwidth) * 1e9


def product_blocks(c: Mapping[str, Floats], chip: Chip) -> Floats:
    """The roofline in ns of products if every thread block computes a full tile: 128 x 128 results in a batch, 32 x 32
    in a single product, and at least 32 elements along k. A chip with more multiprocessors than blocks is used in
    part; a single product has two blocks per tile."""
    side = np.where(c["batch"] > 1, 128, 32)
    tiles = c["batch"] * np.ceil(c["m"] / side) * np.ceil(c["n"] / side)
    seconds = 2 * tiles * side * side * np.maximum(c["k"], 32) / chip.matrix_rate
    alone = np.maximum(1.0, chip.sms / (tiles * np.where(c["batch"] > 1, 1, 2)))
    return np.maximum(seconds * alone * 1e9, product_least(c, chip))


def scaled_blocks(c: Mapping[str, Floats], chip: Chip) -> Floats:
    """The roofline in ns of products with a scale for each 128 x 128 elements of B: tiles have 128 x 128 results, and
    each sum over k, counted as at least 128 elements, is computed by one thread block."""
    tiles = c["batch"] * np.ceil(c["m"] / 128) * np.ceil(c["n"] / 128)
    seconds = 2 * tiles * 128 * 128 * np.maximum(c["k"], 128) / chip.matrix_rate
    return np.maximum(seconds * np.maximum(1.0, chip.sms / tiles) * 1e9, product_least(c, chip))


def convolution(draw: np.random.Generator) -> dict[str, Floats]:
    filters, height, width = draw.choice([1.0, 3.0, 5.0, 7.0], COUNT), sizes(draw, 256), sizes(draw, 256)
    image = {"h": height, "w": width, "p": height, "q": width, "r": filters, "s": filters}
    return {"batch": sizes(draw, 256), "c": sizes(draw, 2048), "k": sizes(draw, 2048), **image}


def convolution_least(c: Mapping[str, Floats], chip: Chip) -> Floats:
    """The least time of convolutions in ns: the larger of two times, that of 1/49 of a direct convolution's operations
    at the matrix rate, and that of one access to each element at DRAM bandwidth. The divisor is 49, the number of
    taps of the largest filter (7 x 7), since Winograd's algorithm and FFTs execute fewer operations than a direct
    convolution."""
    pixels = c["batch"] * c["p"] * c["q"]
    flops = 2 * pixels * c["k"] * c["c"] * c["r"] * c["s"]
    moved = (pixels * (c["c"] + c["k"]) + c["k"] * c["c"] * c["r"] * c["s"]) * c["bytes"]
    return np.maximum(flops / 49 / chip.matrix_rate, moved / chip.bandwidth) * 1e9


def convolution_blocks(summed: str, made: str) -> Callable[[Mapping[str, Floats], Chip], Floats]:
    """A function that returns the roofline in ns of convolutions computed as matrix products in full tiles of 128
    pixels x 128 result channels. `summed`: the column with the number of channels that are summed, rounded up to a
    multiple of 32; `made`: the column with the number of result channels. Each sum is computed by one thread block."""

    def blocks(c: Mapping[str, Floats], chip: Chip) -> Floats:
        pixels, channels = c["batch"] * c["p"] * c["q"], np.ceil(c[summed] / 32) * 32
        tiles = np.ceil(pixels / 128) * np.ceil(c[made] / 128)
        seconds = 2 * tiles * 128 * 128 * channels * c["r"] * c["s"] / chip.matrix_rate
        return np.maximum(seconds * np.maximum(1.0, chip.sms / tiles) * 1e9, convolution_least(c, chip))

    return blocks


def weight_blocks(c: Mapping[str, Floats], chip: Chip) -> Floats:
    """The roofline in ns of filter gradients in full tiles of 128 x 128: sums over all pixels, whose partial sums are
    written and read in f32."""
    pixels, taps = np.ceil(c["batch"] * c["p"] * c["q"] / 32) * 32, np.ceil(c["c"] / 32) * 32 * c["r"] * c["s"]
    tiles = np.ceil(taps / 128) * np.ceil(c["k"] / 128)
    seconds = 2 * tiles * 128 * 128 * pixels / chip.matrix_rate * np.maximum(1.0, chip.sms / tiles)
    sums = tiles * 128 * 128 * 8 / chip.bandwidth
    return np.maximum(np.maximum(seconds, sums) * 1e9, convolution_least(c, chip))


def stream(draw: np.random.Generator, rows: float = 1.0, reduced: bool = False) -> dict[str, Floats]:
    return streamed(sizes(draw, rows) if rows > 1 else np.ones(COUNT), sizes(draw, 1e6), reduced)


def streamed(rows: Floats, cols: Floats, reduced: bool = False) -> dict[str, Floats]:
    moved = rows * cols * WIDTH
    written = rows * WIDTH if reduced else moved
    return {"rows": rows, "cols": cols, "read": moved, "written": written, "flops": 4 * rows * cols}


def stream_least(c: Mapping[str, Floats], chip: Chip) -> Floats:
    return np.maximum(c["flops"] / chip.rate, (c["read"] + c["written"]) / chip.bandwidth) * 1e9


def row_blocks(least: float, divided: bool = False) -> Callable[[Mapping[str, Floats], Chip], Floats]:
    """A function that returns the roofline in ns of row-wise kernels with one thread block per row; a row counts as at
    least `least` elements. If `divided`, a row may be divided among blocks, so that few rows use the full chip."""

    def blocks(c: Mapping[str, Floats], chip: Chip) -> Floats:
        alone = 1.0 if divided else np.maximum(1.0, chip.sms / c["rows"])
        return stream_least(c, chip) * np.maximum(1.0, least / c["cols"]) * alone

    return blocks


def attention(
    draw: np.random.Generator, prefill: bool = False, causal: bool = False, cache_bytes: float = 0
) -> dict[str, Floats]:
    """Random attentions in which at most 32 heads share a cache: few measurements show the library's choice for more
    heads. `prefill`: with more than one query; else with one query. `cache_bytes`: of an element of the cache; 0: as
    of the operands."""
    kv_heads = sizes(draw, 64)
    queries = 1 + sizes(draw, 16384) if prefill else np.ones(COUNT)
    return {
        "batch": sizes(draw, 4096),
        "queries": queries,
        "keys": queries + sizes(draw, 131072),
        "heads": kv_heads * sizes(draw, 32),
        "kv_heads": kv_heads,
        "head": draw.choice([32.0, 64.0, 80.0, 128.0, 192.0, 256.0, 320.0, 512.0, 576.0], COUNT),
        "causal": np.full(COUNT, float(causal)),
        "cache_bytes": np.full(COUNT, cache_bytes),
    }


def reached(c: Mapping[str, Floats]) -> Floats:
    """The mean number of keys to which a query attends."""
    return c["keys"] - c["causal"] * (c["queries"] - 1) / 2


def cache_width(c: Mapping[str, Floats]) -> Floats:
    return np.where(c["cache_bytes"] > 0, c["cache_bytes"], c["bytes"])


def attention_least(c: Mapping[str, Floats], chip: Chip) -> Floats:
    flops = 4 * c["batch"] * c["heads"] * c["queries"] * reached(c) * c["head"]
    cache = 2 * c["batch"] * c["kv_heads"] * c["keys"] * c["head"] * cache_width(c)
    return np.maximum(flops / chip.matrix_rate, cache / chip.bandwidth) * 1e9


def prefill_blocks(c: Mapping[str, Floats], chip: Chip) -> Floats:
    """The roofline in ns of prefills if every thread block computes 128 queries of a head, fewer for heads of more than
    256 elements, with at least 128 keys and at least 128 elements per head, in multiples of 64."""
    head = np.maximum(np.ceil(c["head"] / 64) * 64, 128)
    tile = np.minimum(128, 32768 / head)
    blocks = c["batch"] * c["heads"] * np.ceil(c["queries"] / tile)
    seconds = 4 * blocks * tile * np.maximum(c["keys"], 128) * head / chip.matrix_rate
    return np.maximum(seconds * np.maximum(1.0, chip.sms / blocks) * 1e9, attention_least(c, chip))


def gradient_least(c: Mapping[str, Floats], chip: Chip) -> Floats:
    """The roofline in ns of attention gradients: five products, and four accesses to each element of a query or key, of
    which the forward pass needs two."""
    rows = c["heads"] * c["queries"] + c["kv_heads"] * c["keys"]
    flops = 10 * c["batch"] * c["heads"] * c["queries"] * c["keys"] * c["head"]
    moved = 4 * c["batch"] * rows * c["head"] * c["bytes"]
    return np.maximum(flops / chip.matrix_rate, moved / chip.bandwidth) * 1e9


def gradient_blocks(c: Mapping[str, Floats], chip: Chip) -> Floats:
    """The upper roofline in ns of attention gradients: 2.5 times the forward kernel's at 86 % of its rate, plus three
    times the least time, for the f32 sums of the queries' gradient."""
    return 2.5 / 0.86 * prefill_blocks(c, chip) + 3 * gradient_least(c, chip)


def decode_blocks(c: Mapping[str, Floats], chip: Chip) -> Floats:
    """The upper roofline in ns of decodes: each head, counted as at least 128 elements, reads at least 128 keys, which
    are split over thread blocks of 256 keys. Heads of more than 256 elements in fewer than 768 caches run one after
    another and take 5 us each."""
    keys, head = np.maximum(c["keys"], 128), np.maximum(c["head"], 128)
    fetched = 2 * c["batch"] * c["heads"] * keys * head * c["bytes"] / chip.bandwidth
    alone = np.maximum(1.0, chip.sms / (c["batch"] * c["kv_heads"] * np.maximum(1.0, c["keys"] / 256)))
    jobs = c["batch"] * c["kv_heads"]
    in_turn = np.where((c["head"] > 256) & (jobs < 768), 5e3 * jobs, 0.0)
    return fetched * alone * 1e9 + in_turn


def layers(draw: np.random.Generator, gated: float = 1.0) -> dict[str, Floats]:
    """Random layers of experts, all on one device and equally likely."""
    tokens, choices = sizes(draw, 16384), sizes(draw, 16)
    experts = choices * sizes(draw, 32)
    touched = experts * (1 - (1 - choices / experts) ** tokens)
    numbers = {"tokens": tokens, "choices": choices, "experts": experts, "rows": tokens * choices, "touched": touched}
    return numbers | {"hidden": sizes(draw, 64, 128), "inter": sizes(draw, 64, 128), "gated": np.full(COUNT, gated)}


def layer_least(c: Mapping[str, Floats], chip: Chip) -> Floats:
    matrix = c["hidden"] * c["inter"] * (2 + c["gated"])
    read = c["touched"] * matrix * c["bytes"]
    return np.maximum(2 * c["rows"] * matrix / chip.matrix_rate, read / chip.bandwidth) * 1e9


def layer_blocks(c: Mapping[str, Floats], chip: Chip) -> Floats:
    """The roofline in ns of layers of experts in full tiles of 64 rows x 128 columns, one expert each, of which all but
    those of the last wave are computed at a time; with four passes over each choice's rows in f16, and 1 us for each
    expert, for sorting."""
    tiles = c["rows"] / 64 + c["touched"]
    seconds = 0.0 * tiles
    for n, k in ((c["inter"] * (1 + c["gated"]), c["hidden"]), (c["hidden"], c["inter"])):
        blocks = tiles * np.ceil(n / 128)
        seconds = seconds + np.maximum(1.0, chip.sms / blocks) * blocks * 2 * 64 * 128 * k / chip.matrix_rate
    rows = 8 * c["tokens"] * c["choices"] * (c["hidden"] + c["inter"]) / chip.bandwidth
    return seconds * 1e9 + rows * 1e9 + layer_least(c, chip) + 1e3 * c["experts"]


ROWS = ("rows",)
EXTENTS: dict[str, Extents] = {
    "gemm": Extents(product, product_least, product_blocks, 8, ("m", "n", "k"), 16, 3.0),
    # A P4 takes up to 11 times the roofline for large products whose rows aren't aligned: its TLB covers 9 MB.
    "gemm f32": Extents(product, product_least, product_blocks, 12, ("m", "n", "k"), 16, 5.0, "f32"),
    "gemm of a batch": Extents(products, product_least, product_blocks, 8, ("batch",)),
    # For the same reason, a third product may take 2.6 times as long as two on a P4.
    "gemm f32 of a batch": Extents(products, product_least, product_blocks, 10, ("batch",), jump=3, element="f32"),
    "gemm_blocks": Extents(product, product_least, scaled_blocks, 10, ("m", "n", "k"), 16, 3.0, "f8"),
    "conv_forward": Extents(convolution, convolution_least, convolution_blocks("c", "k"), 6, ("batch",)),
    "conv_backward_data": Extents(convolution, convolution_least, convolution_blocks("k", "c"), 6, ("batch",)),
    # cuDNN 7's kernels on Turing, which were measured by single calls, take at least 39 us.
    "conv_backward_weight": Extents(convolution, convolution_least, weight_blocks, 8, ("batch",), fixed_ns=4e4),
    "elementwise": Extents(stream, stream_least, row_blocks(1, True), 3, ("cols",)),
    "copy": Extents(stream, stream_least, row_blocks(1, True), 3, ("cols",)),
    "gather": Extents(lambda draw: stream(draw, 1e7), stream_least, row_blocks(16, True), 3, ROWS),
    "reduction": Extents(lambda draw: stream(draw, 1e7, True), stream_least, row_blocks(32, True), 10, ROWS),
    # Softmax was measured by single calls, whose host time can't be separated: the fixed time is up to 27 us. A block
    # of a P100 takes 2 us for a step.
    "softmax": Extents(lambda draw: stream(draw, 1e7), stream_least, row_blocks(128), 20, ROWS, jump=3),
    # A block steps through a row at the latency of its reads: few long rows use a smaller part of Blackwell's
    # bandwidth than of other GPUs'.
    "norm": Extents(lambda draw: stream(draw, 1e7), stream_least, row_blocks(512), 26, ROWS),
    # Keys and values of one sequence may stay in the L2 of an Ada GPU between the passes over them, those of two
    # sequences not: two may take 4 times as long as one. On Blackwell and Hopper, short sequences take up to 16 times
    # the time of their products, for these passes, exponentials and the fixed time of blocks.
    "prefill": Extents(
        lambda draw: attention(draw, True, True), attention_least, prefill_blocks, 14, ("batch", "keys"), jump=5
    ),
    "bidirectional": Extents(
        lambda draw: attention(draw, True), attention_least, prefill_blocks, 18, ("batch", "keys"), jump=5
    ),
    # The passes over an f8 cache beforehand take up to 25 times as long as one read of it.
    "prefill_narrow": Extents(
        lambda draw: attention(draw, True, True, 1), attention_least, prefill_blocks, 36, ("batch", "keys"), jump=5
    ),
    "attention_backward": Extents(
        lambda draw: attention(draw, True), gradient_least, gradient_blocks, 10, ("batch", "keys"), jump=5
    ),
    "decode": Extents(attention, attention_least, decode_blocks, 8, ("keys",)),
    "experts": Extents(layers, layer_least, layer_blocks, 12, ("rows", "hidden"), fixed_ns=1e5),
    "experts_ungated": Extents(
        lambda draw: layers(draw, 0.0), layer_least, layer_blocks, 12, ("rows", "hidden"), fixed_ns=1e5
    ),
    "experts_blocks": Extents(layers, layer_least, layer_blocks, 12, ("rows", "hidden"), element="f8", fixed_ns=1e5),
    "decode_narrow": Extents(lambda draw: attention(draw, cache_bytes=1), attention_least, decode_blocks, 8, ("keys",)),
}
KINDS = pytest.mark.parametrize("name", EXTENTS)


@cache
def known(gpu: str, kernel_class: str, element: str) -> tuple[Mapping[str, float], Chip]:
    """The shipped constants of a class for a GPU, and the parameters of its chip."""
    sheet = load_device(gpu)
    assert isinstance(sheet, Gpu)
    return constants_for(sheet, kernel_class, element).constants, Chip.of(sheet, element)


def times(name: str, gpu: str, numbers: Mapping[str, Floats]) -> tuple[dict[str, Floats], Floats, Chip]:
    """The columns of kernels of class `name` (those in `numbers`, completed by default values), their times on a GPU in
    ns, and the parameters of the GPU's chip."""
    found, element = CLASSES[name.split()[0]], EXTENTS[name].element
    constants, chip = known(gpu, found.name, element)
    columns = {column.name: np.full(COUNT, column.default or 0.0) for column in found.columns}
    columns |= {"bytes": np.full(COUNT, WIDTHS[element]), **numbers}
    return columns, found.estimate(columns, chip, constants).ns, chip


@KINDS
@given(seed=SEEDS)
@settings(max_examples=cases(2), deadline=None)
def test_times_are_between_the_roofline_and_a_multiple_of_it(name: str, seed: int) -> None:
    extents, draw = EXTENTS[name], np.random.default_rng(seed)
    numbers = extents.draw(draw)
    for gpu in GPUS:
        columns, ns, chip = times(name, gpu, numbers)
        assert np.all(ns >= extents.least(columns, chip) * (1 - 1e-9)), gpu
        most = extents.multiple * extents.blocks(columns, chip) + extents.fixed_ns
        worst = int(np.argmax(ns / most))
        assert ns[worst] <= most[worst], (gpu, {key: float(values[worst]) for key, values in numbers.items()})


@KINDS
@given(seed=SEEDS)
@settings(max_examples=cases(2), deadline=None)
def test_times_grow_with_each_extent_and_do_not_jump(name: str, seed: int) -> None:
    """A kernel with the next larger extent takes at least as long as the kernel before it, and at most r times as long,
    where r is the larger of `jump` and the ratio of the two extents."""
    extents, draw = EXTENTS[name], np.random.default_rng(seed)
    for column in extents.grows:
        less = extents.draw(draw)
        step = extents.step if column in ("m", "n", "k") else 1
        less[column] = np.ceil(less[column] / step) * step
        more = less | {column: less[column] + step}
        if "read" in less:
            more = streamed(more["rows"], more["cols"], reduced=name == "reduction")
        for gpu in GPUS:
            _, before, _ = times(name, gpu, less)
            _, after, _ = times(name, gpu, more)
            assert np.all(after >= before * (1 - 1e-3)), (gpu, column)
            most = before * np.maximum(extents.jump, more[column] / less[column] * 1.01)
            worst = int(np.argmax(after / most))
            assert after[worst] <= most[worst], (gpu, column, {key: float(v[worst]) for key, v in less.items()})


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("name", ["gemm", "gemm f32"])
def test_thin_products_take_little_more_than_their_weights(name: str, gpu: str) -> None:
    """Products of 2 to 32 rows and many columns take at most 3 times the roofline of a product of 32 rows (5 times in
    f32), plus FIXED_NS. In f32 the constants of A100s, H100s and H200s state 54 us for a split of k, so that products
    of 2,000 columns are computed by 65 blocks, on half of the multiprocessors."""
    draw = np.random.default_rng(0)
    thin = {"m": 1 + sizes(draw, 32), "n": 2048 + sizes(draw, 16384), "k": 2048 + sizes(draw, 16384)}
    numbers = {"batch": np.ones(COUNT), **{key: np.ceil(values / 16) * 16 for key, values in thin.items()}}
    columns, ns, chip = times(name, gpu, numbers | {"m": thin["m"]})
    most = product_least(columns | {"m": np.full(COUNT, 32.0)}, chip)
    assert np.all(ns <= (5 if name == "gemm f32" else 3) * most + FIXED_NS)


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("name", ["softmax", "norm", "reduction"])
def test_a_few_rows_take_as_long_as_one(name: str, gpu: str) -> None:
    """A kernel of two rows takes at most 1.1 times as long as a kernel of one row, and a kernel of eight rows at most
    twice as long, since rows run in parallel on separate multiprocessors."""
    cols = np.repeat(np.geomspace(64, 4096, COUNT // 4), 4).round()
    numbers = streamed(np.tile([1.0, 2.0, 4.0, 8.0], COUNT // 4), cols, reduced=name == "reduction")
    _, ns, _ = times(name, gpu, numbers)
    few = ns.reshape(-1, 4)
    assert np.all(few[:, 1] <= 1.1 * few[:, 0])
    assert np.all(few[:, 3] <= 2 * few[:, 0])


@pytest.mark.parametrize("gpu", GPUS)
def test_many_sequences_of_long_heads_run_in_parallel(gpu: str) -> None:
    """Decodes of 2,048 sequences with heads of 512 elements take at most 4 times their upper roofline, plus FIXED_NS:
    heads run in parallel."""
    draw = np.random.default_rng(0)
    numbers = attention(draw) | {"batch": np.full(COUNT, 2048.0), "head": np.full(COUNT, 512.0)}
    columns, ns, chip = times("decode", gpu, numbers)
    assert np.all(ns <= 4 * decode_blocks(columns, chip) + FIXED_NS)
