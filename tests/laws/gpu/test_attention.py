"""Laws of models of fused attention, for any constants: times are never below the chip's limits, and never decrease if
a size grows, except where the library switches kernels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interp.kinds.gpu.attention.classes import ATTENTION_CLASSES
from interp.kinds.gpu.chip import Floats
from interp.kinds.gpu.kernel_class import KernelClass
from tests.amount import cases
from tests.gpu_draws import COUNT, SEEDS, chip_of, constants, sizes

CLASSES = pytest.mark.parametrize("found", ATTENTION_CLASSES, ids=lambda found: found.name)
GPUS = st.sampled_from(["t4", "a100_80_sxm", "h100_sxm", "h200_sxm", "b200_sxm"])


def kernels(draw: np.random.Generator, found: KernelClass) -> dict[str, Floats]:
    """Random attentions; a prefill has at least two queries, since one query takes another kernel."""
    queries = np.ones(COUNT) if found.kin == "decode" else 1 + sizes(draw, 4096)
    kv_heads = sizes(draw, 64)
    return {
        "batch": sizes(draw, 512),
        "queries": queries,
        "keys": queries + sizes(draw, 65536),
        "heads": kv_heads * sizes(draw, 64),
        "kv_heads": kv_heads,
        "head": draw.choice([40.0, 64.0, 80.0, 128.0, 192.0, 256.0], COUNT),
        "causal": draw.integers(0, 2, COUNT).astype(float),
        "apart": draw.integers(0, 2, COUNT).astype(float),
        "warm": draw.integers(0, 2, COUNT).astype(float),
        "bytes": np.full(COUNT, 2.0, float),
    }


@CLASSES
@given(seed=SEEDS, gpu=GPUS)
@settings(max_examples=cases(25), deadline=None)
def test_no_attention_beats_the_chip(found: KernelClass, seed: int, gpu: str) -> None:
    draw, chip = np.random.default_rng(seed), chip_of(gpu, "f16")
    columns, chosen = kernels(draw, found), constants(draw, found)
    if "head_64" in chosen:  # the tiles of no head compute faster than the peak
        chosen |= {name: min(chosen[name], 1 / chosen["issue"]) for name in ("head_64", "head_256")}
    estimate = found.estimate(columns, chip, chosen)
    batch, queries, keys, head = (columns[name] for name in ("batch", "queries", "keys", "head"))
    cache = (1 + (columns["apart"] if found.kin == "decode" else 1)) * batch * columns["kv_heads"] * keys * head * 2
    compulsory = cache * (columns["warm"] == 0) + np.maximum(0, cache - chip.l2_bytes) * columns["warm"]
    reached = np.where((columns["causal"] > 0) & (found.kin == "prefill"), keys - (queries - 1) / 2, keys)
    flops = 4 * batch * columns["heads"] * queries * reached * head
    assert np.isfinite(estimate.ns).all()
    assert np.all(estimate.ns > 0)
    assert np.all(estimate.flops >= flops * (1 - 1e-9))
    assert np.all(estimate.dram_bytes >= compulsory * (1 - 1e-9))
    assert np.all(estimate.ns >= estimate.flops / chip.matrix_rate * 1e9 * (1 - 1e-9))
    assert np.all(estimate.ns >= compulsory / chip.bandwidth * 1e9 * (1 - 1e-9))


@CLASSES
@given(seed=SEEDS, gpu=GPUS, name=st.sampled_from(["batch", "queries", "keys", "both heads", "head"]))
@settings(max_examples=cases(60), deadline=None)
def test_more_takes_no_less(found: KernelClass, seed: int, gpu: str, name: str) -> None:
    """Attentions with more sequences, queries, keys or heads (at an equal number of heads per cache), or with longer
    heads, take at least as long."""
    draw, chip = np.random.default_rng(seed), chip_of(gpu, "f16")
    less = kernels(draw, found)
    if name == "queries" and found.kin == "decode":
        return
    more, times = dict(less), 1 + sizes(draw, 8)
    if name == "both heads":
        more |= {"heads": less["heads"] * times, "kv_heads": less["kv_heads"] * times}
    elif name == "head":
        more["head"] = np.minimum(256.0, less["head"] + sizes(draw, 128))
    elif name == "queries":  # over keys that are there either way
        more["queries"] = np.minimum(less["keys"], less["queries"] + sizes(draw, 1000))
    else:
        more[name] = less[name] + sizes(draw, 1000)
    chosen = constants(draw, found)
    before, after = found.estimate(less, chip, chosen).ns, found.estimate(more, chip, chosen).ns
    assert np.all(after >= before * (1 - 1e-9))


@CLASSES
@given(seed=SEEDS, gpu=GPUS)
@settings(max_examples=cases(25), deadline=None)
def test_more_heads_on_a_cache_take_no_less(found: KernelClass, seed: int, gpu: str) -> None:
    """Each of the two compared decodes has 2 to 32 heads per cache, which the library packs into one tile; for other
    numbers of heads per cache it may choose another kernel."""
    draw, chip = np.random.default_rng(seed), chip_of(gpu, "f16")
    less = kernels(draw, found)
    group = draw.choice([2.0, 3.0, 8.0, 12.0, 16.0], COUNT)
    less["heads"] = less["kv_heads"] * group
    more = less | {"heads": less["kv_heads"] * group * draw.choice([1.0, 2.0], COUNT)}
    chosen = constants(draw, found)
    before, after = found.estimate(less, chip, chosen).ns, found.estimate(more, chip, chosen).ns
    assert np.all(after >= before * (1 - 1e-9))


@given(seed=SEEDS, gpu=GPUS)
@settings(max_examples=cases(25), deadline=None)
def test_a_cache_apart_takes_no_less_than_one_for_both(seed: int, gpu: str) -> None:
    draw, chip = np.random.default_rng(seed), chip_of(gpu, "f16")
    decode = next(found for found in ATTENTION_CLASSES if found.name == "decode")
    columns, chosen = kernels(draw, decode), constants(draw, decode)
    one = decode.estimate(columns | {"apart": np.zeros(COUNT)}, chip, chosen).ns
    assert np.all(decode.estimate(columns | {"apart": np.ones(COUNT)}, chip, chosen).ns >= one * (1 - 1e-9))
