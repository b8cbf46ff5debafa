"""Tests of errors in bank programs: each hazard, and each use of something that the device lacks, is reported in one
sentence at its line."""

from __future__ import annotations

import re

import numpy as np
import pytest

from dialects.diagnostics import InputError
from dialects.element_types import dtype_of
from dialects.pim import KernelOp, memref_of
from interp.kinds.pim.timing.clock import kernel_time
from interp.kinds.pim.values.run import run_kernel
from interp.machine.records import Pim, Refresh
from tests.pim_sheets import VERBS, small_pim, verb_of
from tests.programs import parse

SIGNATURE = "(%x: memref<2x8xf32>, %w: memref<2x2x4x2x4xf32> at row 0) -> (%y: memref<2x4xf32>)"
ROW = """
  pim.load %x[0]
  pim.act all row 0
  pim.mac all columns 0 to 2
  pim.drain all to %y[0]
  pim.pre all
"""


def kernel(body: str, signature: str = SIGNATURE) -> KernelOp:
    module = parse(f"pim.kernel @k on @pim {signature} {{\n{body}\n}}")
    module.verify()
    return next(op for op in module.walk() if isinstance(op, KernelOp))


def run(body: str, pim: Pim, signature: str = SIGNATURE) -> list[np.ndarray]:
    program = kernel(body, signature)
    types = [memref_of(value) for value in program.inputs]
    return run_kernel(program, pim, [np.ones(t.get_shape(), dtype_of(t.element_type)) for t in types])


# (body, message, op that the message names)
HAZARDS = [
    ("pim.load %x[0]\npim.mac all columns 0 to 2", "no row is open in bank 0; activate one first", "pim.mac"),
    (
        "pim.load %x[0]\npim.act group 0 row 0\npim.mac all columns 0 to 2",
        "no row is open in bank 2; activate one first",
        "pim.mac",
    ),
    ("pim.act all row 0\npim.mac all columns 0 to 2", "column 0 of the global buffer was never loaded", "pim.mac"),
    (
        "pim.load %x[0, 0 to 4] at 1\npim.act all row 0\npim.mac all columns 0 to 2 buffer 1",
        "column 2 of the global buffer was never loaded",
        "pim.mac",
    ),
    (
        "pim.act all row 0\npim.act bank 1 row 1",
        "a row is open in bank 1; small needs it closed first (pim.pre)",
        "pim.act",
    ),
    (
        "pim.load %x\npim.act all row 7\npim.mac all columns 0 to 2",
        "row 7 is open, but it holds neither an operand",
        "pim.mac",
    ),
    (
        "pim.load %x\npim.act all row 0\npim.mac all columns 1 to 3",
        "the operand in row 0 has 2 columns, so column 2",
        "pim.mac",
    ),
    ("pim.drain all to %y[0]", "an accumulator of the addressed banks holds no sum; multiply first", "pim.drain"),
    (ROW + ROW, "an earlier command stored to %y[0, 0]; write `add to` to sum the two", "pim.drain"),
    (
        "pim.load %x[0]\npim.act all row 0\npim.mac all columns 0 to 2",
        "@k ends with a sum in accumulator 0 of bank 0",
        "pim.kernel",
    ),
    (ROW, "%y[1, 0] is never written", "pim.kernel"),
    (
        f"pim.channels %c = 0 to 2 {{ {ROW} }}",
        "several channels store to the same entries; write `add to` to sum them",
        "pim.drain",
    ),
]

