"""Tests of bank programs for ops: the ops that a PIM can run, the reasons why it can't run others, the choice of a
program, and lowered programs."""

from __future__ import annotations

import re
from dataclasses import replace
from textwrap import dedent
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from dialects.diagnostics import notes_to
from dialects.graph import ConvOp, FusedOp, GraphOp, MatmulOp
from dialects.locations import text_of
from dialects.pim import DrainOp, KernelOp, LaunchOp, LoadOp
from dialects.task import RunOp
from interp.kinds.pim.level import rows_written
from interp.kinds.pim.program import programs_of
from interp.kinds.pim.timing.clock import kernel_time
from interp.kinds.pim.values.run import run_kernel
from interp.machine.records import Pim, TimingConstraint
from interp.machine.sheets import load_device
from interp.simulate.simulation import simulate
from interp.walk.run import run_module
from lowering.banks.products.estimate import bus_bytes
from lowering.banks.products.kernel import kernel_of
from lowering.banks.products.mapping import Product, mappings
from lowering.banks.products.search import FoundMapping, needed_verbs, search
from lowering.banks.products.steps import programs_by
from lowering.banks.templates import PimTemplates, clock_for
from lowering.banks.to_pim import ToPimPass
from lowering.place.place import PlacePass
from tests.pim_sheets import small_pim
from tests.programs import context, parse

MACHINE = 'hw.device @gpu = "toy_gpu"\nhw.device @pim = "toy_pim"\nhw.link @gpu to @pim = "toy_link"\n'
WEIGHT = '%w = graph.weight "w" = uniform(-1.0, 1.0, 1)'


def newton(**changes: int) -> Pim:
    sheet = load_device("newton", changes)
    assert isinstance(sheet, Pim)
    return sheet


def toy() -> Pim:
    sheet = load_device("toy_pim")
    assert isinstance(sheet, Pim)
    return sheet


def first(module: ModuleOp, kind: type[Operation]) -> Operation:
    return next(op for op in module.walk() if isinstance(op, kind))


def lower(text: str, policy: str = "pim-first") -> ModuleOp:
    module = parse(text)
    if "task.run" not in text:
        PlacePass(policy=policy).apply(context(), module)
    ToPimPass().apply(context(), module)
    module.verify()
    return module


def reason(body: str, arguments: str, kind: type[Operation] = MatmulOp, pim: Pim | None = None) -> str | None:
    """The reason why a device can't run the first op of a kind; None if it can."""
    module = parse(f"func.func @main({arguments}) {{\n{body}\nfunc.return\n}}")
    plan = PimTemplates().plan_for(first(module, kind), pim or toy())
    return plan if isinstance(plan, str) else None


@pytest.mark.slow
def test_an_operand_computed_from_weights_alone_counts_as_a_weight() -> None:
    """The operand may pass through any number of graph ops and into fused groups; if an argument takes part, it is no
    weight."""
    chain = "\n".join(f"%n{i + 1} = graph.neg %n{i} : tensor<4x4xf32>" for i in range(3000))
    body = f"{WEIGHT} : tensor<4x4xf32>\n%n0 = graph.abs %w : tensor<4x4xf32>\n{chain}\n"
    product = "%y = graph.matmul %x, %{} : tensor<1x4xf32>, tensor<4x4xf32>"
    assert reason(body + product.format("n3000"), "%x: tensor<1x4xf32>") is None
    body = body.replace("%n0 = graph.abs %w", "%n0 = graph.add %w, %b")
    arguments = "%x: tensor<1x4xf32>, %b: tensor<4x4xf32>"
    assert "neither %x nor %n3000 is a weight: bind one by graph.weight" in (
        reason(body + product.format("n3000"), arguments) or ""
    )
    fused = """
      %y = graph.fused (%a = %x, %b = %w) {
        %0 = graph.matmul %a, %b : tensor<1x4xf32>, tensor<4x4xf32>
        graph.yield %0
      }"""
    assert reason(f"{WEIGHT} : tensor<4x4xf32>{fused}", "%x: tensor<1x4xf32>", FusedOp) is None
    assert "neither %a nor %b is a weight" in (
        reason(fused.replace("%w", "%v"), "%x: tensor<1x4xf32>, %v: tensor<4x4xf32>", FusedOp) or ""
    )


