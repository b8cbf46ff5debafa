"""Programs of torch.export.save, read without PyTorch: their results equal those that PyTorch computed
(tests/data/torch, written by `python -m benchmarks pytorch_stored`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import ndpir
from dialects.task.state import State

DATA = Path(__file__).parents[2] / "data" / "torch"
Arrays = Mapping[str, NDArray[Any]]


def stored(name: str) -> Arrays:
    with np.load(DATA / f"{name}.npz") as arrays:
        return dict(arrays)


def main_of(module: ModuleOp) -> FuncOp:
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    return function


def results(module: ModuleOp, arrays: Arrays) -> tuple[list[NDArray[Any]], dict[str, NDArray[Any]]]:
    """The results that the user's model returns, and the new contents of states by the buffer's name."""
    function = main_of(module)
    given = [value for key, value in arrays.items() if key.startswith("input")]
    names = [str(argument.name_hint) for argument in function.body.block.args][len(given) :]
    found = ndpir.run(module, [*given, *(arrays[f"state.{name}"] for name in names)])
    noted = function.arg_attrs.data if function.arg_attrs is not None else ()
    states = dict(zip(names, (State.of(each.data) for each in noted[len(given) :]), strict=False))
    changed = {
        name: found[state.result] for name, state in states.items() if state is not None and state.result is not None
    }
    return found[: len(found) - len(changed)], changed


CASES = (
    "cached", "cached_core", "images", "images_core", "branches", "quantized", "experts", "sizes", "layers", "changes",
    "spectrum", "joint",
)  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_results_equal_those_of_pytorch(case: str) -> None:
    arrays = stored(case.removesuffix("_core"))
    found, changed = results(ndpir.read(DATA / f"{case}.pt2"), arrays)
    expected = [value for key, value in arrays.items() if key.startswith("output")]
    assert len(found) == len(expected)
    for mine, theirs in zip(found, expected, strict=True):
        assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
        np.testing.assert_allclose(mine, theirs, rtol=2e-5, atol=2e-2 if case == "experts" else 2e-6)
    for name, value in changed.items():
        np.testing.assert_allclose(value, arrays[f"changed.{name}"], rtol=1e-6, atol=1e-6)


def test_training_steps_by_all_optimizers_equal_those_of_pytorch() -> None:
    """The optimizers of `benchmarks/frameworks/pytorch_steps.py`, each in a step of its own, behind two steps."""
    with np.load(DATA / "steps.npz") as arrays:
        given = [arrays[f"input{at}"] for at in range(sum(key.startswith("input") for key in arrays))]
        after = [arrays[f"after{at}"] for at in range(len(arrays) - len(given))]
    module = ndpir.read(DATA / "steps.pt2")
    found: list[NDArray[Any]] = list(ndpir.run(module, given))
    losses = after[: len(after) - len(given)]
    assert len(losses) == 14
    for mine, theirs in zip(found, losses, strict=False):
        np.testing.assert_allclose(mine, theirs, rtol=1e-6)
    noted = main_of(module).arg_attrs
    assert noted is not None
    states = [State.of(each.data) for each in noted.data]
    for old, state, new in zip(given, states, after[len(losses) :], strict=True):
        mine: NDArray[Any] = old if state is None or state.result is None else found[state.result]
        np.testing.assert_allclose(mine, new, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("case", ["cached", "cached_core"])
def test_buffers_that_change_are_states(case: str) -> None:
    text = ndpir.write(ndpir.read(DATA / f"{case}.pt2"))
    assert re.search(r'%keys: tensor<1x2x6x4xf32> \{graph.fill = .*?, task.state = "overwritten, result 1"\}', text)
    assert '%steps: tensor<i64> {graph.fill = array<i64: 3, 4>, task.state = "overwritten, result 3"}' in text


def test_a_cache_that_is_written_in_place_is_updated() -> None:
    placed = ndpir.write(ndpir.compile(DATA / "cached.pt2", "state", machine="toy"))
    assert placed.count('task.state = "updated, result') == 2


def test_weights_stay_in_the_file() -> None:
    text = ndpir.write(ndpir.read(DATA / "cached.pt2"))
    assert '%qkv.weight = graph.weight "qkv.weight" = file("' in text


def test_ops_have_places_in_the_model() -> None:
    module = ndpir.read(DATA / "cached.pt2")
    (product, *_) = (op for op in main_of(module).body.block.ops if op.name == "graph.matmul")
    assert "qkv (pytorch_stored.py:" in str(product.location)


def test_sizes_are_bound_by_name() -> None:
    path = DATA / "sizes.pt2"
    assert main_of(ndpir.read(path)).function_type.inputs.data[0] == _tokens(3, 5)
    given = {"tokens.0": 7, "tokens.1": 9}
    module = ndpir.read(path, dims=given)
    assert main_of(module).function_type.inputs.data[0] == _tokens(7, 9)
    assert ndpir.run(module, seed=1)[0].shape == (7,)
    assert main_of(ndpir.read(path, batch=4)).function_type.inputs.data[0] == _tokens(4, 5)
    assert main_of(ndpir.read(path, shapes={"tokens": (2, 6)})).function_type.inputs.data[0] == _tokens(2, 6)


def _tokens(batch: int, length: int) -> Any:
    from xdsl.dialects.builtin import TensorType, i64

    return TensorType(i64, [batch, length])


def test_sizes_beyond_the_exported_range_are_refused() -> None:
    with pytest.raises(ndpir.InputError, match=r"tokens\.0 can't be 65: the program was exported for 1 to 64"):
        ndpir.read(DATA / "sizes.pt2", dims={"tokens.0": 65})


def test_unknown_dimensions_are_refused() -> None:
    with pytest.raises(ndpir.InputError, match=r"no input has a dimension `tokens\.3`"):
        ndpir.read(DATA / "sizes.pt2", dims={"tokens.3": 2})


def test_fixed_sizes_are_traced_through_the_program() -> None:
    module = ndpir.read(DATA / "quantized.pt2", batch=5)
    assert ndpir.run(module, seed=1)[0].shape == (5, 6)


def test_all_unsupported_operators_are_listed() -> None:
    message = (
        r"2 operators are not supported: aten\.linalg_inv\.default \(2 times, in pytorch_stored\.py:\d+\); "
        r"aten\.linalg_matrix_exp\.default \(once, in pytorch_stored\.py:\d+\); decompose it"
    )
    with pytest.raises(ndpir.InputError, match=message):
        ndpir.read(DATA / "refused.pt2")


def test_unsupported_operators_may_be_opaque() -> None:
    module = ndpir.read(DATA / "refused.pt2", opaque=True)
    assert ndpir.write(module).count("graph.opaque") == 3
    assert ndpir.simulate(ndpir.compile(module, "offload", machine="a100-newton")).makespan_ns > 0
