"""Laws of the shipped constants, for all kernel classes on all GPUs with their default libraries: a kernel with one
more row, column, key, head or sequence takes little longer, no kernel is faster than the roofline of the work that it
executes, and boards with the same chip take the same time for arithmetic."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings

from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.known import constants_for
from interp.kinds.gpu.kernel_class import Estimate
from interp.machine.records import Gpu
from interp.machine.sheets.files import load_device
from tests.amount import cases
from tests.gpu_draws import COUNT, SEEDS, sizes
from tests.laws.gpu.test_extents import EXTENTS, GPUS, KINDS, WIDTHS, known, streamed

STEP = 4.0
"""The largest allowed ratio of the times of two kernels of which the second one has one more of something."""
JUMPS = {"prefill": 5.0, "bidirectional": 5.0, "prefill_narrow": 5.0}
"""Larger ratios: where the keys and values of one more sequence or head don't fit in the L2 of an Ada GPU."""
FIRST_BATCH = 14.0
"""The same from one product to a batch of two: libraries have fewer kernels for batches, without a split of k."""
NORM_NS = 1e3, 13e3
"""The limits of the time of a norm of one row of up to 4,096 elements."""
SAME = {
    "h100_sxm": "h200_sxm",
    "a100_40_sxm": "a100_80_sxm",
    "a100_40_pcie": "a100_80_pcie",
    "a100_80_pcie": "a100_80_sxm",
}
"""Boards with the same chip at the same clock, which differ in their memory and their power limits."""
UNLIKE = {("a100_40_sxm", "gemm f32"): 1.13, ("a100_40_pcie", "gemm f32"): 1.13}
"""Ratios above 1.05 between such boards: of the A100s' f32 products, each board was measured by another set."""
GROWN = {
    "gemm": ("m", "n", "k"),
    "gemm_blocks": ("m", "n", "k"),
    "gemm of a batch": ("batch", "m", "n", "k"),
    "gemm f32 of a batch": ("batch", "m", "n", "k"),
    "conv": ("batch", "c", "k", "h", "w"),
    "prefill": ("batch", "queries", "keys", "heads"),
    "bidirectional": ("batch", "queries", "keys", "heads"),
    "prefill_narrow": ("batch", "queries", "keys", "heads"),
    "attention_backward": ("batch", "queries", "keys", "heads"),
    "decode": ("batch", "keys", "heads"),
    "decode_narrow": ("batch", "keys", "heads"),
    "experts": ("tokens", "rows", "hidden", "inter"),
    "experts_ungated": ("tokens", "rows", "hidden", "inter"),
    "experts_blocks": ("tokens", "rows", "hidden", "inter"),
}
"""The extents of each class that grow by one; `rows` and `cols` for other classes."""


def sheet(name: str) -> Gpu:
    found = load_device(name)
    assert isinstance(found, Gpu)
    return found


def grown_columns(name: str) -> tuple[str, ...]:
    kind = "conv" if name.startswith("conv") else name
    return GROWN.get(kind, GROWN.get(kind.split()[0], ("rows", "cols")))


def estimated(
    name: str, gpu: str, numbers: Mapping[str, Floats], library: str | None = None, element: str = ""
) -> tuple[Estimate, Chip]:
    """The estimate of kernels of a class in `EXTENTS` with the shipped constants of a GPU and a library (None: the
    GPU's default), and the GPU's chip; `element`: another type than that of the class there."""
    found, element = CLASSES[name.split()[0]], element or EXTENTS[name].element
    constants, chip = known(gpu, found.name, element)
    if library is not None:
        constants = constants_for(sheet(gpu), found.name, element, library).constants
    count = len(next(iter(numbers.values())))
    columns = {column.name: np.full(count, column.default or 0.0) for column in found.columns}
    return found.estimate(columns | {"bytes": np.full(count, WIDTHS[element]), **numbers}, chip, constants), chip