def test_the_reason_why_a_pim_can_not_run_an_op() -> None:
    x = "%x: tensor<1x4xf32>"
    w = f"{WEIGHT} : tensor<4x4xf32>\n"
    product = "%y = graph.matmul %x, %w : tensor<1x4xf32>, tensor<4x4xf32>"
    assert (
        reason(w + product, x, pim=small_pim(verbs={}))
        == "graph.matmul: small lacks the verbs load, act, mac, drain, pre"
    )
    keeps = {verb: record for verb, record in small_pim().verbs.items() if verb != "pre"}
    assert reason(w + product, x, pim=small_pim(verbs=keeps)) == "graph.matmul: small lacks the verbs pre"
    assert reason(w + product, x, pim=small_pim(verbs=keeps, reopen=True)) is None
    assert "computes in f16" in (reason(w + product, x, pim=newton()) or "")
    two = product + "\n%z = graph.relu %y : tensor<1x4xf32>"
    group = "\n%f = graph.fused (%a = %x, %b = %w) {\n" + re.sub("%x, %w", "%a, %b", two) + "\ngraph.yield %z\n}"
    assert reason(w + group, x, FusedOp) == "graph.matmul: toy_pim lacks the verbs activate, activated"
    empty = "%e = graph.slice %w starts = [0, 0], ends = [4, 0] : tensor<4x4xf32>\n"
    empty += "%y = graph.matmul %x, %e : tensor<1x4xf32>, tensor<4x0xf32>"
    assert reason(w + empty, x) == "graph.matmul: there is nothing to compute"


LEFT = """
hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"
func.func @main(%x: tensor<8x1xf32>, %z: tensor<2x5x8xf32>, %u: tensor<2x4x8x3xf32>)
    -> (tensor<12x1xf32>, tensor<2x12x5xf32>, tensor<2x4x5x3xf32>) {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<12x8xf32>
  %v = graph.weight "v" = uniform(-1.0, 1.0, 2) : tensor<8x12xf32>
  %q = graph.weight "q" = uniform(-1.0, 1.0, 3) : tensor<4x5x8xf32>
  %a = graph.matmul %w, %x : tensor<12x8xf32>, tensor<8x1xf32>
  %b = graph.matmul %v, %z transpose_a = true, transpose_b = true : tensor<8x12xf32>, tensor<2x5x8xf32>
  %c = graph.matmul %q, %u : tensor<4x5x8xf32>, tensor<2x4x8x3xf32>
  func.return %a, %b, %c : tensor<12x1xf32>, tensor<2x12x5xf32>, tensor<2x4x5x3xf32>
}"""


def test_the_weight_may_be_the_left_operand() -> None:
    """For `y = W x`, the test covers one weight for all elements of a batch, transposed operands, and a weight per
    element."""
    lowered = lower(LEFT)
    assert sum(isinstance(op, LaunchOp) for op in lowered.walk()) == 3
    for result, expected in zip(run_module(lowered), run_module(parse(LEFT)), strict=True):
        assert np.allclose(result, expected, rtol=1e-6, atol=1e-6)


def test_placement_notes_the_ops_that_a_pim_can_not_run() -> None:
    """A note on an op that no PIM can run is printed at the first contraction of each kind; with the policy `optimal`
    only if no op runs on the PIM."""
    body = """
      %a = graph.matmul %x, %w : tensor<1x4xf32>, tensor<4x4xf32>
      %b = graph.matmul %a, %w : tensor<1x4xf32>, tensor<4x4xf32>"""
    taken = f"\n{WEIGHT.replace('%w', '%v')} : tensor<4x4xf32>" + body.replace("%w", "%v", 1)
    text = MACHINE + "func.func @main(%x: tensor<1x4xf32>, %w: tensor<4x4xf32>) -> tensor<1x4xf32> {"
    refusal = "@pim (toy_pim) can't run graph.matmul: neither %x nor %w is a weight: bind one by graph.weight"

    def notes(body: str, policy: str) -> list[str]:
        messages: list[str] = []
        with notes_to(lambda message, place: messages.append(message)):
            PlacePass(policy=policy).apply(context(), parse(f"{text}\n{body}\nfunc.return %b : tensor<1x4xf32>\n}}"))
        return messages

    [message] = notes(body, "optimal")
    assert message.startswith(refusal)
    assert message.endswith("(and 1 more graph.matmul)")
    assert notes(taken, "optimal") == []
    assert notes(taken, "pim-first") == [f"{refusal.replace('%x', '%a')}, so that it can be laid out ahead of time"]


