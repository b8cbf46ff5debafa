"""Tests of the arithmetic of banks, against the same arithmetic on single numbers: sums in each numeric mode, biases,
activation tables, moves of columns, softmax."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dialects.diagnostics import InputError
from dialects.element_types import dtype_of, element_type_named
from dialects.pim import COMMANDS, KernelOp, memref_of
from interp.kinds.pim.program import programs_of
from interp.kinds.pim.timing.clock import kernel_time
from interp.kinds.pim.values.activation_tables import FUNCTIONS, activated
from interp.kinds.pim.values.run import run_kernel
from interp.machine.records import Pim
from tests.pim_sheets import small_pim, verb_of
from tests.programs import parse

Array = NDArray[Any]
F32 = np.float32


def units_pim(**changes: object) -> Pim:
    """A device with 2 groups of 4 banks that has all verbs at all scopes."""
    verbs = {verb: verb_of(verb, "all", "group", "same", "bank") for verb in COMMANDS}
    fields: dict[str, object] = {"banks": 4, "columns": 8, "buffer_columns": 8, "accumulators": 2, "verbs": verbs}
    return small_pim(**(fields | changes))


def kernel(body: str, signature: str) -> KernelOp:
    module = parse(f"pim.kernel @k on @pim {signature} {{\n{body}\n}}")
    module.verify()
    return next(op for op in module.walk() if isinstance(op, KernelOp))


def drawn(program: KernelOp, seed: int = 0) -> list[Array]:
    random = np.random.default_rng(seed)
    types = [memref_of(value) for value in program.inputs]
    return [random.standard_normal(t.get_shape()).astype(dtype_of(t.element_type)) for t in types]


def run(body: str, signature: str, pim: Pim) -> tuple[list[Array], list[Array]]:
    """Run a program on random inputs, and return inputs and outputs; also checks that the clock accepts the program."""
    program = kernel(body, signature)
    inputs = drawn(program)
    if pim.rows_by == "program":
        assert kernel_time(program, pim).cycles > 0
    return inputs, run_kernel(program, pim, inputs)


# Each numeric mode is written out separately, with scalars of the types that the units compute in.


def pairwise_sum(terms: Sequence[Any]) -> Any:
    """The sum of terms by a tree of adjacent pairs; an odd last term moves to the next level unchanged."""
    level = list(terms)
    while len(level) > 1:
        pairs = [level[i] + level[i + 1] for i in range(0, len(level) - 1, 2)]
        level = pairs + level[len(level) - len(level) % 2 :]
    return level[0]


def by_f32(columns: Sequence[Any], vector: Sequence[Any], start: Any, number: Callable[[Any], Any]) -> Any:
    total = F32(start)
    for column, x in zip(columns, vector, strict=True):
        total = total + pairwise_sum([F32(a) * F32(b) for a, b in zip(column, x, strict=True)])
    return total


def by_element_type(columns: Sequence[Any], vector: Sequence[Any], start: Any, number: Callable[[Any], Any]) -> Any:
    total = number(start)
    for column, x in zip(columns, vector, strict=True):
        total = total + pairwise_sum([number(a) * number(b) for a, b in zip(column, x, strict=True)])
    return F32(total)


def by_lanes(columns: Sequence[Any], vector: Sequence[Any], start: Any, number: Callable[[Any], Any]) -> Any:
    lanes = [number(start), *(number(0) for _ in columns[0][1:])]
    for column, x in zip(columns, vector, strict=True):
        lanes = [total + number(a) * number(b) for total, a, b in zip(lanes, column, x, strict=True)]
    result = F32(lanes[0])
    for lane in lanes[1:]:
        result = result + F32(lane)
    return result


@pytest.mark.parametrize("element", ["f16", "bf16", "f32"])
@pytest.mark.parametrize("lanes", [1, 3, 4, 16])
@pytest.mark.parametrize(
    ("mode", "by_hand"),
    [("wide", by_f32), ("narrow", by_element_type), ("lanes", by_lanes)],
    ids=["wide", "narrow", "lanes"],
)
def test_sums_equal_those_written_out_by_hand(mode: str, by_hand: Callable[..., Any], lanes: int, element: str) -> None:
    signature = (
        f"(%x: memref<{6 * lanes}x{element}>, %b: memref<8x{element}>, %w: memref<1x2x8x3x{lanes}x{element}> at row 0)"
        " -> (%y: memref<8xf32>)"
    )
    body = """
      pim.load %x
      pim.bias all from %b
      pim.for %r = 0 to 2 {
        pim.act all row %r
        pim.mac all columns 0 to 3 buffer %r * 3
        pim.pre all
      }
      pim.drain all to %y
    """
    (x, b, w), [y] = run(body, signature, units_pim(numeric=mode, lanes=lanes, element=element))
    vector = x.reshape(6, lanes)
    number = dtype_of(element_type_named(element)).type
    for bank in range(8):
        columns = [w[0, row, bank, column] for row in range(2) for column in range(3)]
        assert y[bank] == by_hand(columns, list(vector), b[bank], number), bank


def test_the_sums_of_lanes_can_be_drained_separately() -> None:
    """On a device with one sum per lane, a drain into `lanes` times as many entries gives each lane's sum instead of
    their total; the bus moves all lanes' sums in both cases."""
    pim = units_pim(numeric="lanes", element="f16")
    body = "pim.load %x\npim.act all row 0\npim.mac all columns 0 to 2\npim.drain all to %y"
    weights = "%x: memref<8xf16>, %w: memref<1x1x8x2x4xf16> at row 0"
    (x, w), [y] = run(body, f"({weights}) -> (%y: memref<8x4xf16>)", pim)
    terms = w[0, 0] * x.reshape(2, 4)  # numpy's product of f16 numbers is f16
    np.testing.assert_array_equal(y, terms[:, 0] + terms[:, 1])
    one = kernel(body, f"({weights}) -> (%y: memref<8xf16>)")
    assert programs_of(one, pim)[0].bus_bytes == 8 * 2 + 8 * 4 * 2
    with pytest.raises(
        InputError, match=r"pim\.drain all moves 8 numbers, but the memref's subscripts select 16 entries; select 8"
    ):
        run(body, f"({weights}) -> (%y: memref<16xf16>)", pim)