def grown(name: str, column: str, less: dict[str, Floats]) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Kernels, and the same kernels with one more of an extent. Products have another odd extent, so that the rows of
    neither are aligned to vectors, for which libraries have other kernels."""
    less = dict(less)
    if column in ("m", "n", "k") and "m" in less:
        odd = "k" if column == "n" else "n"
        less[odd] = less[odd] // 2 * 2 + 1
    more = less | {column: less[column] + 1}
    if column == "heads":  # each with its own keys and values
        less["kv_heads"] = less["heads"]
        more["kv_heads"] = more["heads"]
    if column == "queries":  # of which each has a key
        less["keys"] = np.maximum(less["keys"], more["queries"])
        more["keys"] = less["keys"]
    if column in ("h", "w"):
        result = "p" if column == "h" else "q"
        more[result] = less[result] + 1
    if "read" in less:
        more |= streamed(more["rows"], more["cols"], reduced=name == "reduction")
    return less, more


@KINDS
@given(seed=SEEDS)
@settings(max_examples=cases(2), deadline=None)
def test_one_more_takes_little_longer(name: str, seed: int) -> None:
    draw = np.random.default_rng(seed)
    for column in grown_columns(name):
        less, more = grown(name, column, EXTENTS[name].draw(draw))
        for gpu in GPUS:
            before, after = (estimated(name, gpu, numbers)[0].ns for numbers in (less, more))
            ratio = after / before
            worst = int(np.argmax(ratio))
            where = (gpu, column, {key: float(values[worst]) for key, values in less.items()})
            assert ratio[worst] <= JUMPS.get(name, STEP), where


@pytest.mark.parametrize("name", ["gemm", "gemm f32", "gemm_blocks"])
@given(seed=SEEDS)
@settings(max_examples=cases(2), deadline=None)
def test_a_batch_of_two_products_takes_a_bounded_multiple_of_one(name: str, seed: int) -> None:
    one = EXTENTS[name].draw(np.random.default_rng(seed)) | {"batch": np.ones(COUNT)}
    for gpu in GPUS:
        before, after = (estimated(name, gpu, one | {"batch": np.full(COUNT, b)})[0].ns for b in (1.0, 2.0))
        assert np.all(after <= FIRST_BATCH * before), gpu


@pytest.mark.parametrize("gpu", GPUS)
def test_a_second_row_of_products_in_a_batch_takes_little_longer(gpu: str) -> None:
    """Thin products in batches, for which libraries have kernels of one row and of many: from 1 to 2 rows, times grow
    at most to twice as much."""
    draw = np.random.default_rng(0)
    one = {"batch": 1 + sizes(draw, 64), "m": np.ones(COUNT), "n": sizes(draw, 64), "k": sizes(draw, 4096)}
    given_sizes = {"batch": 42.0, "n": 11.0, "k": 1039.0}
    for key, value in given_sizes.items():
        one[key][0] = value
    for name in ("gemm", "gemm f32"):
        before, after = (estimated(name, gpu, one | {"m": np.full(COUNT, m)})[0].ns for m in (1.0, 2.0))
        assert np.all(after <= 2 * before)
        assert after[0] <= 1.2 * before[0]


@KINDS
@given(seed=SEEDS)
@settings(max_examples=cases(2), deadline=None)
def test_no_kernel_is_faster_than_the_work_that_it_executes(name: str, seed: int) -> None:
    numbers = EXTENTS[name].draw(np.random.default_rng(seed))
    for gpu in GPUS:
        found, chip = estimated(name, gpu, numbers)
        rate = np.maximum(chip.matrix_rate, chip.rate) if "read" not in numbers else chip.rate
        assert np.all(found.ns >= found.flops / rate * 1e9 * (1 - 1e-9)), gpu
        assert np.all(found.ns >= found.dram_bytes / chip.bandwidth * 1e9 * (1 - 1e-9)), gpu


def arithmetic(name: str, draw: np.random.Generator) -> dict[str, Floats]:
    """Large kernels, which are bound by arithmetic."""
    ones = np.ones(COUNT)

    def between(low: float, high: float, step: int = 64) -> Floats:
        return np.floor(np.exp(draw.uniform(np.log(low), np.log(high), COUNT)) / step) * step

    if name.startswith("gemm"):
        return {"batch": ones, **{size: between(2048, 8192) for size in ("m", "n", "k")}}
    if name.startswith("conv"):
        image = dict.fromkeys(("h", "w", "p", "q"), between(28, 56, 1))
        channels = {size: between(256, 1024) for size in ("c", "k")}
        return {"batch": between(64, 128, 1), **channels, **image, "r": 3 * ones, "s": 3 * ones}
    tokens = between(4096, 16384)
    numbers = {"batch": between(1, 8, 1), "queries": tokens, "keys": tokens, "heads": 32 * ones, "kv_heads": 8 * ones}
    narrow = float(name == "prefill_narrow")
    return numbers | {
        "head": 128 * ones,
        "causal": float(name.startswith("prefill")) * ones,
        "cache_bytes": narrow * ones,
    }


@pytest.mark.parametrize("gpu", SAME)
@pytest.mark.parametrize("library", [None, "pytorch", "vllm", "sglang", "trtllm"])
@pytest.mark.parametrize(
    "name",
    [
        "gemm",
        "gemm f32",
        "gemm_blocks",
        "conv_forward",
        "prefill",
        "bidirectional",
        "prefill_narrow",
        "attention_backward",
    ],
)
def test_boards_with_the_same_chip_compute_at_the_same_rate(name: str, library: str | None, gpu: str) -> None:
    """Kernels whose DRAM traffic takes at most a third of their time differ by at most 5 % between such boards. In 16
    bits, bf16 is compared, since most constants were fitted to it."""
    numbers, element = arithmetic(name, np.random.default_rng(0)), EXTENTS[name].element.replace("f16", "bf16")
    (one, chip), (other, _) = (estimated(name, board, numbers, library, element) for board in (gpu, SAME[gpu]))
    bound = one.dram_bytes / chip.bandwidth * 1e9 < one.ns / 3
    assert bound.sum() > COUNT / 4
    ratio = (np.maximum(one.ns, other.ns) / np.minimum(one.ns, other.ns))[bound]
    assert ratio.max() <= UNLIKE.get((gpu, name), 1.05)


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("element", ["f32", "f16", "bf16"])
def test_a_norm_of_one_row_takes_about_as_long_as_any_small_kernel(element: str, gpu: str) -> None:
    """Rows of 1 to 4,096 elements, of layer norms and of RMS norms, with the launch on the device."""
    norm, board, width = CLASSES["norm"], sheet(gpu), 4.0 if element == "f32" else 2.0
    cols = np.tile(np.geomspace(1, 4096, 40).round(), 2)
    sizes_of = streamed(np.ones(80), cols) | {"centred": np.repeat([0.0, 1.0], 40), "bytes": np.full(80, width)}
    columns = {column.name: np.full(80, column.default or 0.0) for column in norm.columns} | sizes_of
    constants = constants_for(board, "norm", element).constants
    ns = norm.estimate(columns, Chip.of(board, element), constants).ns + board.launch_ns
    low, high = NORM_NS
    assert ns.min() >= low
    assert ns.max() <= high
