"""Tests that a program's baseline on a machine, the best time of the primary device alone, does not depend on the
passes that run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

import ndpir
from dialects.diagnostics import notes_to
from interp.simulate.schedule.what_if import Outcome
from interp.walk.entry import entry_of
from lowering.alone.baseline import Baseline, read_baseline
from lowering.alone.forms import Form
from lowering.alone.primary_alone import Alone, best_of, primary_alone, shared
from lowering.banks.templates import clock_for
from lowering.graph.allowed_types import OWN
from ndpir.compiler.steps import passes_of
from ndpir.registry.names import Registry
from tests.pipelines import PLACING

PROGRAM = """
hw.device @gpu = "a100"
hw.device @pim = "PIM"
hw.link @gpu to @pim = "on_board"
func.func private @gate(%x: tensor<4x64xELEMENT>) -> tensor<4x64xELEMENT> {
  %half = graph.constant 0.5 : tensor<ELEMENT>
  %one = graph.constant 1.0 : tensor<ELEMENT>
  %scale = graph.constant 1.4142135 : tensor<ELEMENT>
  %0 = graph.div %x, %scale : tensor<4x64xELEMENT>, tensor<ELEMENT>
  %1 = graph.erf %0 : tensor<4x64xELEMENT>
  %2 = graph.add %1, %one : tensor<4x64xELEMENT>, tensor<ELEMENT>
  %3 = graph.mul %x, %2 : tensor<4x64xELEMENT>
  %4 = graph.mul %3, %half : tensor<4x64xELEMENT>, tensor<ELEMENT>
  func.return %4 : tensor<4x64xELEMENT>
}
func.func @main(%x: tensor<4x32xELEMENT>, %past: tensor<2x64xELEMENT>) -> (tensor<4x32xELEMENT>, tensor<6x64xELEMENT>) {
  %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<32x64xELEMENT>
  %b = graph.weight "b" = uniform(-0.1, 0.1, 2) : tensor<64xELEMENT>
  %v = graph.weight "v" = uniform(-0.1, 0.1, 3) : tensor<64x32xELEMENT>
  %0 = graph.matmul %x, %w : tensor<4x32xELEMENT>, tensor<32x64xELEMENT>
  %1 = graph.add %0, %b : tensor<4x64xELEMENT>, tensor<64xELEMENT>
  %2 = func.call @gate(%1) : (tensor<4x64xELEMENT>) -> tensor<4x64xELEMENT>
  %kept = graph.concat %past, %2 axis = 0 : tensor<2x64xELEMENT>, tensor<4x64xELEMENT>
  %new = graph.slice %kept starts = [2, 0], ends = [6, 64] : tensor<6x64xELEMENT>
  %3 = graph.matmul %new, %v : tensor<4x64xELEMENT>, tensor<64x32xELEMENT>
  %y = graph.add %3, %x : tensor<4x32xELEMENT>
  func.return %y, %kept : tensor<4x32xELEMENT>, tensor<6x64xELEMENT>
}
"""
LISTS = (
    "place",
    "place{policy=pim-first},order,to-pim",
    "inline,reduce-precision,place{policy=greedy}",
    "canonicalize,fuse,place",
    "canonicalize,fuse{residual=false},reduce-precision,layout,place",
    "inline,split{axis=0 at=0.3},fuse,place{policy=path}",
    "fuse{attention=true recognize=false},place",
)


def program(element: str, pim: str = "newton", wide: bool = False) -> ModuleOp:
    """The program in an element type; `wide`: with layers of 2048 and 4096 elements, whose time depends on it."""
    text = PROGRAM.replace("64", "4096").replace("32", "2048") if wide else PROGRAM
    return ndpir.parse(text.replace("ELEMENT", element).replace("PIM", pim))


def baseline(module: ModuleOp) -> Baseline:
    found = read_baseline(entry_of(module), clock_for(module))
    assert found is not None
    return found


def after(module: ModuleOp, passes: str, keep_types: bool = False) -> ModuleOp:
    with notes_to(lambda message, place: None):
        return ndpir.compile(module, passes, keep_types=keep_types)


def figures(found: Baseline) -> tuple[float, float, float, str]:
    return found.ns, found.nj, found.board_nj, found.form


@pytest.mark.slow
def test_lists_of_passes_that_allow_the_same_types_note_the_same_baseline() -> None:
    element = "f32"
    primary_only = after(program(element), "gpu-only")
    converting, keeping = baseline(primary_only), baseline(after(program(element), "place"))
    assert ndpir.simulate(primary_only).makespan_ns == pytest.approx(converting.ns, rel=1e-8)
    assert converting.ns <= keeping.ns
    assert len(PLACING) >= 5
    for passes in (*PLACING, *LISTS):
        steps = passes_of(passes, Registry())
        converts = any(step.name in ("reduce-precision", "choose-form") for step in steps)
        found = figures(baseline(after(program(element), passes)))
        assert found == figures(converting if converts else keeping), passes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("canonicalize", "fuse,reduce-precision,place"),
        ("inline", "offload"),
        ("canonicalize,fuse,reduce-precision", "place"),
        ("canonicalize,reduce-precision,fuse{residual=false},layout", "place"),
        ("split{axis=0 at=0.3}", "canonicalize,fuse,place"),
        ("place", "order,to-pim"),
    ],
)
def test_a_file_written_between_two_passes_does_not_change_the_baseline(first: str, then: str) -> None:
    expected = baseline(after(program("f16"), "gpu-only"))
    text = ndpir.write(after(program("f16"), first))
    assert baseline(after(ndpir.parse(text), then)).ns == expected.ns


def test_a_baseline_keeps_types_if_the_program_keeps_them() -> None:
    in_own_type, converted = (baseline(after(program("f32"), "offload", keep_types=keep)) for keep in (True, False))
    assert in_own_type.form == ""
    assert in_own_type.ns >= converted.ns


def test_a_baseline_without_conversions_is_none_for_a_plan_that_converts() -> None:
    expected = baseline(after(program("f32", wide=True), "reduce-precision{to=f16},place{policy=gpu}"))
    kept = ndpir.write(after(program("f32", wide=True), "choose-form{types=keep devices=primary}"))
    found = baseline(after(ndpir.parse(kept), "reduce-precision{to=f16},place{policy=gpu}"))
    assert baseline(ndpir.parse(kept)).ns > expected.ns
    assert (found.ns, found.types) == (expected.ns, ("f16",))


def test_a_form_that_does_not_depend_on_an_assumption_is_a_baseline_at_its_ends() -> None:
    """Moves between memories take 300 ns at one end of an assumption about their link; a form without moves takes as
    long as before."""
    module = ndpir.parse(
        'hw.device @gpu = "toy_gpu"\n'
        "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n  func.return %x : tensor<8xf32>\n}"
    )
    clock = clock_for(module)
    alone = Alone.of(Form(OWN, "as written", module), "main", clock, {})
    assert alone is not None
    ns = alone.timeline.makespan_ns
    slow = Outcome(ns + 300, 0.0, 0.0)
    moved = replace(alone, at_ends={"link.latency": (slow, slow)})
    assert best_of([moved, alone]).ends["link.latency"][0].ns == ns


def test_the_baseline_of_a_changed_machine_is_computed_again() -> None:
    expected = baseline(after(program("f16"), "gpu-only"))
    placed = after(program("f16"), "split{axis=0 at=0.3}")
    slower = ndpir.parse(ndpir.write(placed).replace('@gpu = "a100"', '@gpu = "a100" {launch = 2.0}'))
    assert baseline(after(slower, "place")).ns > expected.ns


def test_the_baseline_keeps_the_program_s_fused_attention() -> None:
    """The baseline's time equals the time of the program, with its fused attention kernels, on the GPU. With separate
    ops in their place, the backward pass would recompute values that the forward pass has stored."""
    text = (Path(__file__).parents[2] / "lit/lowering/fuse/attention_training.mlir").read_text("utf-8")
    program = ndpir.compile(ndpir.parse(text, "training.mlir"), "fuse{attention=true},layout", machine="a100")
    found = primary_alone(program, clock_for(program))["step"]
    assert found.ns == pytest.approx(
        ndpir.simulate(ndpir.compile(program, "place{policy=gpu}"), entry="step").makespan_ns, rel=1e-6
    )


def read(name: str, machine: str) -> ModuleOp:
    """Parse a training step of the examples for a machine."""
    text = (Path(__file__).parents[3] / f"examples/models/steps/{name}.mlir").read_text("utf-8")
    return ndpir.compile(ndpir.parse(text, f"{name}.mlir"), "dce", machine=machine)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("passes", "number"),
    [
        ("inline,canonicalize,choose-form,place", 2),
        ("inline,canonicalize,fuse,layout,place", 2),
        ("canonicalize,fuse,layout,place", 0),  # the baseline inlines calls first
        ("inline,place", 0),
    ],
)
def test_the_baseline_reuses_the_first_passes_of_a_pipeline(passes: str, number: int) -> None:
    step = read("ncf", "v100-ndpx")
    before, clock = primary_alone(step, clock_for(step)), clock_for(step)
    pipeline = passes_of(passes, Registry())
    common = shared(step, pipeline)
    assert common == pipeline[:number]
    for each in common:
        each.apply(Context(), step)
    assert primary_alone(step, clock, done=common) == before