def test_sums_that_a_drain_keeps_accumulate_until_they_are_set() -> None:
    """If a drain keeps the sum, it can be read again. The device adds further products to it; with the sheet's checks
    on, this is an error."""
    signature = "(%x: memref<4xf32>, %b: memref<8xf32>, %w: memref<1x1x8x1x4xf32> at row 0) -> (%y: memref<3x8xf32>)"
    one = "pim.mac all columns 0 to 1\npim.drain all to %y[{}]\n"
    start = "pim.load %x\npim.act all row 0\n"
    (x, b, w), [y] = run(
        start + one.format(0) + "pim.drain all to %y[1]\npim.bias all from %b\n" + one.format(2),
        signature,
        units_pim(drain_clears=False),
    )
    product = np.array([pairwise_sum([F32(a) * F32(c) for a, c in zip(row[0], x, strict=True)]) for row in w[0, 0]])
    np.testing.assert_array_equal(y, np.stack([product, product, b + product]))
    accumulating = start + one.format(0) + one.format(1) + one.format(2)
    with pytest.raises(InputError, match=r"accumulator 0 of bank 0 still holds a sum that was read already"):
        run(accumulating, signature, units_pim(drain_clears=False))
    (x, b, w), [y] = run(accumulating, signature, units_pim(drain_clears=False, checked=False))
    np.testing.assert_array_equal(y, np.add.accumulate(np.stack([product] * 3), axis=0))


