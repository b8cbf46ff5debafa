"""Tests that kinds of devices are extensible: a plugin can add a kind, and no code outside of interp/machine and
interp/kinds tests for a specific kind."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import ndpir
from dialects.dependencies import Kept
from interp.machine.composition import Machine
from interp.machine.sheets import fields, search
from ndpir.cli.check import error_of
from ndpir.cli.opt import main
from ndpir.registry.plugins import Plugin

ROOT = Path(__file__).parents[3]
PLUGIN = ROOT / "examples" / "plugin"
KINDS = {"Gpu", "Pim", "NearData", "Memory", "Device", "FixedUnit"}
FOLDERS = ("interp/machine/", "interp/kinds/")
"""The folders in which kinds of devices are defined."""


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Remove the plugin's additions after a test."""
    monkeypatch.setattr(search, "_added", list[Path]())
    monkeypatch.setattr(ndpir._registry(), "loaded", Kept[Plugin]())  # pyright: ignore[reportPrivateUsage]
    before = dict(fields.KINDS)
    yield
    for kind in set(fields.KINDS) - set(before):
        del fields.KINDS[kind]


def kind_tests(tree: ast.AST) -> Iterator[int]:
    """Yield lines of code that test the kind of a device."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, kinds]):
                names = {each.id for each in ast.walk(kinds) if isinstance(each, ast.Name)}
                if names & KINDS:
                    yield node.lineno
            case ast.MatchClass(cls=ast.Name(id=name)) if name in KINDS:
                yield node.lineno
            case ast.Compare(
                left=ast.Attribute(attr="kind"),
                comparators=[ast.Constant(value="gpu" | "cpu" | "pim" | "ndp" | "memory")],
            ):
                yield node.lineno
            case ast.Call(func=ast.Name(id="hasattr"), args=[ast.Name(id="record" | "device"), *_]):
                yield node.lineno
            case _:
                pass


def test_no_code_tests_for_a_kind() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for floor in ("interp", "lowering", "ndpir")
        for path in (ROOT / floor).rglob("*.py")
        if not path.relative_to(ROOT).as_posix().startswith(FOLDERS)
        for line in kind_tests(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not found, "use a method of the device (interp/machine/device.py): " + ", ".join(found)


@pytest.mark.parametrize(
    "text",
    ["isinstance(x, Gpu | Pim)", "x.kind == 'pim'", "hasattr(device, 'banks')", "match x:\n  case Pim():\n    pass"],
)
def test_tests_for_a_kind_are_found(text: str) -> None:
    assert list(kind_tests(ast.parse(text)))


def ran(capsys: pytest.CaptureFixture[str], program: str, *arguments: str) -> tuple[str, str]:
    status = main(
        [str(PLUGIN / program), "--plugin", str(PLUGIN / "fixed.py"), "--machine", "a100-newton-fixed", *arguments]
    )
    out, err = capsys.readouterr()
    assert status == 0, err
    return out, err


@pytest.mark.slow
def test_ops_are_placed_on_a_plugins_device_if_faster(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out, err = ran(capsys, "attend.mlir", "-p", "offload", "--check", "--summary", "-t", "timeline")
    assert re.search(r"^ *[\d.]+ us +[\d.]+ us +[\d.]+ ns +unit +softmax +memory", out, re.MULTILINE)
    assert re.search(r"^unit +[\d.]+ ns .* uJ +[\d.]+ uJ +524.29 kB", out, re.MULTILINE), "busy, energy, idle, memory"
    assert "check: to-pim: 1 result equal" in err
    speed_up = re.search(r"^speed-up +([\d.]+)x", out + err, re.MULTILINE)
    assert speed_up is not None
    assert float(speed_up[1]) > 1.5
    drawn = tmp_path / "trace.json"
    ran(capsys, "attend.mlir", "-p", "offload", "-t", "perfetto", "-o", str(drawn))
    assert any(event.get("name") == "softmax" for event in json.loads(drawn.read_text())["traceEvents"])


def devices_of(timeline: str) -> set[str]:
    """Return the devices on which products run in a printed timeline."""
    return set(re.findall(r" us +(gpu|pim|unit) +@?matmul", timeline))


def test_one_op_is_split_over_three_kinds_of_devices(capsys: pytest.CaptureFixture[str]) -> None:
    def makespan(pipeline: str) -> tuple[float, str]:
        out, _ = ran(capsys, "row.mlir", "-p", pipeline, "-t", "timeline")
        found = re.search(r"^makespan +([\d.]+) us", out, re.MULTILINE)
        assert found is not None
        return float(found[1]), out

    whole, _ = makespan("offload")
    split, out = makespan("split{op=matmul axis=1 at=0.52,0.39},place{effort=1},order,to-pim")
    assert devices_of(out) == {"gpu", "pim", "unit"}
    assert split < 0.8 * whole
    for pipeline in ("optimal", "thorough"):  # find such shards themselves
        found, out = makespan(pipeline)
        assert devices_of(out) == {"gpu", "pim", "unit"}
        assert found < 0.8 * split


def test_a_device_can_change_results() -> None:
    """The unit's softmax sums in f64, so that its last bits differ from the op's meaning at graph level."""
    ndpir.load_plugin(PLUGIN / "fixed.py")
    text = (
        'hw.device @gpu = "a100"\nhw.device @unit = "fixed_unit"\n'
        'hw.link @gpu to @unit = "on_board" {bandwidth = "448 GB/s"}\n'
        "func.func @main(%x: tensor<4x3000xf32>) -> tensor<4x3000xf32> {\n"
        "  %y = graph.softmax %x axis = 1 : tensor<4x3000xf32>\n"
        "  func.return %y : tensor<4x3000xf32>\n}\n"
    )
    module = ndpir.parse(text)
    there = ndpir.compile(module, "place{policy=pim-first}")
    x = np.random.default_rng(0).uniform(-4, 4, (4, 3000)).astype(np.float32)
    (plain,), (own,) = ndpir.run(module, [x]), ndpir.run(there, [x])
    powers = np.exp(x.astype(np.float64))
    exact = (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32)
    assert error_of(exact, own) < 1e-7
    assert error_of(exact, plain) < 1e-5


def test_the_unit_occupies_channels_of_the_memory() -> None:
    ndpir.load_plugin(PLUGIN / "fixed.py")
    text = (
        'hw.device @gpu = "a100" {channels = 40}\nhw.device @unit = "fixed_unit" {channels = 8}\n'
        'hw.link @gpu to @unit = "on_board" {arbitration = "partitioned"}\n'
    )
    machine = Machine.of(ndpir.parse(text))
    gpu, whole = machine.devices["gpu"], machine.sheets["gpu"]
    assert (gpu.channels, whole.channels) == (32, 40)
    assert gpu.memory_bandwidth == pytest.approx(0.8 * whole.memory_bandwidth)
    assert machine.link("gpu", "unit").bandwidth == 8 * 28e9, "28 GB/s for each channel"


def test_unsupported_ops_are_rejected() -> None:
    ndpir.load_plugin(PLUGIN / "fixed.py")
    text = (
        'hw.device @gpu = "a100"\nhw.device @unit = "fixed_unit"\n'
        'hw.link @gpu to @unit = "on_board" {bandwidth = "448 GB/s"}\n'
        "func.func @main(%x: !task.on<@unit, tensor<4x8xf32>>) -> !task.on<@unit, tensor<4x8xf32>> {\n"
        "  %y = task.run @unit (%a = %x) {\n"
        "    %b = graph.tanh %a : tensor<4x8xf32>\n"
        "    task.yield %b\n  }\n"
        "  func.return %y : !task.on<@unit, tensor<4x8xf32>>\n}\n"
    )
    with pytest.raises(
        ndpir.InputError, match=r"@unit \(fixed_unit\) can't run graph.tanh: the unit supports only matmul"
    ):
        ndpir.simulate(ndpir.parse(text))
