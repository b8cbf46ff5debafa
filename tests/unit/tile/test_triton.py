"""Output of `-t triton`: it is valid Python, computes a kernel's values, and compiles if the package `triton` is
installed."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import InputError
from dialects.graph import AttentionOp
from dialects.tile import KernelOp, memref_of
from interp.tile.values import run_kernel
from lowering.tile.schedule import Convolution, Problem, Schedule
from lowering.tile.templates import kernel_of, kernel_of_op
from ndpir import parse
from ndpir.writers.triton.compiler import compiled
from ndpir.writers.triton.emit import functions, text_of
from tests.amount import cases

HAS_TRITON = importlib.util.find_spec("triton") is not None
HAS_TORCH = importlib.util.find_spec("torch") is not None
ATTENTION = """
func.func @f(%q: tensor<1x4x64x64xf16>, %k: tensor<1x2x40x64xf16>, %v: tensor<1x2x40x32xf16>) {
  %y = graph.attention %q, %k, %v causal : tensor<1x4x64x64xf16>, tensor<1x2x40x64xf16>, tensor<1x2x40x32xf16>
  func.return
}
"""
IMAGES = Problem.of_convolution(Convolution(2, (9, 8), 16, 24, (3, 3), (2, 1), ((1, 1), (1, 1))))
CASES: dict[str, tuple[Problem, Schedule]] = {
    "square": (Problem(64, 64, 64), Schedule((32, 32, 16), (2, 2), stages=2)),
    "uneven": (Problem(40, 70, 50), Schedule((32, 64, 32), (2, 2), stages=3, order=2, pad=8)),
    "fragments": (Problem(99, 33, 128), Schedule((32, 16, 64), (2, 1), instruction=32, stages=3, register_stages=2)),
    "batched": (Problem(40, 64, 64, batch=3, across=True), Schedule((32, 32, 32), (2, 1), stages=3)),
    "split": (Problem(40, 64, 256, epilogue=("relu",)), Schedule((32, 32, 32), (2, 1), stages=2, split=2)),
    "convolution": (IMAGES, Schedule((32, 32, 16), (2, 1), stages=2)),
}


def kernel_named(case: str) -> KernelOp:
    """Return the verified kernel of a test case: a product in CASES, or the attention."""
    if case == "attention":
        (op,) = (each for each in parse(ATTENTION).walk() if isinstance(each, AttentionOp))
        kernel = kernel_of_op(op, Schedule((32, 16, 16), (2, 1), stages=2))
    else:
        kernel = kernel_of(*CASES[case])
    ModuleOp([kernel]).verify()
    return kernel


def printed(problem: Problem, schedule: Schedule) -> str:
    kernel = kernel_of(problem, schedule)
    ModuleOp([kernel]).verify()
    return text_of([kernel])


@given(
    st.builds(Problem, st.integers(1, 300), st.integers(1, 300), st.integers(1, 300)),
    st.builds(
        Schedule,
        st.tuples(*[st.sampled_from((16, 32, 64))] * 3),
        st.just((1, 1)),
        stages=st.integers(1, 5),
        order=st.integers(1, 9),
    ),
)
@settings(max_examples=cases(75), deadline=None)
def test_the_printed_text_is_python(problem: Problem, schedule: Schedule) -> None:
    text = printed(problem, schedule)
    names = [each.name for each in ast.parse(text).body if isinstance(each, ast.FunctionDef)]
    assert names == ["product_blocks", "product"]
    assert f"num_stages={schedule.stages}" in text


def test_names_of_python_are_not_hidden() -> None:
    kernel = kernel_named("square")
    for value, hint in zip(kernel.body.block.args, ("lambda", "lambda", "print"), strict=True):
        value.name_hint = hint
    text = text_of([kernel])
    compile(text, "printed", "exec")
    assert "def product(lambda_, lambda__1):" in text
    assert "print_ = torch.empty" in text


def test_without_triton_the_compiler_prints_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = kernel_named("square")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)  # pyright: ignore
    with pytest.raises(InputError, match="the package `triton` is not installed"):
        compiled(text_of([kernel]), functions([kernel]), 80)


@pytest.mark.slow
@pytest.mark.skipif(not HAS_TRITON, reason="the package triton is not installed")
@pytest.mark.parametrize("case", [*CASES, "attention"])
def test_triton_compiles_it(case: str) -> None:
    kernel = kernel_named(case)
    lines = compiled(text_of([kernel]), functions([kernel]), 80)
    assert len(lines) == len(kernel.grids)
    for line in lines:
        assert re.fullmatch(r"product_blocks(_\d)? for sm_80: \d+ registers a thread, \d+ bytes of shared memory", line)


@pytest.mark.slow
@pytest.mark.skipif(not (HAS_TRITON and HAS_TORCH), reason="the packages triton and torch are not installed")
@pytest.mark.parametrize("case", [*CASES, "attention"])
def test_tritons_interpreter_computes_the_kernels_values(case: str, tmp_path: Path) -> None:
    kernel = kernel_named(case)
    draws = np.random.default_rng(0)
    factors = [draws.standard_normal(memref_of(each).get_shape()).astype(np.float16) for each in kernel.inputs]
    (expected,) = run_kernel(kernel, factors)
    (tmp_path / "printed.py").write_text(text_of([kernel]))
    np.savez(tmp_path / "factors.npz", *factors)
    run = (
        "import numpy, printed, torch\n"
        "factors = [torch.from_numpy(each) for each in numpy.load('factors.npz').values()]\n"
        "numpy.save('found.npy', printed.product(*factors).numpy())\n"
    )
    # Triton asks for its interpreter when it is imported, so it runs in a process of its own.
    environment = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    subprocess.run([sys.executable, "-c", run], cwd=tmp_path, env=environment, check=True)
    found = np.load(tmp_path / "found.npy")
    np.testing.assert_allclose(found.astype(float), expected.astype(float), rtol=4e-3, atol=4e-3)