def test_equal_products_share_a_program() -> None:
    """A convolution of one pixel and a matmul of the same sizes get the same kernel."""
    text = f"""
      {WEIGHT} : tensor<8x16x1x1xf32>
      %v = graph.weight "v" = uniform(-1.0, 1.0, 2) : tensor<16x8xf32>
      %a = graph.conv %x, %w : tensor<1x16x1x1xf32>, tensor<8x16x1x1xf32>
      %b = graph.matmul %z, %v : tensor<1x16xf32>, tensor<16x8xf32>"""
    module = parse(f"func.func @main(%x: tensor<1x16x1x1xf32>, %z: tensor<1x16xf32>) {{\n{text}\nfunc.return\n}}")
    templates, pim = PimTemplates(), toy()
    kernel = templates.kernel_for(first(module, ConvOp), pim)
    assert kernel is not None
    assert kernel is templates.kernel_for(first(module, MatmulOp), pim)


@pytest.mark.slow
def test_the_search_finds_a_mapping_within_2_percent_of_the_fastest() -> None:
    """The search times only the mappings with the best estimates; it must miss the fastest of all by at most 2 %."""
    for product in (Product(1, 49, 100, 160, "f16"), Product(1, 1, 700, 1300, "f16"), Product(2, 3, 40, 70, "f16")):
        for pim in (newton(), newton(channels=5), small_pim(element="f16", rows=1 << 16)):
            plan = search(product, pim)
            assert isinstance(plan, FoundMapping)
            tries = [kernel_time(kernel_of(mapping, pim), pim).ns for mapping in mappings(product, pim)]
            assert len(tries) > 1
            assert plan.time.ns <= 1.02 * min(tries)


def test_the_search_obeys_a_limit_of_rows() -> None:
    """The fastest mapping copies the weight to groups of channels, which takes more rows than a large program has
    left."""
    product, pim = Product(1, 3136, 64, 576, "f16"), newton(**{"shape.rows": 8})
    free = search(product, pim)
    tight = search(product, pim, rows=1)
    assert isinstance(free, FoundMapping)
    assert isinstance(tight, FoundMapping)
    assert free.mapping.rows_needed() > tight.mapping.rows_needed()
    assert free.time.ns < tight.time.ns


def test_with_a_slow_bus_the_mapping_is_chosen_by_time() -> None:
    """If the data bus limits the time, the mapping with the fewest command cycles is not the fastest."""
    product = Product(1, 196, 64, 64, "f16")
    pim = load_device("newton", {"bus": "1 GB/s"})
    assert isinstance(pim, Pim)
    every = [kernel_time(kernel_of(mapping, pim), pim) for mapping in mappings(product, pim)]
    best, chosen = min(every, key=lambda time: time.ns), search(product, pim)
    assert isinstance(chosen, FoundMapping)
    assert chosen.time.ns == best.ns
    assert best.cycles > min(time.cycles for time in every)


@pytest.mark.parametrize("sheet", ["newton", "toy_pim"])
def test_computed_bus_bytes_of_mappings_equal_their_programs(sheet: str) -> None:
    pim = load_device(sheet)
    assert isinstance(pim, Pim)
    for mapping in mappings(Product(2, 5, 40, 100, pim.element), pim):
        moved = max(program.bus_bytes for program in programs_of(kernel_of(mapping, pim), pim))
        assert bus_bytes(mapping, pim) == moved


@pytest.mark.slow
@pytest.mark.parametrize("sheet", ["newton", "toy_pim", "aim", "hbm_pim", "attacc"])
@pytest.mark.parametrize("kind", [{}, {"bias": True}, {"written": True}, {"function": "relu"}])
def test_steps_derived_from_mappings_equal_their_kernels(sheet: str, kind: dict[str, Any]) -> None:
    pim = load_device(sheet)
    assert isinstance(pim, Pim)
    product = Product(2, 5, 40, 100, pim.element, **kind)
    if all(verb in pim.verbs for verb in needed_verbs(product, pim)):
        for mapping in mappings(product, pim):
            assert programs_by(mapping, pim) == programs_of(kernel_of(mapping, pim), pim)


def test_with_few_outputs_the_sum_is_split_over_channels() -> None:
    """16 outputs are only one tile; the sum over 2048 is split so that all 16 channels compute."""
    plan = search(Product(1, 1, 16, 2048, "f16"), newton())
    assert isinstance(plan, FoundMapping)
    assert plan.mapping.splits == 16
    assert plan.mapping.channels == 16
    [region] = plan.kernel.regions_of_channels
    assert len(region.numbers()) == 16


