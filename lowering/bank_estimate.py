"""A quick guess at how long a mapping takes, to choose which ones to ask the clock about: gaps between neighbouring
commands, summed up without overlap and without refresh."""

from __future__ import annotations

from itertools import pairwise

from interp.bank_gaps import least
from interp.bank_program import Slot
from interp.sheet import ELEMENT_BYTES, Pim
from lowering.bank_kernel import copies_of_input, widest
from lowering.bank_mapping import Mapping, Piece


def estimated_ns(mapping: Mapping, pim: Pim) -> float:
    """Time of the busiest channel, by commands or by its data bus, more or less."""
    return max(estimated_cycles(mapping, pim) * pim.cycle_ns, bus_bytes(mapping, pim) / pim.bus_bandwidth * 1e9)


def bus_bytes(mapping: Mapping, pim: Pim) -> int:
    """Bytes that the busiest channel loads and drains."""
    width, batch, share = ELEMENT_BYTES[pim.element], mapping.product.batch, mapping.share
    result = 4 if mapping.partial else width
    loaded = sums = 0
    for piece in mapping.pieces:
        again = 1 if mapping.order == "buffer" else mapping.rows
        elements = min(piece.columns * pim.lanes, mapping.span - piece.first * pim.lanes)
        loaded += again * piece.chunks * share * copies_of_input(mapping, pim) * elements
        sums += piece.chunks * mapping.rows * share * piece.tiles
    if mapping.order == "sum":
        sums = share * mapping.rows
    return batch * (loaded * width + sums * pim.banks_per_channel * result)


def estimated_cycles(mapping: Mapping, pim: Pim) -> int:
    """Cycles of the busiest channel, more or less."""
    gaps = _Gaps(pim)
    total = sum(gaps.cycles_of(mapping, piece, pim) for piece in mapping.pieces)
    if mapping.order == "sum":
        total += mapping.product.batch * mapping.share * mapping.rows * gaps.drain
    return total


class _Gaps:
    """The waits that a product's commands have for each other."""

    def __init__(self, pim: Pim) -> None:
        def gap(*slots: Slot) -> int:
            return sum(max(pim.command_cycles, least(pim, before, after)) for before, after in pairwise(slots))

        scope = widest(pim, "act")
        acts = [Slot("act", scope, unit) for unit in range(pim.units(scope))]
        load, mac, drain = Slot("load"), Slot("mac"), Slot("drain")
        self.open = gap(drain, acts[0]) + gap(*acts, mac)
        self.mac = gap(mac, mac)
        self.drain = gap(mac, drain)
        self.again = gap(drain, mac)
        self.load = gap(drain, load)
        self.fill = gap(load, mac)
        self.row = 0
        if not pim.reopen:
            closing = widest(pim, "pre")
            pres = [Slot("pre", closing, unit) for unit in range(pim.units(closing))]
            self.open += gap(drain, *pres) + max(gap(pre, act) for pre in pres for act in acts)
            self.row = max(gap(act, pre) + gap(pre, act) for pre in pres for act in acts)

    def cycles_of(self, mapping: Mapping, piece: Piece, pim: Pim) -> int:
        """The cycles of one piece of the sum."""
        opened = mapping.activations(piece)
        sums = mapping.product.batch * piece.chunks * mapping.rows * mapping.share * piece.tiles
        loads = mapping.product.batch * piece.chunks * -(-mapping.share // piece.vectors)
        commands = -(-piece.columns * piece.vectors // pim.load_columns)
        if mapping.order == "sum":
            loads *= mapping.rows
            inside = self.fill + (piece.columns - 1) * self.mac
            return max(opened * (self.open + commands * self.load), loads * inside, opened * self.row)
        multiplies = sums * ((piece.columns - 1) * self.mac + self.drain)
        if mapping.order == "row":
            loads *= mapping.rows
            filled = loads * (self.load + commands + self.fill) + (sums - loads) * self.again + multiplies
            return max(opened * self.open + filled, opened * self.row)
        waits = opened * self.open + (sums - opened) * self.again + multiplies
        return max(waits, opened * self.row) + loads * (self.load + commands + max(self.fill - self.open, 0))
