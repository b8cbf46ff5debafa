"""Tests of wrong input of every kind: each message states the error and its location, and ndp-opt never reports an
internal error."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import numpy as np
import pytest

import ndpir
from lowering.optimise.policies import POLICIES
from ndpir.cli.opt import BAD_INPUT, BAD_USAGE, DONE, main

PROGRAM = """\
func.func @a(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.relu %x : tensor<2xf32>
  func.return %y : tensor<2xf32>
}
"""
HUGE = PROGRAM.replace("tensor<2xf32>", "tensor<1000000x1000000xf32>")
RECURSIVE = """\
func.func @rec(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = func.call @rec(%x) : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
"""
PLUGIN = """\
def bad(problem):
    return {}["nope"]

POLICIES = {"bad-policy": bad}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for name, text in (("x.mlir", PROGRAM), ("huge.mlir", HUGE), ("rec.mlir", RECURSIVE), ("plug.py", PLUGIN)):
        (tmp_path / name).write_text(text)
    np.save("in.npy", np.zeros(2, np.float32))
    return tmp_path


LARGE = "the inputs of @a take 4 TB, but this computer's memory has"


@pytest.mark.parametrize(
    ("arguments", "status", "expected"),
    [
        (["x.mlir", "-t", 'values{entry=a inputs="in.npy"}'], BAD_INPUT, "in.npy: error: the file holds one array"),
        (
            ["x.mlir", "-t", 'values{inputs="no.npz"}'],
            BAD_INPUT,
            "no.npz: error: can't be read: there is no such file",
        ),
        (["x.mlir", "-t", "values", "--inputs", "no.npz"], BAD_INPUT, "no.npz: error: can't be read: there is no such"),
        (
            ["x.mlir", "-p", "cse", "--check", "--inputs", "in.npy"],
            BAD_INPUT,
            "in.npy: error: the file holds one array",
        ),
        (["x.mlir", "-o", "no/x.txt"], BAD_INPUT, "no/x.txt: error: can't be written: there is no folder no"),
        (["huge.mlir", "-t", "values"], BAD_INPUT, f"huge.mlir:1:1: error: {LARGE}"),
        (["huge.mlir", "-p", "cse", "--check"], BAD_INPUT, f"huge.mlir:1:1: error: {LARGE}"),
        (["rec.mlir", "-t", "values"], BAD_INPUT, "rec.mlir:2:8: error: func.call: @rec calls itself"),
        (["--show-device", ""], BAD_USAGE, "ndp-opt: error: --show-device needs the name of a device"),
        (
            ["x.mlir", "-t", "timeline{limit=-1}"],
            BAD_USAGE,
            "-t:1:10: error: `limit` of timeline is a number of",
        ),
        (
            ["x.mlir", "-t", "values{limit=-1}"],
            BAD_USAGE,
            "-t:1:8: error: `limit` of values is a number of",
        ),
        (["x.mlir", "-t", "values", "--seed=-1"], BAD_USAGE, "argument --seed: expected a whole number from 0 on"),
        (["x.mlir", "-p", "place{policy=greddy}"], BAD_USAGE, "-p:1:7: error: option `policy` of place must be one of"),
        (["x.mlir", "-p", "place{policy=greddy}"], BAD_USAGE, "but is greddy; did you mean `greedy`?"),
        (
            ["x.mlir", "-p", "reduce-precision{to=f8}"],
            BAD_USAGE,
            "option `to` of reduce-precision must be one of auto, keep, f16, bf16, f32, but is f8",
        ),
        (["x.mlir", "--check"], DONE, "note: --check compares results before and after passes"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",  # pyright: ignore[reportUnknownArgumentType]
)
def test_messages(arguments: list[str], status: int, expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == status
    assert expected in capsys.readouterr().err.splitlines()[0]


@pytest.fixture
def restored_policies() -> Iterator[None]:
    known = dict(POLICIES)
    yield
    for name in POLICIES.keys() - known:
        del POLICIES[name]


@pytest.mark.usefixtures("restored_policies")
def test_failing_plugin_policy_is_located(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    arguments = ["x.mlir", "--machine", "toy", "--plugin", "plug.py"]
    assert main([*arguments, "-p", "place{policy=bad-policy}"]) == BAD_INPUT
    [line] = capsys.readouterr().err.splitlines()
    assert "plug.py:2:1: error: the plugin fails while running pass place (KeyError: 'nope')" in line
    assert 'return {}["nope"]' in Path(line.rpartition(" ")[2]).read_text()
    assert main([*arguments, "-p", "place{policy=bad-polcy}"]) == BAD_USAGE
    assert "did you mean `bad-policy`?" in capsys.readouterr().err
    ndpir.load_plugin(folder / "plug.py")
    with pytest.raises(ndpir.InputError, match=r"plug.py:2:1: the plugin fails: KeyError: 'nope'"):
        ndpir.compile(ndpir.parse(PROGRAM), "place{policy=bad-policy}", machine="toy")


def test_inputs_must_be_arrays() -> None:
    with pytest.raises(ndpir.InputError, match="input 0 of @a must be a numpy array, not a str"):
        ndpir.run(ndpir.parse(PROGRAM), cast(list[np.ndarray], ["a"]))


def test_a_dash_is_stdin_and_stdout(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PROGRAM.encode())))
    assert main(["-", "-o", "-"]) == DONE
    assert "graph.relu" in capsys.readouterr().out


def test_allowed_values_of_options_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--list-passes"])
    out = capsys.readouterr().out
    assert "policy: one of gpu, pim-first, priority, greedy, path, pattern" in out
    assert "to: one of auto, keep, f16, bf16, f32 (default auto)" in out