LACKS: list[tuple[str, dict[str, object], str, str]] = [
    ("pim.pre all", {"verbs": {}}, "pim.pre: small has no verb `pre`; its verbs are", "pim.pre"),
    (
        "pim.act all row 0",
        {"verbs": {"act": verb_of("act", "group", "bank")}},
        "pim.act all: small has this command only with scope group or bank",
        "pim.act",
    ),
    ("pim.act bank 4 row 0", {}, "unit 4 is out of range; small has 4 banks of a channel (0 to 3)", "pim.act"),
    ("pim.act same 2 row 0", {}, "unit 2 is out of range; small has 2 banks of a group (0 to 1)", "pim.act"),
    (
        "pim.act twin 2 row 0",
        {"pseudochannels": 2, "verbs": {"act": verb_of("act", "twin")}},
        "unit 2 is out of range; small has 2 banks of a pseudo-channel (0 to 1)",
        "pim.act",
    ),
    ("pim.act group 2 row 0", {}, "unit 2 is out of range; small has 2 groups of a channel", "pim.act"),
    (
        "pim.for %r = 0 to 2 {\npim.act all row %r * 2000\n}",
        {},
        "row 2000 is out of range; small has 1024 rows",
        "pim.act",
    ),
    ("pim.load %x at 1", {}, "entry 4 is out of range; small has 4 columns of the global buffer", "pim.load"),
    ("pim.mac all columns 2 to 5", {}, "column 4 is out of range; small has 4 columns of a row", "pim.mac"),
    (
        "pim.mac all columns 0 to 2 buffer 3",
        {},
        "entry 4 is out of range; small has 4 columns of the global",
        "pim.mac",
    ),
    ("pim.mac all columns 0 to 2 into 1", {}, "accumulator 1 is out of range; small has 1 accumulators", "pim.mac"),
    (
        "pim.mac all columns 0 to 2 buffer 1",
        {"tied": True},
        "multiplies a column of a row with the same column of the global buffer",
        "pim.mac",
    ),
    (
        "pim.drain group 0 to %y[0]",
        {},
        "pim.drain group moves 2 numbers, but the memref's subscripts select 4 entries; select 2",
        "pim.drain",
    ),
    ("pim.channels %c = 1 to 3 {\npim.pre all\n}", {}, "there is no channel 2; small has 2", "pim.channels"),
    ("pim.load %x", {"element": "f16"}, "%w has f32 elements, but small holds f16", "pim.kernel"),
    ("pim.pre all", {"lanes": 8}, "%w has 4 lanes, but a column of small has 8", "pim.kernel"),
    ("pim.pre all", {"banks": 1}, "%w has 4 banks, but a channel of small has 2", "pim.kernel"),
    ("pim.pre all", {"columns": 1}, "%w has 2 columns, but a row of small has 1", "pim.kernel"),
    ("pim.pre all", {"rows": 1}, "%w has rows up to 1, but a bank of small has 1", "pim.kernel"),
    ("pim.pre all", {"channels": 1}, "%w has 2 channels, but small has 1", "pim.kernel"),
]


@pytest.mark.parametrize(("body", "message", "op_name"), HAZARDS)
def test_a_hazard_is_an_error_of_a_run(body: str, message: str, op_name: str) -> None:
    with pytest.raises(InputError) as caught:
        run(body, small_pim())
    assert message in caught.value.message
    assert caught.value.message.startswith(op_name)


STATIC_HAZARDS = (
    "no row is open",
    "a row is open",
    "never loaded",
    "holds no sum",
    "ends with a sum",
    "never read",
    "that was read",
    "activation register",
    "softmax buffer",
)
"""Parts of the messages of hazards that the clock finds without data. The messages of all other hazards depend on the
contents of rows and buffer entries, so only a numeric run finds them."""


@pytest.mark.parametrize(
    ("body", "message", "op_name"), [row for row in HAZARDS if any(words in row[1] for words in STATIC_HAZARDS)]
)
def test_a_static_hazard_is_an_error_of_the_clock(body: str, message: str, op_name: str) -> None:
    """The clock rejects a program whose results would be wrong, unless the sheet turns the check off."""
    with pytest.raises(InputError) as caught:
        kernel_time(kernel(body), small_pim())
    assert message in caught.value.message
    assert caught.value.message.startswith(op_name)
    assert kernel_time(kernel(body), small_pim(checked=False)).cycles > 0


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("pim.act all row 0\npim.for %r = 0 to 1000 {\npim.act all row %r\n}", "a row is open in bank 0"),
        (f"pim.for %r = 0 to 3 {{ {ROW.replace('pim.pre all', '')} }}", "a row is open in bank 0"),
        ("pim.for %b = 0 to 3 {\npim.act bank %b row 0\n}\npim.load %x[0]\npim.mac all columns 0 to 1", "in bank 3"),
        (
            "pim.act all row 0\npim.for %v = 0 to 4 {\npim.mac all columns 0 to 1 buffer %v\n"
            "pim.load %x[0, 0 to 4] at %v\n}",
            "column 0 of the global buffer was never loaded",
        ),
        (
            "pim.act all row 0\npim.for %v = 0 to 4 {\npim.load %x[0, 0 to 4] at %v\n"
            "pim.mac all columns 0 to 1 buffer 3 - %v\n}",
            "column 3 of the global buffer was never loaded",
        ),
        (
            f"pim.for %r = 0 to 5 {{ {ROW} pim.drain all to %y[1]\n}}",
            "an accumulator of the addressed banks holds no sum",
        ),
    ],
)
def test_a_hazard_in_a_loop_is_an_error(body: str, message: str) -> None:
    for check in (lambda: run(body, small_pim()), lambda: kernel_time(kernel(body), small_pim())):
        with pytest.raises(InputError, match=message):
            check()


