"""What `-t triton` prints is Python; it computes a kernel's values and compiles where the package `triton` is."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import InputError
from dialects.tile import KernelOp
from interp.tile.values import run_kernel
from lowering.tile.schedule import Problem, Schedule
from lowering.tile.templates import kernel_of
from ndpir.tile.compiler import compiled
from ndpir.tile.triton import functions, text_of

HAS_TRITON = importlib.util.find_spec("triton") is not None
HAS_TORCH = importlib.util.find_spec("torch") is not None
CASES = (
    (Problem(64, 64, 64), Schedule((32, 32, 16), (2, 2), stages=2)),
    (Problem(40, 70, 50), Schedule((32, 64, 32), (2, 2), stages=3, order=2, pad=8)),
    (Problem(100, 33, 128), Schedule((32, 16, 64), (2, 1), instruction=32, stages=3, register_stages=2)),
)


def printed(problem: Problem, schedule: Schedule) -> tuple[KernelOp, str]:
    kernel = kernel_of(problem, schedule)
    ModuleOp([kernel]).verify()
    return kernel, text_of([kernel])


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
@settings(max_examples=30, deadline=None)
def test_what_is_printed_is_python(problem: Problem, schedule: Schedule) -> None:
    _, text = printed(problem, schedule)
    names = [each.name for each in ast.parse(text).body if isinstance(each, ast.FunctionDef)]
    assert names == ["product_blocks", "product"]
    assert f"num_stages={schedule.stages}" in text


def test_names_of_python_are_not_hidden() -> None:
    kernel, _ = printed(*CASES[0])
    for value, hint in zip(kernel.body.block.args, ("lambda", "lambda", "print"), strict=True):
        value.name_hint = hint
    text = text_of([kernel])
    compile(text, "printed", "exec")
    assert "def product(lambda_, lambda__1):" in text
    assert "print_ = torch.empty" in text


def test_without_triton_the_compiler_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, text = printed(*CASES[0])
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)  # pyright: ignore
    with pytest.raises(InputError, match="the package `triton` is not installed"):
        compiled(text, functions([kernel]), 80)


@pytest.mark.slow
@pytest.mark.skipif(not HAS_TRITON, reason="the package triton is not installed")
@pytest.mark.parametrize(("problem", "schedule"), CASES)
def test_triton_compiles_it(problem: Problem, schedule: Schedule) -> None:
    kernel, text = printed(problem, schedule)
    (line,) = compiled(text, functions([kernel]), 80)
    assert line.startswith("product_blocks for sm_80: ")


@pytest.mark.slow
@pytest.mark.skipif(not (HAS_TRITON and HAS_TORCH), reason="the packages triton and torch are not installed")
@pytest.mark.parametrize(("problem", "schedule"), CASES)
def test_tritons_interpreter_computes_the_kernels_values(problem: Problem, schedule: Schedule, tmp_path: Path) -> None:
    kernel, text = printed(problem, schedule)
    draws = np.random.default_rng(0)
    factors = [
        draws.standard_normal(shape).astype(np.float16) for shape in ((problem.m, problem.k), (problem.k, problem.n))
    ]
    (expected,) = run_kernel(kernel, factors)
    (tmp_path / "printed.py").write_text(text)
    np.savez(tmp_path / "factors.npz", *factors)
    run = (
        "import numpy, printed, torch\n"
        "factors = [torch.from_numpy(each) for each in numpy.load('factors.npz').values()]\n"
        "numpy.save('found.npy', printed.product(*factors).numpy())\n"
    )
    # Triton asks for its interpreter when it is imported, so it runs in a process of its own.
    environment = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    subprocess.run([sys.executable, "-c", run], cwd=tmp_path, env=environment, check=True)
    np.testing.assert_allclose(
        np.load(tmp_path / "found.npy").astype(float), expected.astype(float), rtol=2e-3, atol=2e-3
    )
