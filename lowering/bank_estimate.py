"""A quick guess at how long a mapping takes, to choose which ones to ask the clock about: gaps between neighbouring
commands, summed up without overlap and without refresh."""

from __future__ import annotations

from itertools import pairwise

from dialects.pim import ActivatedOp, ActivateOp, ActOp, BiasOp, DrainOp, LoadOp, MacOp, PreOp, WriteOp
from interp.bank_gaps import least
from interp.bank_program import Slot
from interp.sheet import ELEMENT_BYTES, Pim
from lowering.bank_kernel import closes_rows, copies_of_input, sets_sums, widest
from lowering.bank_mapping import Mapping, Piece, Product

ACT, BIAS, DRAIN, LOAD, MAC, PRE, WRITE = (
    op.COMMAND.verb for op in (ActOp, BiasOp, DrainOp, LoadOp, MacOp, PreOp, WriteOp)
)
TABLE = ActivateOp.COMMAND.verb, ActivatedOp.COMMAND.verb
MODE = "mode"
"""The verb by which a controller changes modes."""


def estimated_ns(mapping: Mapping, pim: Pim) -> float:
    """Time of the busiest channel, by commands or by its data bus, more or less."""
    return max(estimated_cycles(mapping, pim) * pim.cycle_ns, bus_bytes(mapping, pim) / pim.bus_bandwidth * 1e9)


def bus_bytes(mapping: Mapping, pim: Pim) -> int:
    """Bytes that the busiest channel loads, writes, sets and drains."""
    width, batch, share = ELEMENT_BYTES[pim.element], mapping.batch, mapping.share
    result = 4 if mapping.partial else width
    loaded = sums = written = 0
    for piece in mapping.pieces:
        again = 1 if mapping.order == "buffer" else mapping.rows
        elements = min(piece.columns * pim.lanes, mapping.span - piece.first * pim.lanes)
        loaded += again * piece.chunks * share * copies_of_input(mapping, pim) * elements
        sums += piece.chunks * mapping.rows * share * piece.tiles
        columns = piece.tiles * mapping.copies(piece, pim) * piece.columns
        written += piece.chunks * mapping.rows * columns * pim.banks_per_channel * pim.lanes
    if mapping.order == "sum":
        sums = share * mapping.rows
        written *= share
    if not mapping.product.written:
        written = 0
    if sets_sums(mapping.product, pim):
        result += width
    return batch * ((loaded + written) * width + sums * pim.banks_per_channel * result)


def estimated_cycles(mapping: Mapping, pim: Pim) -> int:
    """Cycles of the busiest channel, more or less."""
    gaps = _Gaps(pim, mapping.product)
    total = sum(gaps.cycles_of(mapping, piece, pim) for piece in mapping.pieces)
    if mapping.order == "sum":
        total += mapping.batch * mapping.share * mapping.rows * gaps.finish
    return total


class _Gaps:
    """The waits that a product's commands have for each other."""

    def __init__(self, pim: Pim, product: Product) -> None:
        self.pim = pim
        acts = self._everywhere(ACT)
        load, mac = Slot(LOAD), Slot(MAC)
        begin = [Slot(BIAS)] if sets_sums(product, pim) else []
        end = [Slot(verb) for verb in (TABLE if product.function else (DRAIN,))]
        last = end[-1]
        self.open = self.between(last, acts[0]) + self.between(*acts, mac)
        self.mac = self.between(mac, mac)
        self.finish = self.between(mac, *end)
        self.again = self.between(last, *begin, mac)
        self.load = self.between(last, load)
        self.fill = self.between(load, *begin, mac)
        self.row = self.write = 0
        if product.written:
            writes = self._everywhere(WRITE)
            self.write = len(writes) * self.between(writes[0], writes[-1])
        if PRE in pim.verbs and (closes_rows(pim) or pim.rows_by == "controller"):
            pres = self._everywhere(PRE)
            self.open += self.between(last, *pres) + max(self.between(pre, act) for pre in pres for act in acts)
            self.row = max(self.between(act, pre) + self.between(pre, act) for pre in pres for act in acts)

    def _everywhere(self, verb: str) -> list[Slot]:
        scope = widest(self.pim, verb)
        return [Slot(verb, scope, unit) for unit in range(self.pim.units(scope))]

    def between(self, *slots: Slot) -> int:
        """Cycles from the first to the last of some commands in a row, with the changes of mode that they need."""
        return sum(max(self.pim.command_cycles, self._gap(*pair)) for pair in pairwise(slots))

    def _gap(self, before: Slot, after: Slot) -> int:
        pim = self.pim
        direct = least(pim, before, after)
        if MODE not in pim.verbs or pim.verbs[before.verb].mode == pim.verbs[after.verb].mode:
            return direct
        return max(direct, least(pim, before, Slot(MODE)) + least(pim, Slot(MODE), after))

    def cycles_of(self, mapping: Mapping, piece: Piece, pim: Pim) -> int:
        """The cycles of one piece of the sum."""
        opened = mapping.activations(piece)
        sums = mapping.batch * piece.chunks * mapping.rows * mapping.share * piece.tiles
        loads = mapping.batch * piece.chunks * -(-mapping.share // piece.vectors)
        commands = -(-piece.columns * piece.vectors // pim.load_columns)
        opening = self.open + self.write * piece.tiles * mapping.copies(piece, pim) * piece.columns
        if mapping.order == "sum":
            loads *= mapping.rows
            inside = self.fill + (piece.columns - 1) * self.mac
            return max(opened * (opening + commands * self.load), loads * inside, opened * self.row)
        multiplies = sums * ((piece.columns - 1) * self.mac + self.finish)
        if mapping.order == "row":
            loads *= mapping.rows
            filled = loads * (self.load + commands + self.fill) + (sums - loads) * self.again + multiplies
            return max(opened * opening + filled, opened * self.row)
        waits = opened * opening + (sums - opened) * self.again + multiplies
        return max(waits, opened * self.row) + loads * (self.load + commands + max(self.fill - self.open, 0))
