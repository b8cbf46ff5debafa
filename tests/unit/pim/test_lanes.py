"""Tests of programs that write to rows: errors for hazards, results of lane-wise commands, and the element-wise ops
that a device can run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.irdl import irdl_op_definition

from dialects.diagnostics import InputError
from dialects.graph import FusedOp, GraphOp, MaxOp
from dialects.pim import COMMANDS, CONTROLLER, BarrierOp, BinaryLaneOp, Command, CommandOp, KernelOp, SetOp
from dialects.pim import Pim as PimDialect
from dialects.task import RunOp
from interp.kinds.pim.timing.clock import kernel_time
from interp.kinds.pim.values.run import ACTIONS, LANES, run_kernel
from interp.machine.records import Pim, Refresh
from interp.machine.sheets import load_device
from interp.walk.run import run_module
from lowering.banks.lanes.plan import LANE_COMMANDS, LanePlan, plan_lanes
from lowering.banks.templates import PimTemplates
from lowering.banks.to_pim import ToPimPass
from lowering.place.place import PlacePass
from tests.pim_sheets import small_pim, verb_of
from tests.programs import context, parse

SIGNATURE = "(%x: memref<2x4x8xf32>, %w: memref<2x1x4x2x4xf32> at row 0) -> (%y: memref<2x4x8xf32>)"
MACHINE = 'hw.device @gpu = "toy_gpu"\nhw.device @pim = "toy_simd"\nhw.link @gpu to @pim = "toy_link"\n'


def kernel(body: str, signature: str = SIGNATURE) -> KernelOp:
    module = parse(f"pim.kernel @k on @pim {signature} {{\n{body}\n}}")
    module.verify()
    return next(op for op in module.walk() if isinstance(op, KernelOp))


def run(body: str, pim: Pim) -> np.ndarray:
    x = np.arange(64, dtype=np.float32).reshape(2, 4, 8) - 30
    [y] = run_kernel(kernel(body), pim, [x, np.full((2, 1, 4, 2, 4), 0.5, np.float32)])
    return y


WRITE = "pim.act all row 1\npim.write all columns 0 to 2 from %x[0]\n"
HAZARDS = [
    ("pim.write all columns 0 to 2 from %x[0]", "pim.write: no row is open in bank 0; activate one first (pim.act)"),
    ("pim.act group 0 row 1\npim.relu all columns 0 to 2", "pim.relu: no row is open in bank 2; activate one first"),
    (
        "pim.act all row 1\npim.read all columns 0 to 2 to %y[0]",
        "pim.read: row 1 is open, but it holds neither an operand of the kernel nor data that",
    ),
    (WRITE + "pim.add all columns 0 to 2 and 2", "pim.add: column 2 of row 1 was never written in bank 0; write it"),
    (
        "pim.act all row 1\npim.write bank 0 columns 0 to 2 from %x[0, 0]\npim.relu all columns 0 to 2",
        "pim.relu: column 0 of row 1 was never written in bank 1; write it first (pim.write)",
    ),
    (
        "pim.act all row 0\npim.write all columns 1 to 3 from %x[0]",
        "pim.write: column 1 of row 0 holds a weight of the kernel, which must not be overwritten; write to "
        "column 2 or later, or to another row",
    ),
    ("pim.act all row 0\npim.relu all columns 0 to 2", "pim.relu: column 0 of row 0 holds a weight of the kernel"),
    (
        "pim.act all row 0\npim.relu all columns 2 to 3 into 3",
        "pim.relu: the operand in row 0 has 2 columns, so column 2 holds no weight",
    ),
    (
        WRITE + "pim.for %i = 0 to 2 {\npim.relu all columns 0 to 2 into %i\n}",
        "pim.relu: in an iteration of its loops, the 2 result columns overlap those that `columns` reads; put",
    ),
    (
        WRITE + "pim.for %i = 0 to 2 {\npim.add all columns 0 to 2 and %i + 1 into 0\n}",
        "pim.add: in an iteration of its loops, the 2 result columns overlap those that `and` reads; put",
    ),
    (
        WRITE + "pim.read all columns 0 to 2 to %y[0]\npim.read all columns 0 to 2 to %y[0]",
        "pim.read: an earlier command stored to %y[0, 0, 0]; give each command entries of its own",
    ),
    (
        "pim.channels %c = 0 to 2 {\n" + WRITE + "pim.read all columns 0 to 2 to %y[0]\n}",
        "pim.read: several channels store to the same entries; give each channel entries of its own",
    ),
    (WRITE + "pim.read all columns 0 to 2 to %y[0]", "%y[1, 0, 0] is never written"),
]
LACKS: list[tuple[str, dict[str, object], str]] = [
    (
        "pim.write all columns 0 to 2 from %x[0, 0]",
        {},
        "pim.write all moves 32 numbers, but the memref's subscripts select 8 entries; select 32",
    ),
    (
        "pim.write bank 0 columns 0 to 2 from %x[0]",
        {},
        "pim.write bank moves 8 numbers, but the memref's subscripts select 32 entries; select 8",
    ),
    (
        "pim.read group 1 columns 0 to 2 to %y[0]",
        {},
        "pim.read group moves 16 numbers, but the memref's subscripts select 32 entries; select 16",
    ),
    (
        "pim.write all columns 3 to 5 from %x[0]",
        {},
        "pim.write: column 4 is out of range; small has 4 columns of a row",
    ),
    ("pim.add all columns 0 to 2 and 3", {}, "pim.add: other 4 is out of range; small has 4 columns of a row (0 to 3)"),
    ("pim.relu all columns 0 to 2 into 3", {}, "pim.relu: target 4 is out of range; small has 4 columns of a row"),
    ("pim.mul bank 4 columns 0 to 2 and 0", {}, "pim.mul: unit 4 is out of range; small has 4 banks of a channel"),
]


def lanes_pim(**changes: object) -> Pim:
    """A small device that has all verbs."""
    verbs = {verb: verb_of(verb, "all", "group", "bank") for verb in COMMANDS}
    return small_pim(**({"verbs": verbs} | changes))


@pytest.mark.parametrize(("body", "message"), HAZARDS)
def test_a_hazard_is_an_error(body: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        run(body, lanes_pim())
    assert message in caught.value.message


@pytest.mark.parametrize(("body", "changes", "message"), LACKS)
def test_use_of_something_that_the_device_lacks_is_an_error(
    body: str, changes: dict[str, object], message: str
) -> None:
    """The clock and the interpreter report the same message if a program uses a verb, row, column or register that the
    device lacks."""
    pim = lanes_pim(**changes)
    for check in (lambda: run(body, pim), lambda: kernel_time(kernel(body), pim)):
        with pytest.raises(InputError) as caught:
            check()
        assert message in caught.value.message


def test_a_verb_that_the_sheet_lacks_is_an_error() -> None:
    newton = load_device("newton")
    assert isinstance(newton, Pim)
    signature = "(%x: memref<16x512xf16>) -> (%y: memref<16x512xf16>)"
    with pytest.raises(
        InputError, match="newton has no verb `write`; its verbs are load, act, mac, drain, pre, refresh"
    ):
        kernel_time(kernel("pim.write all columns 0 to 32 from %x", signature), newton)


def test_memrefs_of_another_element_type_are_an_error() -> None:
    signature = "(%x: memref<4x8xf32>) -> (%y: memref<4x8xf32>)"
    body = "pim.act all row 0\npim.write all columns 0 to 2 from %x"
    with pytest.raises(InputError, match="moves elements of f32, but small computes in f16"):
        kernel_time(kernel(body, signature), lanes_pim(element="f16"))


def test_banks_may_open_different_rows() -> None:
    """Each bank computes on the row that is open in it; a program may write to the columns behind a weight, and read
    the weight."""
    body = """
      pim.for %b = 0 to 4 {
        pim.act bank %b row %b
        pim.write bank %b columns 2 to 4 from %x[0, %b]
      }
      pim.relu all columns 2 to 4
      pim.mul bank 0 columns 2 to 4 and 0
      pim.read all columns 2 to 4 to %y[0]
      pim.pre all
      pim.act all row 0
      pim.read all columns 0 to 2 to %y[1]
    """
    y = run(body, lanes_pim())
    expected = np.maximum(np.arange(32, dtype=np.float32).reshape(4, 8) - 30, 0)
    expected[0] *= 0.5
    np.testing.assert_array_equal(y[0], expected)
    np.testing.assert_array_equal(y[1], np.full((4, 8), 0.5))


@pytest.mark.parametrize(("element", "dtype"), [("f16", np.float16), ("bf16", ml_dtypes.bfloat16)])
def test_each_command_rounds_once(element: str, dtype: type[Any]) -> None:
    signature = f"(%x: memref<2x4x8x{element}>) -> (%y: memref<4x8x{element}>)"
    body = """
      pim.act all row 0
      pim.write all columns 0 to 2 from %x[0]
      pim.write all columns 2 to 4 from %x[1]
      pim.mul all columns 0 to 2 and 2
      pim.add all columns 0 to 2 and 2
      pim.read all columns 0 to 2 to %y
    """
    x: NDArray[Any] = np.random.default_rng(1).standard_normal((2, 4, 8)).astype(dtype)
    [y] = run_kernel(kernel(body, signature), lanes_pim(element=element), [x])
    wide = x.astype(np.float32)
    product = (wide[0] * wide[1]).astype(dtype).astype(np.float32)
    np.testing.assert_array_equal(y, (product + wide[1]).astype(dtype))


def test_every_command_has_exactly_one_implementation() -> None:
    commands = {op for op in PimDialect.operations if issubclass(op, CommandOp)}
    done = {op for op in {**ACTIONS, **LANES} if op.__module__.startswith("dialects.")}  # plugins of other tests stay
    assert commands == done | {BarrierOp, SetOp}  # these two ops do not change data
    verbs = {op.COMMAND.verb for op in {**ACTIONS, **LANES} if op not in done}
    assert {op.COMMAND.verb for op in commands} | {command.verb for command in CONTROLLER} == {*COMMANDS} - verbs


def plan(body: str, arguments: str, pim: Pim, fused: bool = False) -> LanePlan | str:
    module = parse(f"func.func @main({arguments}) {{\n{body}\nfunc.return\n}}")
    kind = FusedOp if fused else GraphOp
    found: list[Operation] = [op for op in module.walk() if isinstance(op, kind)]
    result = PimTemplates.of(module).plan_for(found[-1], pim)
    assert isinstance(result, LanePlan | str)
    return result


A, B = "%a: tensor<4x10xf32>", "%b: tensor<4x10xf32>"
ADD = "%y = graph.add %a, %b : tensor<4x10xf32>, tensor<4x10xf32>"


def group(ops: str, yields: str = "%1") -> str:
    return f"%z = graph.fused (%p = %a, %q = %b) {{\n{ops}\ngraph.yield {yields}\n}}"


REFUSED: list[tuple[str, dict[str, object], bool, str]] = [
    (ADD, {"verbs": {}}, False, "graph.add: small lacks the verbs act, write, add, read, pre"),
    (ADD, {"columns": 1}, False, "a row must hold 2 values, but a row of small has only 1 columns"),
    (ADD, {"element": "f16"}, False, "graph.add of f32: small computes in f16 (the pass `reduce-precision` rounds)"),
    (
        group(
            "%0 = graph.add %p, %q : tensor<4x10xf32>, tensor<4x10xf32>\n"
            "%1 = graph.transpose %0 permutation = [1, 0] : tensor<4x10xf32>"
        ),
        {},
        True,
        "graph.transpose moves elements between two computations, but banks can't move elements",
    ),
    (
        group(
            "%0 = graph.relu %p : tensor<4x10xf32>\n%2 = graph.slice %q starts = [0, 0], ends = [1, 10] : "
            "tensor<4x10xf32>\n%3 = graph.relu %2 : tensor<1x10xf32>\n"
            "%1 = graph.add %0, %3 : tensor<4x10xf32>, tensor<1x10xf32>"
        ),
        {},
        True,
        "its ops have different shapes, but banks compute lane by lane on tensors of equal shape",
    ),
    (group("%1 = graph.exp %p : tensor<4x10xf32>"), {}, True, "no bank program exists for"),
]


@pytest.mark.parametrize(("body", "changes", "fused", "message"), REFUSED)
def test_the_reason_why_an_op_can_not_run_in_banks(
    body: str, changes: dict[str, object], fused: bool, message: str
) -> None:
    refused = plan(body, f"{A}, {B}", lanes_pim(**changes), fused)
    assert isinstance(refused, str)
    assert message in refused


def test_integers_are_refused() -> None:
    body = "%y = graph.add %a, %a : tensor<4xi8>, tensor<4xi8>"
    assert plan(body, "%a: tensor<4xi8>", lanes_pim(element="i8")) == (
        "graph.add: lanes compute floating-point numbers, not i8"
    )


def test_weights_larger_than_a_bank_are_refused() -> None:
    body = f'%w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<4x10xf32>\n{ADD.replace("%b", "%w")}'
    small = lanes_pim(rows=1, channels=1, groups=1, banks=1)
    written = plan(body, A, small)
    assert isinstance(written, LanePlan)
    assert not any(written.mapping.work.stored)
    work = replace(written.mapping.work, stored=(False, True))
    assert plan_lanes(work, small) == "the weights need 5 rows of each bank, but banks of small have 1"


def test_a_chain_of_ops_reuses_columns() -> None:
    """For relu(x * y + x), a row holds two values: the product overwrites y, and all later results reuse these
    columns."""
    ops = (
        "%0 = graph.mul %p, %q : tensor<4x10xf32>, tensor<4x10xf32>\n"
        "%2 = graph.add %0, %p : tensor<4x10xf32>, tensor<4x10xf32>\n%1 = graph.relu %2 : tensor<4x10xf32>"
    )
    chain = plan(group(ops), f"{A}, {B}", lanes_pim(), fused=True)
    assert isinstance(chain, LanePlan)
    assert chain.mapping.places == (0, 1, 1, 1, 1)


def test_a_tensor_is_distributed_over_channels() -> None:
    """40 elements over 2 channels x 4 banks x 4 lanes take 2 columns of one row, the same in all channels."""
    wide = plan(ADD, f"{A}, {B}", lanes_pim())
    assert isinstance(wide, LanePlan)
    assert (wide.mapping.channels, wide.mapping.rows, wide.mapping.width) == (2, 1, 2)
    assert wide.time.counts == {"act": 2, "write": 8, "add": 4, "read": 4, "pre": 2}


def test_with_refresh_every_row_is_activated_again() -> None:
    without_refresh, with_refresh = (
        plan(ADD, f"{A}, {B}", lanes_pim(columns=2, channels=1, refresh=refresh))
        for refresh in (None, Refresh(1000, ("read",)))
    )
    assert isinstance(without_refresh, LanePlan)
    assert isinstance(with_refresh, LanePlan)
    assert (without_refresh.time.counts["act"], with_refresh.time.counts["act"]) == (1, with_refresh.mapping.rows)


CHAIN = """
func.func @main(%x: tensor<3x16xf32>, %r: tensor<3x10xf32>) -> (tensor<3x10xf32>, tensor<3x10xf32>) {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 7) : tensor<16x10xf32>
  %b = graph.weight "b" = uniform(-1.0, 1.0, 8) : tensor<10xf32>
  %m = graph.matmul %x, %w : tensor<3x16xf32>, tensor<16x10xf32>
  %s = graph.add %m, %b : tensor<3x10xf32>, tensor<10xf32>
  %t = graph.relu %s : tensor<3x10xf32>
  %u = graph.mul %t, %r : tensor<3x10xf32>, tensor<3x10xf32>
  %v = graph.sub %u, %b : tensor<3x10xf32>, tensor<10xf32>
  func.return %t, %v : tensor<3x10xf32>, tensor<3x10xf32>
}
"""


def lowered(text: str) -> ModuleOp:
    module = parse(MACHINE + text)
    PlacePass(policy="pim-first").apply(context(), module)
    ToPimPass().apply(context(), module)
    module.verify()
    return module


def test_all_ops_of_a_chain_run_on_the_pim() -> None:
    module = lowered(CHAIN)
    before, after = run_module(parse(CHAIN), seed=3), run_module(module, seed=3)
    for expected, result in zip(before, after, strict=True):
        np.testing.assert_allclose(result.astype(np.float64), expected.astype(np.float64), atol=1e-6)
    runs = [op.place for op in module.walk() if isinstance(op, RunOp)]
    assert runs == ["pim"] * 5
    names = {op.name for op in module.walk()}
    assert not names & {"graph.matmul", "graph.add", "graph.relu", "graph.mul", "graph.sub"}


def test_one_weight_may_have_two_layouts() -> None:
    """x w + x w^T for a square w needs one kernel, but two layouts of w."""
    text = """
    func.func @main(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
      %w = graph.weight "w" = uniform(-1.0, 1.0, 7) : tensor<8x8xf32>
      %a = graph.matmul %x, %w : tensor<3x8xf32>, tensor<8x8xf32>
      %b = graph.matmul %x, %w transpose_b = true : tensor<3x8xf32>, tensor<8x8xf32>
      %y = graph.add %a, %b : tensor<3x8xf32>, tensor<3x8xf32>
      func.return %y : tensor<3x8xf32>
    }
    """
    [before], [after] = run_module(parse(text), seed=3), run_module(lowered(text), seed=3)
    np.testing.assert_allclose(after.astype(np.float64), before.astype(np.float64), atol=1e-6)


@pytest.fixture
def max_verb(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a verb that a plugin adds: an op, its numpy function, and the graph op that it implements."""
    monkeypatch.setitem(COMMANDS, "max", COMMANDS["add"])  # monkeypatch removes the entry after the test

    @irdl_op_definition
    class MaxColumnsOp(BinaryLaneOp):
        """The command that replaces a column by the maximum of two."""

        name = "pim.max"
        COMMAND: ClassVar[Command] = Command("max", "the larger one of two columns", row="uses", flops=1)

    monkeypatch.setitem(LANES, MaxColumnsOp, np.maximum)
    monkeypatch.setitem(LANE_COMMANDS, MaxOp, MaxColumnsOp)
    return "max"


