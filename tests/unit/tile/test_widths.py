"""Property test of copies' widths: the elements that a thread copies at once are contiguous and aligned to
their size.
"""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from dialects.tile import Access, BufferOp, CopyOp, ViewOp, memref_of
from dialects.tile.loops import range_of
from dialects.tile.widths import width_of
from ndpir import parse
from tests.amount import cases


@st.composite
def copies(draw: st.DrawFn) -> CopyOp:
    """A copy to shared memory of rows of a memory, or of windows of a memory whose last axis is the channels."""
    rows, channels, size = draw(st.integers(1, 4)), draw(st.integers(1, 12)), draw(st.integers(1, 12))
    step, pad = draw(st.integers(1, 16)), draw(st.sampled_from([0, 2, 8]))
    if draw(st.booleans()):
        window, offset = draw(st.integers(1, 3)), draw(st.integers(-1, 1))
        view = (
            f"%v = tile.view %x (r, c) -> (r + c floordiv {channels * window} + {offset}, "
            f"(c floordiv {channels}) mod {window}, c mod {channels}) : "
            f"memref<6x{window}x{channels}xf16> to memref<6x{channels * window * 2}xf16>"
        )
        memory, source = f"6x{window}x{channels}", "%v"
    else:
        view, memory, source = "", f"6x{channels}", "%x"
    (op,) = (
        op
        for op in parse(f"""
tile.kernel @rows on @gpu (%x: memref<{memory}xf16>) -> (%y: memref<4x4xf16>) {{
  {view}
  tile.blocks %i = 0 to 2 warps 1, 1 {{
    %s = tile.buffer shared {f"pad {pad}" if pad else ""} : memref<4x{size}xf16>
    tile.for %k = 0 to 3 {{
      tile.copy padded {source}[%i * 2 : {rows}, %k * {step} : {size}] to %s[0 : {rows}]
    }}
  }}
}}
""").walk()
        if isinstance(op, CopyOp)
    )
    return op


def address(access: Access, place: tuple[int, ...]) -> int | None:
    """Return the number of an element in memory, without padding; None outside of the memory."""
    owner, memory = access.memory.owner, access.memory
    pitch = owner.padding if isinstance(owner, BufferOp) else 0
    if isinstance(owner, ViewOp):
        place, memory = tuple(each.eval(place, []) for each in owner.map.data.results), owner.source
    shape, found = memref_of(memory).get_shape(), 0
    if not all(0 <= at < extent for at, extent in zip(place, shape, strict=True)):
        return None
    for axis, (at, extent) in enumerate(zip(place, shape, strict=True)):
        found = found * (extent + (pitch if axis == len(shape) - 1 else 0)) + at
    return found


@settings(max_examples=cases(200), deadline=None)
@given(copies())
def test_elements_copied_at_once_are_contiguous(op: CopyOp) -> None:
    width = width_of(op)
    assert width in (1, 2, 4, 8)
    for values in product(*(range_of(each) for each in op.indices)):
        for access in op.accesses:
            starts = [start.eval(values, []) for start in access.box.starts]
            for row in range(max(access.box.sizes[0], 1)):
                for first in range(0, access.box.sizes[1], width):
                    places = [(starts[0] + row, starts[1] + first + at) for at in range(width)]
                    found = [address(access, place) for place in places]
                    there = [each for each in found if each is not None]
                    if there:  # elements beyond the memory are zeros
                        assert found[: len(there)] == there == list(range(there[0], there[0] + len(there)))
                        assert there[0] % width == 0