@pytest.mark.parametrize(
    ("pim", "bound"),
    [
        (newton(), "row cycles"),
        (newton(tFAW=0, tRCD=0), "buffer fill"),
        (small_pim(element="f16", constraints=(TimingConstraint("channel", "load", "mac", 90),)), "buffer fill"),
        (small_pim(element="f16", constraints=(TimingConstraint("channel", "mac", "drain", 90),)), "mac cadence"),
        (small_pim(element="f16", constraints=(TimingConstraint("channel", "drain", "mac", 90),)), "drains"),
    ],
)
def test_the_bound_of_a_program_s_time(pim: Pim, bound: str) -> None:
    plan = search(Product(1, 8, 16, 64, "f16"), pim)
    assert isinstance(plan, FoundMapping)
    assert plan.time.bound == bound, plan.time.waits


def test_the_data_bus_as_the_bound() -> None:
    """The data bus is the bound if loads and drains take longer than the commands."""
    product = Product(1, 64, 16, 16, "f32")
    fast_bus, slow_bus = small_pim(bus_bandwidth=1e12), small_pim(bus_bandwidth=1e6)
    fast, slow = search(product, fast_bus), search(product, slow_bus)
    assert isinstance(fast, FoundMapping)
    assert isinstance(slow, FoundMapping)
    assert fast.time.bound != "data bus"
    assert slow.time.bound == "data bus"
    # The busier channel moves at least half of the vectors or half of the outputs: 32 x 16 numbers.
    assert slow.time.ns >= 4 * 32 * 16 / 1e6 * 1e9


def test_the_pass_transforms_its_docstring_s_example() -> None:
    """The pass must turn the first program of its docstring into the second one."""
    texts = re.findall(r"```mlir\n(.*?)```", ToPimPass.__doc__ or "", re.DOTALL)
    before, after = (parse(dedent("    " + text)) for text in texts)
    ToPimPass().apply(context(), before)
    assert str(before) == str(after)


CNN = """
func.func @main(%x: tensor<1x3x9x9xf32>) -> tensor<1x10xf32> {
  %w0 = graph.weight "stem" = uniform(-0.5, 0.5, 1) : tensor<8x3x3x3xf32>
  %w1 = graph.weight "point" = uniform(-0.5, 0.5, 2) : tensor<24x8x1x1xf32>
  %w2 = graph.weight "depth" = uniform(-0.5, 0.5, 3) : tensor<24x1x3x3xf32>
  %w3 = graph.weight "deep" = uniform(-0.5, 0.5, 4) : tensor<20x24x3x3xf32>
  %w4 = graph.weight "fc" = uniform(-0.5, 0.5, 5) : tensor<10x20xf32>
  %a = graph.conv %x, %w0 strides = [2, 2], pads = [1, 1, 1, 1] : tensor<1x3x9x9xf32>, tensor<8x3x3x3xf32>
  %b = graph.relu %a : tensor<1x8x5x5xf32>
  %c = graph.conv %b, %w1 : tensor<1x8x5x5xf32>, tensor<24x8x1x1xf32>
  %d = graph.conv %c, %w2 pads = [1, 1, 1, 1], groups = 24 : tensor<1x24x5x5xf32>, tensor<24x1x3x3xf32>
  %e = graph.conv %d, %w3 pads = [1, 1, 1, 1] : tensor<1x24x5x5xf32>, tensor<20x24x3x3xf32>
  %f = graph.reduce mean %e axes = [2, 3] : tensor<1x20x5x5xf32>
  %g = graph.reshape %f : tensor<1x20xf32> -> tensor<1x20xf32>
  %h = graph.matmul %g, %w4 transpose_b : tensor<1x20xf32>, tensor<10x20xf32>
  func.return %h : tensor<1x10xf32>
}
"""


@pytest.mark.slow
def test_a_network_lowered_to_bank_level() -> None:
    """The lowering of a small network changes neither its results nor its timeline."""
    before = parse(MACHINE + CNN)
    [expected] = run_module(parse(MACHINE + CNN), seed=3)
    PlacePass(policy="pim-first").apply(context(), before)
    after = lower(MACHINE + CNN)
    launches = [op for op in after.walk() if isinstance(op, LaunchOp)]
    assert len(launches) == 6
    [result] = run_module(after, seed=3)
    np.testing.assert_allclose(result.astype(np.float64), expected.astype(np.float64), rtol=1e-5, atol=1e-6)
    first_line, second_line = simulate(before, clock_for(before)), simulate(after, clock_for(after))
    assert first_line.makespan_ns == second_line.makespan_ns