def test_a_plugin_s_verb_works_everywhere(max_verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sheets, checks, the clock, the interpreter and the lowering need only the verb's op."""
    monkeypatch.chdir(tmp_path)
    sheet = tmp_path / "mine.sheet"
    sheet.write_text(
        f'device mine = toy_simd "mine"\n  verb {max_verb} = MX scope all\n'
        f"  gap bank: act | write -> {max_verb} 10\n  gap bank: {max_verb} -> read | pre 10\n"
        f"  energy {max_verb} 5 nJ\n"
    )
    text = """
    func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
      %y = graph.max %a, %b : tensor<8xf32>, tensor<8xf32>
      func.return %y : tensor<8xf32>
    }
    """
    module = parse(MACHINE.replace("toy_simd", f"{sheet}:mine") + text)
    PlacePass(policy="pim-first").apply(context(), module)
    ToPimPass().apply(context(), module)
    [before], [after] = run_module(parse(text), seed=3), run_module(module, seed=3)
    np.testing.assert_array_equal(after, before)
    found = next(op for op in module.walk() if isinstance(op, KernelOp))
    pim = load_device(f"{sheet}:mine")
    assert isinstance(pim, Pim)
    time = kernel_time(found, pim)
    # act 1; write 11, 12 and 13, 14; max 24; read 34, 35; pre 101
    assert (time.cycles, time.counts["max"], time.energy_nj["max"]) == (101, 1, 5.0)