@pytest.mark.parametrize("element", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_activation_tables(function: str, element: str) -> None:
    """A table holds samples from -8 to 8, rounded to the element type; between them the device interpolates in f32,
    outside it uses asymptotes."""
    signature = "(%b: memref<4x8xf32>) -> (%y: memref<4x8xf32>)"
    body = f"""
      pim.for %i = 0 to 4 {{
        pim.bias all from %b[%i]
        pim.activate all "{function}"
        pim.activated all to %y[%i]
      }}
    """
    pim = units_pim(element=element, lanes=16)
    program = kernel(body, signature)
    b = np.concatenate([np.linspace(-9, 9, 29), [0, 8, -8]]).astype(F32).reshape(4, 8)
    [y] = run_kernel(program, pim, [b])
    number = dtype_of(element_type_named(element)).type
    samples = pim.columns * pim.lanes
    step = 16 / samples
    table = [F32(number(value)) for value in FUNCTIONS[function].exact(np.arange(samples) * step - 8)]
    for x, result in zip(b.reshape(-1), y.reshape(-1), strict=True):
        position = (x + F32(8)) * F32(1 / step)
        if position < 0 or position > samples - 1:
            slope, offset = FUNCTIONS[function].left if position < 0 else FUNCTIONS[function].right
            expected = x * F32(slope) + F32(offset)
        else:
            at = int(position)
            after = table[min(at + 1, samples - 1)]
            expected = table[at] + (position - F32(at)) * (after - table[at])
        assert result == F32(number(expected)), x
    assert abs(y - FUNCTIONS[function].exact(b.astype(np.float64))).max() < 0.02


def test_activation_tables_of_nan_and_infinities() -> None:
    x = np.array([np.nan, np.inf, -np.inf], F32)
    np.testing.assert_array_equal(activated("relu", x, 64, "f32"), [np.nan, np.inf, 0])
    np.testing.assert_array_equal(activated("tanh", x, 64, "f32"), [np.nan, 1, -1])


def test_a_group_multiplies_columns_of_two_of_its_banks() -> None:
    signature = "(%x: memref<2x2x8xbf16>) -> (%y: memref<2x8xbf16>)"
    body = """
      pim.act all row 5
      pim.for %g = 0 to 2 {
        pim.write bank %g * 4 columns 2 to 4 from %x[%g, 0]
        pim.write bank %g * 4 + 1 columns 2 to 4 from %x[%g, 1]
      }
      pim.ewmul all columns 2 to 4
      pim.for %g = 0 to 2 {
        pim.read bank %g * 4 + 2 columns 2 to 4 to %y[%g]
      }
      pim.pre all
    """
    (x,), [y] = run(body, signature, units_pim(element="bf16"))
    np.testing.assert_array_equal(y, x[:, 0] * x[:, 1])
    with pytest.raises(InputError, match="multiplies bank 0 with bank 1 into bank 2, but a group of small has 2 banks"):
        run(body, signature, units_pim(element="bf16", banks=2, groups=4))


def test_columns_pass_through_the_global_buffer() -> None:
    """The program fetches columns of a row into the buffer as the vector, stores columns of the buffer to a row of
    every bank, and reads all banks in one command."""
    signature = "(%x: memref<8x8xf16>, %w: memref<1x1x8x2x4xf16> at row 0) -> (%y: memref<8xf32>, %z: memref<8x8xf16>)"
    body = """
      pim.act all row 1
      pim.write all columns 4 to 6 from %x {host}
      pim.fetch bank 5 columns 4 to 6 buffer 1
      pim.pre all
      pim.act all row 0
      pim.mac all columns 0 to 2 buffer 1
      pim.drain all to %y
      pim.store all columns 6 to 8 buffer 1
      pim.read all columns 6 to 8 to %z {host}
    """
    (x, w), [y, z] = run(body, signature, units_pim(element="f16"))
    np.testing.assert_array_equal(z, np.broadcast_to(x[5], (8, 8)))
    for bank in range(8):
        assert y[bank] == by_f32(list(w[0, 0, bank]), list(x[5].reshape(2, 4)), 0, F32)


def test_bank_groups_may_have_separate_buffers() -> None:
    signature = "(%x: memref<2x4xf32>, %w: memref<1x1x8x1x4xf32> at row 0) -> (%y: memref<8xf32>)"
    body = """
      pim.for %g = 0 to 2 {
        pim.load group %g %x[%g]
      }
      pim.act all row 0
      pim.mac all columns 0 to 1
      pim.drain all to %y
    """
    (x, w), [y] = run(body, signature, units_pim())
    for bank in range(8):
        assert y[bank] == by_f32([w[0, 0, bank, 0]], [x[bank // 4]], 0, F32)
    with pytest.raises(InputError, match="column 0 of the global buffer was never loaded"):
        run(body.replace("= 0 to 2", "= 0 to 1"), signature, units_pim())


def test_attention_in_a_channel() -> None:
    """The program computes one head of attention: scores of 12 keys, their softmax, and the sum of values weighted by
    it."""
    signature = (
        "(%q: memref<8xf16>, %k: memref<1x2x8x2x4xf16> at row 0, %v: memref<1x1x8x3x4xf16> at row 2)"
        " -> (%y: memref<8xf32>)"
    )
    body = """
      pim.load %q
      pim.for %r = 0 to 2 {
        pim.act all row %r
        pim.mac all columns 0 to 2 into %r
        pim.pre all
      }
      pim.collect all
      pim.collect group 0 from 1 at 8
      pim.drain group 1 from 1 to %y[0 to 4]
      pim.softmax entries 0 to 12
      pim.spread all entries 0 to 12 at 3
      pim.act all row 2
      pim.mac all columns 0 to 3 buffer 3
      pim.drain all add to %y
    """
    (q, k, v), [y] = run(body.replace("to %y[0 to 4]", "add to %y[0 to 4]"), signature, units_pim(element="f16"))
    scores = [by_f32(list(k[0, r, b]), list(q.reshape(2, 4)), 0, F32) for r in range(2) for b in range(8)]
    powers = [np.exp(F32(s) - max(scores[:12])) for s in scores[:12]]
    total = powers[0]
    for power in powers[1:]:
        total = total + power
    weights = np.array([power / total for power in powers], np.float16).reshape(3, 4)
    for bank in range(8):
        rest = scores[12 + bank] if bank < 4 else F32(0)
        assert y[bank] == rest + by_f32(list(v[0, 0, bank]), list(weights), 0, F32)


def test_softmax_without_a_range_covers_all_collected_scores() -> None:
    signature = "(%s: memref<8xf32>, %w: memref<1x1x8x2x4xf32> at row 0) -> (%y: memref<8xf32>)"
    body = """
      pim.bias all from %s
      pim.collect all
      pim.softmax
      pim.spread all entries 0 to 8
      pim.act all row 0
      pim.mac all columns 0 to 2
      pim.drain all to %y
    """
    (s, w), [y] = run(body, signature, units_pim())
    powers = np.exp(s - s.max())
    weights = powers / np.add.accumulate(powers)[-1]
    for bank in range(8):
        assert y[bank] == by_f32(list(w[0, 0, bank]), list(weights.reshape(2, 4)), 0, F32)


def test_registers_and_barriers_do_not_change_data_and_vendor_steps_are_refused() -> None:
    signature = "(%b: memref<8xf32>) -> (%y: memref<8xf32>)"
    body = "pim.set 0 = 1\npim.bias all from %b\npim.barrier\npim.drain all to %y"
    pim = units_pim(verbs={verb: verb_of(verb, "all") for verb in ("bias", "drain")})
    (b,), [y] = run(body, signature, pim)
    np.testing.assert_array_equal(y, b)
    with pytest.raises(
        InputError, match=r'pim\.step "W GPR 0": the effect of a vendor.s own instruction on values is unknown'
    ):
        run(f'pim.step "W GPR 0"\n{body}', signature, pim)


def test_with_controller_managed_rows_programs_do_not_close_rows() -> None:
    """On a device with controller-managed rows, an activate only sets the row of the following commands, even while
    another row is open."""
    signature = "(%x: memref<4xf32>, %w: memref<1x2x8x1x4xf32> at row 0) -> (%y: memref<2x8xf32>)"
    body = """
      pim.load %x
      pim.for %r = 0 to 2 {
        pim.act all row %r
        pim.mac all columns 0 to 1
        pim.drain all to %y[%r]
      }
    """
    pim = units_pim(rows_by="controller")
    (x, w), [y] = run(body, signature, pim)
    assert y[1, 7] == by_f32([w[0, 1, 7, 0]], [x], 0, F32)
    with pytest.raises(
        InputError, match=r"pim\.pre: on small the channel's controller closes rows by itself; remove pim\.pre"
    ):
        run(f"{body}\npim.pre all", signature, pim)


def test_an_unknown_activation_table_is_an_error() -> None:
    with pytest.raises(InputError, match="no activation function `cosine`; there are relu, leaky_relu, sigmoid"):
        run(
            'pim.bias all from %b\npim.activate all "cosine"\npim.activated all to %y',
            "(%b: memref<8xf32>) -> (%y: memref<8xf32>)",
            units_pim(),
        )