def test_lowered_ops_have_locations() -> None:
    module = lower(MACHINE + CNN)
    for run in (op for op in module.walk() if isinstance(op, RunOp)):
        for op in run.body.block.ops:
            assert text_of(op.location), str(op)
    for kernel in (op for op in module.walk() if isinstance(op, KernelOp)):
        assert text_of(kernel.location)


def test_a_complete_layer_in_f16() -> None:
    """A layer of MobileNetV2 on Newton has f16 operands and f32 sums, which are rounded once; partial sums are f32,
    too."""
    random = np.random.default_rng(0)
    product, pim = Product(1, 49, 160, 960, "f16"), newton()
    plan = search(product, pim)
    assert isinstance(plan, FoundMapping)
    assert plan.mapping.partial
    text = f"""
      func.func @main(%x: tensor<49x960xf16>) -> tensor<49x160xf16> {{
        {WEIGHT} : tensor<960x160xf16>
        %y = graph.matmul %x, %w : tensor<49x960xf16>, tensor<960x160xf16>
        func.return %y : tensor<49x160xf16>
      }}"""
    machine = MACHINE.replace("toy_pim", "newton")
    x = random.standard_normal((49, 960)).astype(np.float16)
    [expected] = run_module(parse(machine + text), [x])
    [result] = run_module(lower(machine + text), [x])
    assert result.dtype == np.float16
    np.testing.assert_allclose(result.astype(np.float64), expected.astype(np.float64), rtol=1e-3, atol=1e-2)


def test_loads_and_drains_of_a_program() -> None:
    """One load fills the buffer with several vectors, and one drain moves a tile of outputs."""
    plan = search(Product(1, 8, 4, 8, "f32"), small_pim(channels=1))
    assert isinstance(plan, FoundMapping)
    loads = [op for op in plan.kernel.walk() if isinstance(op, LoadOp)]
    drains = [op for op in plan.kernel.walk() if isinstance(op, DrainOp)]
    assert [op.block_shape for op in loads] == [(2, 8)]
    assert [op.block_shape for op in drains] == [(4,)]
    x, w = np.ones((8, 8), np.float32), np.ones((1, 1, 4, 2, 4), np.float32)
    [y] = run_kernel(plan.kernel, small_pim(channels=1), [x, w])
    assert y.shape == (8, 1, 4)
    assert (y == 8).all()


def test_graph_ops_in_pim_tasks_only_move_data() -> None:
    module = lower(MACHINE + CNN)
    for run in (op for op in module.walk() if isinstance(op, RunOp) and op.place == "pim"):
        inner = [op for op in run.body.block.ops if isinstance(op, GraphOp)]
        assert all(not op.work().flops for op in inner)


def test_rows_that_programs_write_count_as_memory() -> None:
    """Operands known only at run time are written into one reserved row; weights need no reserved row."""
    simd = load_device("toy_simd")
    assert isinstance(simd, Pim)
    product = Product(1, 1, 8, 40, "f32")
    for variant, rows in ((product, 0), (replace(product, written=True), 1)):
        plan = search(variant, simd)
        assert isinstance(plan, FoundMapping)
        assert rows_written(plan.kernel) == rows
    body = "%y = graph.add %x, %x : tensor<1x4xf32>"
    head = MACHINE.replace("toy_pim", "toy_simd") + "func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {\n"
    module = lower(head + body + "\nfunc.return %y : tensor<1x4xf32>\n}")
    needs = simulate(module, clock_for(module)).memory
    assert needs["pim"].resident == simd.channels * simd.banks_per_channel * simd.row_bytes


def test_a_bias_per_output_is_supported() -> None:
    """A bias per vector is refused. On a device that can't set sums, the bias must be a weight, which is stored next to
    the others."""
    x, w = "%x: tensor<3x5xf32>, %r: tensor<3x4xf32>", f"{WEIGHT} : tensor<5x4xf32>\n"
    product = "%y = graph.matmul %x, %w, %{} : tensor<3x5xf32>, tensor<5x4xf32>, tensor<{}xf32>"
    assert "its bias differs between vectors" in (reason(w + product.format("r", "3x4"), x) or "")
    assert "can't set sums" in (reason(w + product.format("v", "4"), x + ", %v: tensor<4xf32>") or "")
    bound = '%v = graph.weight "v" = uniform(-1.0, 1.0, 2) : tensor<4xf32>\n'
    assert reason(w + bound + product.format("v", "4"), x) is None
