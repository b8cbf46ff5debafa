"""The memory traffic of a matrix product: DRAM, L2, and the scaling of operands beforehand."""

from __future__ import annotations

import numpy as np

from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.gemm.blocks import Blocks
from interp.kinds.gpu.gemm.tiles import Library
from interp.kinds.gpu.kernel_class import Columns, Constants


def dram_traffic(blocks: Blocks, columns: Columns, chip: Chip, constants: Constants) -> tuple[Floats, Floats]:
    """Bytes that DRAM moves, and the total time of DRAM in ns."""
    batch, m, n, k, width = (columns[name] for name in ("batch", "m", "n", "k", "bytes"))
    weights = k * n * width_of_b(columns)
    read, written = batch * (m * k * width + weights), batch * m * n * width
    held = columns["copies"] * batch * weights + batch * (m * k + m * n) * width
    missed = 1 - columns["warm"] * (1 - _spilled(held, chip, constants))
    missed = np.maximum(missed, 1 - chip.l2_bytes / (read + written))
    to_dram, to_l2 = 1 / constants["store"], chip.bandwidth / (constants["store_l2"] * chip.sms * chip.clock_hz)
    stores = written * (missed * to_dram + (1 - missed) * np.minimum(to_l2, to_dram))
    took = read * missed / constants["dram"] + stores
    if not blocks.aligned.all():  # with 16-byte loads, L2 still holds the rest of the row
        took = took + np.where(blocks.aligned, 0, _again(blocks, columns, chip, constants)) / constants["reread"]
    moved = (read + written) * missed
    return moved, np.maximum(took, moved) / chip.bandwidth * 1e9


def l2_traffic(library: Library, columns: Columns, chip: Chip, constants: Constants) -> tuple[Floats, Floats]:
    """Bytes that blocks fetch from L2, and the time of L2 in ns, including the addition of split sums."""
    batch, m, n, k, width = (columns[name] for name in ("batch", "m", "n", "k", "bytes"))
    rows, cols = m * width * np.ceil(n / library.tile_n), n * width_of_b(columns) * np.ceil(m / library.tile_m)
    fetched = batch * k * (rows + cols)
    parts = np.where(library.split > 1, 8 * batch * m * n * library.split, 0)  # f32, written and read
    rate = constants["l2_bytes_per_clock"] * chip.sms * chip.clock_hz
    return fetched, (fetched + parts) / rate * 1e9


def scaling_time(columns: Columns, chip: Chip, constants: Constants) -> Floats:
    """Time in ns of scaling A from 16 to 8 bits: A is read for its maximum, read again, and written; 0 if A is already
    scaled."""
    elements = columns["batch"] * columns["m"] * columns["k"]
    moved = 5 * elements
    from_dram = moved / (constants["quantise_dram"] * chip.bandwidth)
    from_l2 = moved / (constants["quantise_l2"] * chip.sms * chip.clock_hz)
    took = from_l2 + from_dram * _spilled(3 * elements, chip, constants)
    each = columns["batch"] * columns["m"] * constants["quantise_row"]
    return columns["quantise"] * (constants["quantise"] + each + took * 1e9)


def _spilled(working_set: Floats, chip: Chip, constants: Constants) -> Floats:
    """The share of a working set that L2 does not keep from one call to the next."""
    over = (working_set / (constants["l2_kept"] * chip.l2_bytes)) ** constants["l2_edge"]
    return 1 - 1 / (1 + over)


def _again(blocks: Blocks, columns: Columns, chip: Chip, constants: Constants) -> Floats:
    """Bytes of operands that DRAM reads again because L2 evicts them before later blocks need them. Blocks are launched
    along n: if a row of blocks has more blocks than are resident at a time, each row reads all of B again, and reads
    its part of A once for each of its waves."""
    batch, m, n, k, width = (columns[name] for name in ("batch", "m", "n", "k", "bytes"))
    library = blocks.library
    abreast = np.ceil(n / library.tile_n) / (chip.sms * constants["resident"])
    passes_a = np.maximum(abreast, 1) - 1
    passes_b = np.maximum(np.ceil(m / library.tile_m) * np.minimum(abreast, 1), 1) - 1
    narrow = width_of_b(columns)
    lost = 1 - 1 / (1 + (k * n * narrow / chip.l2_bytes) ** 4)
    return batch * k * (n * narrow * passes_b + m * width * passes_a) * lost


def width_of_b(columns: Columns) -> Floats:
    """Bytes of an element of B in memory: those of quantized weights, or of the elements that are multiplied."""
    return np.where(columns["b_bytes"] > 0, columns["b_bytes"], columns["bytes"])
