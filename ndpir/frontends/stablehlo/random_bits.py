"""Random bits by the counter-based generators of the specification. The bits and the new state equal those of XLA
(`xla/hlo/builder/lib/prng.cc`)."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import element_type_named, is_float
from ndpir.frontends.construction import Construction
from ndpir.frontends.stablehlo.building import Building, converts

U32, U64 = element_type_named("ui32"), element_type_named("ui64")
ROTATIONS = (13, 15, 26, 6, 17, 29, 16, 24)
"""Rotation distances of Threefry-2x32 (Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, SC'11)."""
PARITY = 0x1BD11BDA
MULTIPLIERS, WEYL = (0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85)
"""Multipliers and key increments of Philox-4x32-10 (Salmon et al., as above)."""


@converts("rng_bit_generator")
def rng_bit_generator(b: Building, xs: list[SSAValue]) -> list[SSAValue]:
    """Random bits by Threefry-2x32 or Philox-4x32-10. The first number of the state is the key, all further numbers are
    the counter; DEFAULT is PHILOX, as on XLA's CPU and GPU."""
    algorithm, type_ = b.word("rng_algorithm", "DEFAULT"), b.result(1)
    bits = Bits(b)
    (length,) = g.shape_of(xs[0])
    if g.tensor_of(xs[0]).element_type != U64 or length not in ((2,) if algorithm == "THREE_FRY" else (2, 3)):
        b.fail(f"the state of {algorithm} must be 2 (for PHILOX or DEFAULT, 2 or 3) numbers of ui64, not {xs[0].type}")
    words = [b.reshaped(b.sliced(xs[0], [i], [i + 1]), ()) for i in range(length)]
    key, counter = words[0], words[1:]
    shape = type_.get_shape()
    width = 8 * np.dtype(_dtype(b, type_)).itemsize
    if algorithm == "THREE_FRY":
        drawn, state = bits.threefry(key, counter[0], shape, width)
    elif algorithm in ("PHILOX", "DEFAULT"):
        drawn, state = bits.philox(key, counter, shape, width)
    else:
        b.fail(f"`rng_algorithm` must be THREE_FRY, PHILOX or DEFAULT, not {algorithm}")
    element = type_.element_type
    if is_float(element):
        drawn = b.build(g.BitcastOp, b.cast(drawn, element_type_named(f"ui{width}")), result_type=type_)
    new = b.build(g.ConcatOp, *(b.reshaped(word, (1,)) for word in [key, *state]), axis=0)
    return [new, b.cast(drawn, element)]


def _dtype(b: Building, type_: g.Tensor) -> str:
    from dialects.element_types import dtype_of

    found = dtype_of(type_.element_type)
    if found.kind == "b":
        b.fail("random truth values (i1) are not supported; draw numbers, and compare them")
    return found.name if found.kind in "iuf" else f"u{found.itemsize}"


class Bits:
    """A builder of ops for arithmetic on words of 32 and 64 bits."""

    def __init__(self, b: Construction) -> None:
        self.b = b

    def u32(self, number: int) -> SSAValue:
        return self.b.constant(np.array(number, np.uint32))

    def u64(self, number: int) -> SSAValue:
        return self.b.constant(np.array(number % (1 << 64), np.uint64))

    def add(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self.b.build(g.AddOp, x, y)

    def xor(self, *xs: SSAValue) -> SSAValue:
        first, *rest = xs
        for x in rest:
            first = self.b.build(g.XorOp, first, x)
        return first

    def halves(self, x: SSAValue) -> tuple[SSAValue, SSAValue]:
        """The lower and the upper 32 bits of 64-bit words."""
        upper = self.b.build(g.ShiftOp, x, self.u64(32), kind="right")
        return self.b.cast(x, U32), self.b.cast(upper, U32)

    def joined(self, low: SSAValue, high: SSAValue) -> SSAValue:
        """64-bit words from their lower and upper 32 bits."""
        upper = self.b.build(g.ShiftOp, self.b.cast(high, U64), self.u64(32), kind="left")
        return self.b.build(g.OrOp, self.b.cast(low, U64), upper)

    def rotated(self, x: SSAValue, by: int) -> SSAValue:
        left = self.b.build(g.ShiftOp, x, self.u32(by), kind="left")
        return self.b.build(g.OrOp, left, self.b.build(g.ShiftOp, x, self.u32(32 - by), kind="right"))

    # Threefry.

    def threefry(
        self, key: SSAValue, counter: SSAValue, shape: Sequence[int], width: int
    ) -> tuple[SSAValue, list[SSAValue]]:
        """Random words of Threefry in a given shape, and the counter after drawing them. Words have 64 bits if `width`
        is 64, else 32."""
        b = self.b
        if width == 64:
            low, high = self._threefry(key, self._counted(counter, shape))
            return self.joined(low, high), [self.add(counter, self.u64(prod(shape)))]
        if not shape:
            low, _ = self._threefry(key, self._counted(counter, (1,)))
            return b.reshaped(low, ()), [self.add(counter, self.u64(1))]
        # Each step gives two words, used for two neighbours along the first even axis, or else the longest.
        even = next((axis for axis, n in enumerate(shape) if n % 2 == 0), None)
        axis = shape.index(max(shape)) if even is None else even
        half = [-(-n // 2) if a == axis else n for a, n in enumerate(shape)]
        apart = [*half[: axis + 1], 1, *half[axis + 1 :]]
        words = self._threefry(key, self._counted(counter, apart))
        pair = b.build(g.ConcatOp, *words, axis=axis + 1)
        merged = b.reshaped(pair, [2 * n if a == axis else n for a, n in enumerate(half)])
        return b.sliced(merged, [0] * len(shape), shape), [self.add(counter, self.u64(prod(half)))]

    def _counted(self, counter: SSAValue, shape: Sequence[int]) -> SSAValue:
        """The counter of each element: `counter` plus the element's row-major index."""
        total, stride = counter, 1
        for axis in reversed(range(len(shape))):
            if shape[axis] > 1:
                total = self.add(total, self.b.build(g.MulOp, self.b.along(axis, shape, U64), self.u64(stride)))
            stride *= shape[axis]
        return self.b.broadcast_to(total, shape)

    def _threefry(self, key: SSAValue, counter: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Both words of a Threefry-2x32 step of 20 rounds."""
        first, second = self.halves(key)
        keys = [first, second, self.xor(self.u32(PARITY), first, second)]
        low, high = self.halves(counter)
        low, high = self.add(low, keys[0]), self.add(high, keys[1])
        for step in range(5):
            for by in ROTATIONS[4 * (step % 2) : 4 * (step % 2) + 4]:
                low = self.add(low, high)
                high = self.xor(low, self.rotated(high, by))
            low = self.add(low, keys[(step + 1) % 3])
            high = self.add(self.add(high, keys[(step + 2) % 3]), self.u32(step + 1))
        return low, high

    # Philox.

    def philox(
        self, key: SSAValue, counter: Sequence[SSAValue], shape: Sequence[int], width: int
    ) -> tuple[SSAValue, list[SSAValue]]:
        """Random words of Philox in a given shape, and the counter after drawing them. Words have 64 bits if `width` is
        64, else 32."""
        b, count = self.b, prod(shape)
        low, high = counter if len(counter) == 2 else (counter[0], key)  # as XLA extends a short state
        words = 2 * count if width == 64 else count
        steps = -(-words // 4)
        index = b.counted(steps, U64)
        first, carried = self._raised(low, high, index)
        state = (*self.halves(first), *self.halves(carried))
        made = self._philox(state, self.halves(key))
        numbers = made if width != 64 else [self.joined(made[0], made[1]), self.joined(made[2], made[3])]
        columns = [b.reshaped(b.broadcast_to(word, (steps,)), (steps, 1)) for word in numbers]
        flat = b.reshaped(b.build(g.ConcatOp, *columns, axis=1), (steps * len(numbers),))
        new = self._raised(low, high, self.u64(steps))
        return b.reshaped(b.sliced(flat, [0], [count]), shape), list(new)[: len(counter)]

    def _raised(self, low: SSAValue, high: SSAValue, by: SSAValue) -> tuple[SSAValue, SSAValue]:
        """The sum of a 128-bit counter (`low`, `high`) and a 64-bit number."""
        sum_ = self.add(low, by)
        carry = self.b.build(g.CompareOp, sum_, low, kind="lt")
        return sum_, self.add(high, self.b.cast(carry, U64))

    def _philox(self, state: Sequence[SSAValue], key: Sequence[SSAValue]) -> list[SSAValue]:
        """The four words of a Philox-4x32 step of 10 rounds."""
        words, keys = list(state), list(key)
        for _ in range(10):
            first, second = (
                self.halves(self.b.build(g.MulOp, self.b.cast(words[at], U64), self.u64(by)))
                for at, by in zip((0, 2), MULTIPLIERS, strict=True)
            )
            words = [
                self.xor(second[1], words[1], keys[0]),
                second[0],
                self.xor(first[1], words[3], keys[1]),
                first[0],
            ]
            keys = [self.add(one, self.u32(by)) for one, by in zip(keys, WEYL, strict=True)]
        return words
