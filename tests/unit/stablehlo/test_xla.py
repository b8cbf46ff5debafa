"""Tests that run small models of JAX, and random programs, both by ndpir and by XLA."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ndpir
from dialects.diagnostics import InputError
from tests.stablehlo_programs import program
from tests.stablehlo_random import Xla, difference, relative_error

if find_spec("jax") is None:
    pytest.skip("jax (extra `test`) brings XLA", allow_module_level=True)

import jax  # pyright: ignore[reportMissingModuleSource]
from jax import lax  # pyright: ignore[reportMissingModuleSource]

from tests.stablehlo_models import MODELS

pytestmark = pytest.mark.slow
FORWARD, TRAINING, SHORT_TYPES = 5e-6, 5e-5, 1.5e-2
"""The largest differences, relative to the largest entry of each result: of forward passes in f32, of training steps in
f32, and of forward passes in f16 and bf16."""
FIRST, COUNT, AT_ONCE = 100_000, 120, 20
"""The first seed of random programs (none of these programs is in tests/data/stablehlo), their number, and the number
in each test."""


def as_numbers(argument: Any) -> NDArray[Any]:
    """An argument as programs take it; a random key is converted to its numbers."""
    is_key = jax.dtypes.issubdtype(argument.dtype, jax.dtypes.prng_key)
    return np.asarray(jax.random.key_data(argument) if is_key else argument)


@pytest.fixture(scope="module")
def xla() -> Xla:
    return Xla()


@pytest.mark.parametrize("name", MODELS)
def test_results_of_models_equal_those_of_xla(name: str, xla: Xla) -> None:
    """Models are read from JAX's object, fused, and written back."""
    model = MODELS[name]
    lowered = jax.jit(model.function, keep_unused=True, **model.words).lower(*model.arguments)
    leaves = jax.tree.leaves(model.arguments)
    arguments: list[NDArray[Any]] = [as_numbers(each) for each in leaves]
    limit = SHORT_TYPES if name.endswith("f16") else TRAINING if model.trains else FORWARD
    theirs, module = xla(lowered.as_text(), arguments), ndpir.read(lowered)
    fused = ndpir.compile(module, "inline,canonicalize,fuse{attention=true}")
    for ours in (ndpir.run(module, arguments), ndpir.run(fused, arguments)):
        assert max(map(relative_error, ours, theirs)) <= limit
    if limit == FORWARD:
        written = xla(ndpir.write(module, "stablehlo"), arguments)
        assert max(map(relative_error, written, theirs)) <= limit


def test_results_on_a_mesh_of_one_device_equal_those_of_xla(xla: Xla) -> None:
    """Collective functions of JAX run over an axis of one device."""

    def function(x: Any) -> Any:
        reduced = lax.psum(x, "i"), lax.pmax(x, "i"), lax.psum_scatter(x, "i", tiled=True), lax.pmean(x, "i")
        moved = lax.ppermute(x, "i", [(0, 0)]), lax.ppermute(x, "i", []), lax.all_to_all(x, "i", 0, 0, tiled=True)
        return *reduced, *moved, lax.all_gather(x, "i"), lax.axis_index("i")[None]

    x = np.arange(4, dtype=np.float32)
    mesh, along = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("i",)), jax.sharding.PartitionSpec("i")
    mapped = jax.shard_map(function, mesh=mesh, in_specs=along, out_specs=along, check_vma=False)
    lowered = jax.jit(mapped).lower(jax.ShapeDtypeStruct(x.shape, x.dtype))
    theirs, ours = xla(lowered.as_text(), [x]), ndpir.run(ndpir.read(lowered), [x])
    assert max(map(relative_error, ours, theirs)) == 0


GROUPS = np.array([2, 3, 0, 4], np.int32)
BOTH = np.stack([GROUPS, GROUPS[::-1]])
RAGGED: dict[str, tuple[tuple[Any, ...], tuple[int, ...], tuple[int, ...], NDArray[Any]]] = {
    "rows": (((((1,), (1,)), ((), ())), [0], [0]), (12, 4), (4, 4, 5), GROUPS),
    "rows_and_more": (((((2,), (1,)), ((), ())), [0], [0]), (12, 3, 4), (4, 4, 5), GROUPS),
    "rows_turned": (((((0,), (2,)), ((), ())), [1], [1]), (4, 12), (5, 4, 4), GROUPS),
    "rows_of_a_batch": (((((2,), (2,)), ((0,), (1,))), [1], [0]), (2, 12, 4), (4, 2, 4, 5), GROUPS),
    "rows_of_a_batch_each": (((((2,), (2,)), ((0,), (1,))), [1], [0]), (2, 12, 4), (4, 2, 4, 5), BOTH),
    "sums": (((((0,), (0,)), ((), ())), [0], []), (12, 4), (12, 5), GROUPS),
    "sums_and_more": (((((0, 1), (0, 1)), ((), ())), [0], []), (12, 3, 4), (12, 3, 5), GROUPS),
    "sums_of_a_batch": (((((2,), (1,)), ((0,), (0,))), [2], []), (2, 4, 12), (2, 12, 5), GROUPS),
    "batch": (((((2,), (1,)), ((0,), (0,))), [0], []), (12, 2, 4), (12, 4, 5), GROUPS),
}
"""Products of ragged groups by name: dimension numbers, shapes of both factors, group sizes."""


@pytest.mark.parametrize("name", RAGGED)
def test_ragged_products_equal_those_of_xla(name: str, xla: Xla) -> None:
    """XLA's results are those of the product lowered for a CPU, to several ops. Compared with them are ndpir's results
    of the product lowered for a TPU, to one op, and XLA's results of the text that `-t stablehlo` writes for this
    op."""
    numbers, *shapes, sizes = RAGGED[name]
    random = np.random.default_rng(0)
    factors = [random.standard_normal(shape).astype(np.float32) for shape in shapes]

    def function(a: Any, b: Any, n: Any) -> Any:
        return lax.ragged_dot_general(a, b, n, lax.RaggedDotDimensionNumbers(*numbers))

    traced = jax.jit(function).trace(*factors, sizes)
    theirs = xla(traced.lower().as_text(), [*factors, sizes])
    text = traced.lower(lowering_platforms=("tpu",)).as_text()
    assert "chlo.ragged_dot" in text
    module = ndpir.parse(text, f"{name}.mlir")
    for ours in (ndpir.run(module, [*factors, sizes]), xla(ndpir.write(module, "stablehlo"), [*factors, sizes])):
        assert max(map(relative_error, ours, theirs)) <= FORWARD


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, AT_ONCE))
def test_results_of_random_programs_equal_those_of_xla(first: int, xla: Xla) -> None:
    """All random programs are compared except those that are refused by name; for every fourth, XLA also runs the
    written program."""
    compared = 0
    for seed in range(first, first + AT_ONCE):
        text, arguments, scales = program(seed)
        text = xla.pretty(text) if seed % 2 else text
        try:
            module = ndpir.parse(text, f"{seed}.mlir")
            ours = [ndpir.run(module, arguments)]
            if seed % 4 == 0:
                ours.append(xla(ndpir.write(module, "stablehlo"), arguments))
        except InputError:
            continue
        theirs = xla(text, arguments)
        assert [(seed, difference(each, theirs, scales)) for each in ours] == [(seed, "")] * len(ours)
        compared += 1
    assert compared >= 0.9 * AT_ONCE
