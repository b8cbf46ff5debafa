"""Near-data programs: their results for one unit or many, the work that passes save, and tables of programs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import ndpir
from dialects.graph import FusedOp
from dialects.hw import DeviceOp
from dialects.ndp import ProgramOp
from interp.cost.profiled import row_of
from interp.kinds.ndp.streams import streams
from interp.kinds.ndp.values import run_program
from interp.machine.profile import Profile
from interp.machine.profile_file import write_profile
from interp.walk.entry import entry_of
from lowering.banks.templates import clock_for
from lowering.instance.of_program import PlacementProblem
from lowering.instance.options import Options
from ndpir.cli.opt import main

LOWERED = "place{policy=pim-first},to-ndp"
SHORT = f"{LOWERED},forward-stores,number-values"
FAST = "ndpx.units=1", "ndpx.bandwidth=900 GB/s"
"""Settings with which units store several results of a phase faster in separate phases."""


def programs(text: str, passes: str = "") -> list[ProgramOp]:
    module = ndpir.parse(text)
    if passes:
        module = ndpir.compile(module, passes, machine="v100-ndpx")
    return [op for op in module.body.block.ops if isinstance(op, ProgramOp)]


def function(body: str, results: str) -> str:
    """The text of a function of two arguments with the given body, which returns %p of type `results`."""
    arguments = "%x: tensor<6x512xf32>, %y: tensor<512xf32>"
    return f"func.func @main({arguments}) -> {results} {{\n{body}\n  func.return %p : {results}\n}}"


def reduction(kind: str, element: str, units: int, x: np.ndarray) -> np.ndarray:
    (program,) = programs(
        f"ndp.program @r on @ndp (%a: memref<3x5000x{element}>) -> (%r: memref<3x{element}>) {{\n  ndp.filter %a\n"
        f"  %x = ndp.load %a\n  %p = ndp.reduce {kind} %x axes = [1] : tensor<3x5000x{element}>\n  ndp.barrier\n"
        f"  %s = ndp.combine %p : tensor<3x{element}>\n  ndp.store %s to %r\n  ndp.join\n}}"
    )
    return run_program(program, units, [x])[0]


@pytest.mark.parametrize("units", [1, 8, 100_000])
@pytest.mark.parametrize("kind", ["sum", "mean", "min", "max"])
def test_reductions_in_two_levels_are_close_to_exact(kind: str, units: int) -> None:
    x = np.random.default_rng(0).uniform(0, 1, (3, 5000)).astype(np.float32)
    exact = {"sum": np.sum, "mean": np.mean, "min": np.min, "max": np.max}[kind](x.astype(np.float64), axis=1)
    assert reduction(kind, "f32", units, x) == pytest.approx(exact, rel=1e-6)


def test_units_keep_partial_sums_in_the_wider_type() -> None:
    """If each unit rounded its partial sum to f16, sums above 2048 would no longer grow by 1."""
    x = np.ones((3, 5000), np.float16)
    assert reduction("sum", "f16", 2, x).tolist() == [5000.0] * 3


@pytest.mark.parametrize("kind", ["sum", "mean", "prod"])
def test_reductions_of_integers_are_exact(kind: str) -> None:
    x = np.random.default_rng(1).integers(-(2**62), 2**62, (3, 5000))
    one, many = reduction(kind, "i64", 1, x), reduction(kind, "i64", 7, x)
    assert np.array_equal(one, many)


CHAIN = function(
    "  %p = graph.fused (%a = %x, %b = %y) {\n"
    "    %0 = graph.mul %a, %a : tensor<6x512xf32>\n"
    "    %1 = graph.mul %a, %a : tensor<6x512xf32>\n"
    "    %2 = graph.add %0, %1 : tensor<6x512xf32>\n"
    "    %3 = graph.add %2, %b : tensor<6x512xf32>, tensor<512xf32>\n"
    "    graph.yield %3\n  }",
    "tensor<6x512xf32>",
)


@pytest.mark.parametrize(
    ("passes", "loads", "stores", "ops"),
    [
        (LOWERED, 8, 4, 4),
        (f"{LOWERED},forward-stores", 5, 1, 4),
        (f"{LOWERED},number-values", 2, 4, 3),
        (SHORT, 2, 1, 3),
        (f"{LOWERED},number-values,forward-stores", 2, 1, 3),
    ],
)
def test_each_pass_saves_the_documented_work(passes: str, loads: int, stores: int, ops: int) -> None:
    (program,) = programs(CHAIN, passes)
    (stream,) = streams(program)
    assert (stream.elements, stream.inputs, stream.outputs, stream.ops) == (6 * 512, loads, stores, ops)


def test_equal_groups_share_a_program() -> None:
    twice = CHAIN.replace("  func.return", CHAIN[CHAIN.index("  %p =") : CHAIN.index("  func.return")].replace(
        "%p", "%q").replace("%x,", "%p,") + "  func.return")  # fmt: skip
    module = ndpir.compile(ndpir.parse(twice), LOWERED, machine="v100-ndpx")
    assert str(module).count("ndp.program") == 1
    assert str(module).count("ndp.launch") == 2


@pytest.mark.slow
def test_a_long_chain_of_reshapes_becomes_a_program() -> None:
    steps = "".join(
        f"    %{n + 1} = graph.reshape %{n} : tensor<{a}xf32> -> tensor<{b}xf32>\n"
        for n, (a, b) in enumerate([("6x512", "3072"), ("3072", "6x512")] * 520)
    )
    body = (
        "  %p = graph.fused (%0 = %x, %b = %y) {\n" + steps + "    %r = graph.relu %1040 : tensor<6x512xf32>\n"
        "    graph.yield %r\n  }"
    )
    (program,) = programs(function(body, "tensor<6x512xf32>"), SHORT)
    assert [stream.ops for stream in streams(program)] == [1]


BOTH = (
    "func.func @main(%x: tensor<4194304xf32>) -> (tensor<4194304xf32>, tensor<4194304xf32>) {\n"
    "  %p, %q = graph.fused (%a = %x) {\n"
    "    %0 = graph.exp %a : tensor<4194304xf32>\n"
    "    %1 = graph.sqrt %0 : tensor<4194304xf32>\n"
    "    graph.yield %0, %1\n  }\n"
    "  func.return %p, %q : tensor<4194304xf32>, tensor<4194304xf32>\n}"
)


def busy(module: ModuleOp) -> float:
    return sum(event.cost.ns for event in ndpir.simulate(module).events if event.resource == "ndp")


def on_one_unit(passes: str, settings: tuple[str, ...] = FAST) -> ModuleOp:
    """The program of two outputs after passes, on a single unit with a fast memory, unless `settings` differ."""
    return ndpir.compile(ndpir.parse(BOTH), passes, machine="v100-ndpx", settings=settings)


def test_kernels_of_several_outputs_are_split_if_that_is_faster() -> None:
    unsplit, split = on_one_unit(SHORT), on_one_unit(SHORT + ",split-outputs")
    (program,) = [op for op in split.body.block.ops if isinstance(op, ProgramOp)]
    assert [(each.inputs, each.outputs, each.ops) for each in streams(program)] == [(1, 1, 1), (1, 1, 2)]
    assert busy(split) < 0.9 * busy(unsplit)


def test_kernels_of_several_outputs_are_not_split_if_memory_bounds_them() -> None:
    slow = ("ndpx.bandwidth=225 GB/s",)
    assert str(on_one_unit(SHORT, slow)) == str(on_one_unit(SHORT + ",split-outputs", slow))


def test_clock_and_passes_follow_the_choice_of_split_outputs() -> None:
    problem = PlacementProblem(
        entry_of(module := on_one_unit("")),
        clock_for(module),
        Options(split=True),
    )
    ((_, split, together),) = [node.choices for node in problem.nodes]
    assert (split.label, together.label) == ("ndp split", "ndp together")
    assert split.cost.ns < 0.9 * together.cost.ns
    for choice, form in ((split, "split"), (together, "together")):
        text = str(on_one_unit("place{policy=pim-first split=true}")).replace(
            "#ndp.outputs<split>", f"#ndp.outputs<{form}>"
        )
        lowered = ndpir.compile(ndpir.parse(text), "to-ndp,forward-stores,number-values,split-outputs")
        assert busy(ndpir.parse(text)) == busy(lowered) == choice.cost.ns


def test_split_outputs_are_not_offered_if_slower_or_if_times_are_measured(tmp_path: Path) -> None:
    small = ndpir.compile(
        ndpir.parse(BOTH.replace("4194304", "8")), "place{policy=pim-first split=true}", machine="v100-ndpx"
    )
    assert "ndp.outputs" not in str(small)
    placed = on_one_unit("")
    (op,) = [each for each in placed.walk() if isinstance(each, FusedOp)]
    write_profile(Profile((row_of(op, "ndp", [77_000.0]),)), str(tmp_path / "measured.json"))
    text = str(placed).replace("units = ", f'profile = "{tmp_path}/measured.json", units = ', 1)
    module = ndpir.parse(text, f"{tmp_path}/placed.mlir")
    assert "ndp.outputs" not in str(ndpir.compile(module, "place{policy=pim-first split=true}"))


def test_values_stored_twice_are_loaded_once() -> None:
    text = (
        "ndp.program @p on @ndp (%a: memref<64x64xf32>) -> (%r: memref<64x64xf32>, %s: memref<64x1xf32>) {\n"
        "  ndp.filter %a\n  %x = ndp.load %a\n  %y = graph.exp %x : tensor<64x64xf32>\n"
        "  %z = graph.exp %x : tensor<64x64xf32>\n  %t = ndp.alloc : memref<64x64xf32>\n  ndp.store %y to %t\n"
        "  ndp.store %z to %r\n  %p = ndp.reduce sum %y axes = [1], keep_dims : tensor<64x64xf32>\n  ndp.barrier\n"
        "  %q = ndp.combine %p : tensor<64x1xf32>\n  %u = ndp.load %t\n  %v = ndp.load %r\n"
        "  %w = graph.mul %u, %v : tensor<64x64xf32>\n"
        "  %m = ndp.reduce max %w axes = [1], keep_dims : tensor<64x64xf32>\n"
        "  ndp.barrier\n  %n = ndp.combine %m : tensor<64x1xf32>\n  ndp.store %n to %s\n  ndp.join\n}"
    )
    module = ndpir.parse(f'hw.device @ndp = "ndpx"\n{text}')
    (program,) = [op for op in ndpir.compile(module, "number-values").walk() if isinstance(op, ProgramOp)]
    assert [(each.inputs, each.outputs) for each in streams(program)] == [(1, 1), (1, 0), (0, 1)]


def test_a_program_without_near_data_units_has_no_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "x.mlir").write_text(CHAIN)
    assert main([str(tmp_path / "x.mlir"), "--machine", "v100-ndpx", "-t", "ndp"]) == 1
    assert "the program has no near-data programs" in capsys.readouterr().err


def test_a_measured_time_is_kept_after_lowering_to_a_program(tmp_path: Path) -> None:
    placed = ndpir.compile(ndpir.parse(CHAIN), "place{policy=pim-first}", machine="v100-ndpx")
    (op,) = [each for each in placed.walk() if isinstance(each, FusedOp)]
    write_profile(Profile((row_of(op, "ndp", [77_000.0]),)), str(tmp_path / "measured.json"))
    (device,) = [each for each in placed.walk() if isinstance(each, DeviceOp) and each.sym_name.data == "ndp"]
    text = str(placed).replace(
        f'"{device.sheet.data}"', f'"{device.sheet.data}" {{profile = "{tmp_path}/measured.json"}}', 1
    )
    before = ndpir.parse(text, f"{tmp_path}/placed.mlir")
    for module in (before, ndpir.compile(before, "to-ndp")):
        assert [each.cost.ns for each in ndpir.simulate(module).events if each.resource == "ndp"] == [77_000.0]