@pytest.mark.parametrize(("body", "changes", "message", "op_name"), LACKS)
def test_use_of_something_that_the_device_lacks_is_an_error(
    body: str, changes: dict[str, object], message: str, op_name: str
) -> None:
    """The clock and the interpreter report the same message if a program uses a verb, row, column or register that the
    device lacks."""
    pim = small_pim(**changes)
    for check in (lambda: run(body, pim), lambda: kernel_time(kernel(body), pim)):
        with pytest.raises(InputError) as caught:
            check()
        assert message in caught.value.message
        assert caught.value.message.startswith(op_name)


def test_f32_memrefs_are_refused_on_an_f16_device() -> None:
    signature = "(%x: memref<8xf32>) -> (%y: memref<4xf32>)"
    with pytest.raises(
        InputError,
        match=re.escape("pim.load moves elements of f32, but small computes in f16; change the memref's element type"),
    ):
        run("pim.load %x", small_pim(element="f16"), signature)


def test_a_channel_without_weights_is_an_error() -> None:
    signature = SIGNATURE.replace("memref<2x2x4x2x4xf32>", "memref<1x2x4x2x4xf32>")
    with pytest.raises(InputError, match="channel 1 uses row 0, but the operand in this row has only channel 0; leave"):
        run(f"pim.channels %c = 1 to 2 {{ {ROW} }}", small_pim(), signature)


def test_rows_may_be_reopened_if_the_sheet_allows_it() -> None:
    body = ROW.replace("pim.pre all", "pim.act all row 1\npim.mac all columns 0 to 2\npim.drain all to %y[1]")
    [y] = run(body, small_pim(reopen=True))
    assert y.tolist() == [[8.0] * 4] * 2


def test_wrong_inputs_are_errors() -> None:
    program = kernel(ROW)
    x, w = np.ones((2, 8), np.float32), np.ones((2, 2, 4, 2, 4), np.float32)
    with pytest.raises(InputError, match="@k takes 2 inputs, not 1"):
        run_kernel(program, small_pim(), [x])
    with pytest.raises(InputError, match=re.escape("%x must be a memref<2x8xf32>, not float16 of shape [2, 8]")):
        run_kernel(program, small_pim(), [x.astype(np.float16), w])


def test_accumulators_and_banks_are_independent() -> None:
    """The program uses two accumulators, commands for single banks, and different rows in different banks."""
    body = """
      pim.load %x[0]
      pim.load %x[1] at 2
      pim.for %b = 0 to 4 {
        pim.act bank %b row 0
      }
      pim.mac all columns 0 to 2
      pim.mac group 1 columns 0 to 2 buffer 2 into 1
      pim.pre bank 3
      pim.act bank 3 row 1
      pim.mac all columns 0 to 1
      pim.drain all to %y[0]
      pim.mac group 0 columns 1 to 2 into 1
      pim.drain all from 1 to %y[1]
    """
    w = np.arange(2 * 2 * 4 * 2 * 4, dtype=np.float32).reshape(2, 2, 4, 2, 4)
    x = np.arange(16, dtype=np.float32).reshape(2, 8) - 5
    pim = small_pim(accumulators=2)
    [y] = run_kernel(kernel(body), pim, [x, w])
    row, vectors = w[0, 0].reshape(4, 8), x
    first = row @ vectors[0] + np.array([w[0, 0, b, 0] @ x[0, :4] for b in range(3)] + [w[0, 1, 3, 0] @ x[0, :4]])
    second = np.concatenate([w[0, 0, :2, 1] @ x[0, 4:], row[2:] @ vectors[1]])
    np.testing.assert_array_equal(y, [first, second])


def test_a_refresh_that_leaves_no_time_for_commands_is_an_error() -> None:
    pim = small_pim(refresh=Refresh(1, ("drain",)), verbs={verb: verb_of(verb, "all") for verb in (*VERBS, "refresh")})
    with pytest.raises(
        InputError, match="small: a refresh every 1 cycles leaves no time for another command; choose a longer interval"
    ):
        kernel_time(kernel(ROW + ROW.replace("[0]", "[1]")), pim)
