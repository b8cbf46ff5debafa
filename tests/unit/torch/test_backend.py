"""The backend of torch.compile: its entry point; its report, where PyTorch is installed."""

from __future__ import annotations

import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

import ndpir.pytorch

PROJECT = Path(__file__).parents[3] / "pyproject.toml"
GROUP = "torch_dynamo_backends"


def test_the_entry_point_is_the_backend() -> None:
    """PyTorch finds the backend of `torch.compile(model, backend="ndpir")` among the entry points of this group."""
    named = tomllib.loads(PROJECT.read_text())["project"]["entry-points"][GROUP]
    assert {name: EntryPoint(name, value, GROUP).load() for name, value in named.items()} == {
        "ndpir": ndpir.pytorch.backend
    }


def test_other_options_are_refused() -> None:
    with pytest.raises(ndpir.InputError, match="the backend has no option `chip`; its options are machine, passes"):
        ndpir.pytorch.backend(None, (), options={"chip": "h100"})


def test_a_compiled_model_is_reported() -> None:
    torch: Any = pytest.importorskip("torch")
    if "ndpir" not in torch._dynamo.list_backends():
        pytest.skip("ndpir is not installed, so that PyTorch does not find its entry point")

    a, b = torch.nn.Linear(64, 64), torch.nn.Linear(64, 64)

    def branching(x: Any) -> Any:
        y = a(x).relu()
        if y.sum() > 0:
            y = y + 1
        return b(y)

    ndpir.pytorch.reset()
    model = torch.compile(branching, backend="ndpir", options={"machine": "h100-aim"})
    x = torch.randn(4, 64)
    for _ in range(2):
        model(x).sum().backward()
    found = ndpir.pytorch.report()
    assert [(graph.kind, graph.calls) for graph in found.graphs] == [("forward", 2)] * 2 + [("backward", 2)] * 2
    assert [(graph.tasks or 0) > 0 for graph in found.graphs] == [True] * 4
    assert 0 < found.seen <= 1
    assert dict(found.breaks) == {"Data-dependent branching (test_backend.py:40)": 1}
    assert "break    Data-dependent branching (test_backend.py:40)" in str(found)
    ndpir.pytorch.reset()
    with pytest.raises(ndpir.InputError, match="no compiled model ran"):
        ndpir.pytorch.report()
