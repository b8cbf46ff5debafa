"""Small models of JAX, and random programs, run here and by XLA in the same test."""

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

from tests.stablehlo_models import MODELS

pytestmark = pytest.mark.slow
FORWARD, TRAINING, NARROW = 5e-6, 5e-5, 1.5e-2
"""Largest differences, relative to the largest entry of each result: of forward passes and training steps in f32, and
of forward passes in f16 and bf16."""
FIRST, COUNT, AT_ONCE = 100_000, 120, 20
"""Seeds of random programs, which tests/data/stablehlo holds none of; how many there are, and in a test."""


def as_numbers(argument: Any) -> NDArray[Any]:
    """An argument as programs take it: keys are the numbers that they hold."""
    is_key = jax.dtypes.issubdtype(argument.dtype, jax.dtypes.prng_key)
    return np.asarray(jax.random.key_data(argument) if is_key else argument)


@pytest.fixture(scope="module")
def xla() -> Xla:
    return Xla()


@pytest.mark.parametrize("name", MODELS)
def test_models_compute_what_xla_does(name: str, xla: Xla) -> None:
    """As they are read from JAX's object, fused, and written back."""
    model = MODELS[name]
    lowered = jax.jit(model.function, keep_unused=True, **model.words).lower(*model.arguments)
    leaves = jax.tree.leaves(model.arguments)
    arguments: list[NDArray[Any]] = [as_numbers(each) for each in leaves]
    limit = NARROW if name.endswith("f16") else TRAINING if model.trains else FORWARD
    theirs, module = xla(lowered.as_text(), arguments), ndpir.read(lowered)
    fused = ndpir.compile(module, "inline,canonicalize,fuse{attention=true}")
    for ours in (ndpir.run(module, arguments), ndpir.run(fused, arguments)):
        assert max(map(relative_error, ours, theirs)) <= limit
    if limit == FORWARD:
        written = xla(ndpir.write(module, "stablehlo"), arguments)
        assert max(map(relative_error, written, theirs)) <= limit


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, AT_ONCE))
def test_random_programs_compute_what_xla_does(first: int, xla: Xla) -> None:
    """What is refused by name aside; of every fourth, what is written is run by XLA, too."""
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
