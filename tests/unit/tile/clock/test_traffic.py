"""Traffic computed in closed form equals traffic counted block by block."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dialects.tile import CopyOp, KernelOp
from interp.tile.traffic import Reuse, Stream, Tiles, counted, streams_of, traffic_of
from ndpir import parse


@st.composite
def tiles(draw: st.DrawFn) -> Tiles:
    extents = tuple(draw(st.lists(st.integers(1, 12), min_size=1, max_size=4)))
    repeats = tuple(draw(st.sampled_from((0, 1, 1, 2, 3))) for _ in extents)
    return Tiles(extents, draw(st.integers(1, 5)), repeats)


@given(tiles(), st.integers(1, 60))
def test_reuse_is_that_of_each_block(found: Tiles, at_once: int) -> None:
    assert found.reuse(at_once) == counted(found.each(), at_once)


def test_millions_of_blocks_are_counted_at_once() -> None:
    rows, columns = 1_404_928, 4
    first, second = Tiles((rows, columns), 1, (1, 0)), Tiles((rows, columns), 1, (0, 1))
    assert first.reuse(columns * 100) == Reuse(rows, ())
    waves = -(-rows * columns // 1000)
    assert second.reuse(1000) == Reuse(waves * columns, ((1, (waves - 1) * columns),))


GRID = """
tile.kernel @k on @gpu (%x: memref<4x64x64xf16>, %w: memref<2x64x64xf16>) -> (%y: memref<4x64x64xf16>) {
  tile.blocks %h = 0 to 4, %i = 0 to 4, %j = 0 to 2 warps 1, 1 order 2 {
    %a = tile.buffer shared : memref<16x64xf16>
    %b = tile.buffer shared : memref<32x32xf16>
    %c = tile.buffer shared : memref<32x32xf16>
    %d = tile.buffer shared : memref<16x32xf16>
    tile.copy %x[%h, %i * 16 : 16] to %a
    tile.for %k = 0 to 2 {
      tile.copy %w[%h floordiv 2, %k * 32 : 32, %j * 32 : 32] to %b
      tile.copy %w[%h mod 2, %k * 32 : 32, %j * 32 : 32] to %c
    }
    tile.copy %x[%h, (%i + %j) mod 4 * 16 : 16, 0 : 32] to %d
  }
}
"""


def test_tiles_follow_from_indices() -> None:
    kernel = next(op for op in parse(GRID).ops if isinstance(op, KernelOp))
    first, second, third, fourth = streams_of(kernel.grids[0])
    assert (first.nbytes, first.tiles) == (2048.0, Tiles((4, 4, 2), 2, (1, 1, 0)))
    assert (second.nbytes, second.tiles) == (2 * 2048.0, Tiles((4, 4, 2), 2, (2, 0, 1)))
    assert not third.tiles.repeats  # heads 0 and 2 read the same elements, so each block has a number
    assert third.tiles.reuse(32).tiles == 4
    assert fourth.tiles.reuse(32).tiles == 16
    assert len([op for op in kernel.walk() if isinstance(op, CopyOp)]) == 4


def test_traffic_grows_where_the_cache_is_too_small() -> None:
    streams = [Stream(1024.0, Tiles((64, 64), 1, (1, 0))), Stream(1024.0, Tiles((64, 64), 1, (0, 1)))]
    once, again = (traffic_of(streams, 0.0, 64, cache) for cache in (1e9, 1e4))
    assert once.missed == 128 * 1024
    assert once.read == again.read == 2 * 4096 * 1024
    assert 128 * 1024 < again.missed < again.read
