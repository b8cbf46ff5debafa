"""A quick estimate of a mapping's time, to select the mappings to simulate: the sum of the minimum gaps between
consecutive commands, without overlap and without refresh."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from dialects.pim import MODE, ActivatedOp, ActivateOp, ActOp, BiasOp, DrainOp, LoadOp, MacOp, PreOp, WriteOp
from interp.kinds.pim.program import Slot, sum_moves
from interp.kinds.pim.timing.constraints import least
from interp.machine.records import ELEMENT_BYTES, Pim
from lowering.banks.products.mapping import Mapping, SumRange
from lowering.banks.products.traversal import closes_rows, interleaving, sets_sums, widest

ACT, BIAS, DRAIN, LOAD, MAC, PRE, WRITE = (
    op.COMMAND.verb for op in (ActOp, BiasOp, DrainOp, LoadOp, MacOp, PreOp, WriteOp)
)
TABLE = ActivateOp.COMMAND.verb, ActivatedOp.COMMAND.verb


def estimated_ns(mapping: Mapping, pim: Pim, cycles: int | None = None) -> float:
    """Estimated time of the busiest channel in ns: the longer of the time for issuing its commands (`cycles`; None:
    estimated) and the time of its data bus transfers."""
    cycles = estimated_cycles(mapping, pim) if cycles is None else cycles
    return max(cycles * pim.cycle_ns, bus_bytes(mapping, pim) / pim.bus_bandwidth * 1e9)


def bus_bytes(mapping: Mapping, pim: Pim) -> int:
    """Number of bytes on the data bus of the busiest channel: loaded inputs, written operands, initial sums and drained
    sums."""
    width, batch, group_vectors = ELEMENT_BYTES[pim.element], mapping.batch, mapping.group_vectors
    result = 4 if mapping.partial else width
    loaded = sums = written = 0
    for sum_range in mapping.sum_ranges:
        again = {"buffer": 1, "row": mapping.rows, "sum": -(-mapping.rows // mapping.held)}[mapping.order]
        elements = min(sum_range.columns * pim.lanes, mapping.span - sum_range.first * pim.lanes)
        loaded += again * sum_range.chunks * group_vectors * mapping.input_copies(pim) * elements
        sums += sum_range.chunks * mapping.rows * group_vectors * sum_range.tiles
        columns = sum_range.tiles * mapping.copies(sum_range, pim) * sum_range.columns
        written += sum_range.chunks * mapping.rows * columns * pim.banks_per_channel * pim.lanes
    if mapping.order == "sum":
        sums = group_vectors * mapping.rows * mapping.tiles
        written *= group_vectors
    if not mapping.product.written:
        written = 0
    if sets_sums(mapping.product, pim):
        result += width
    return batch * ((loaded + written) * width + sums * pim.banks_per_channel * result)


def estimated_cycles(mapping: Mapping, pim: Pim) -> int:
    """Estimated cycles of the busiest channel's commands."""
    gaps = _gaps(pim, mapping.product.written, mapping.product.function != "", sets_sums(mapping.product, pim))
    if mapping.order == "sum":
        return gaps.cycles_by_sum(mapping)
    return sum(gaps.cycles_of(mapping, sum_range) for sum_range in mapping.sum_ranges)


@lru_cache(maxsize=256)
def _gaps(pim: Pim, writes: bool, activates: bool, sets: bool) -> Gaps:
    return Gaps(pim, writes, activates, sets)


class Gaps:
    """The minimum gaps in cycles between a product's commands, for a program that writes its second operand (`writes`),
    applies an activation function to its sums (`activates`), or sets its accumulators first (`sets`)."""

    def __init__(self, pim: Pim, writes: bool = False, activates: bool = False, sets: bool = False) -> None:
        self.pim = pim
        self._leads: dict[tuple[int, bool, bool, bool], int] = {}
        self.mac, self.load = Slot(MAC, widest(pim, MAC)), Slot(LOAD)
        self.begin = self._everywhere(BIAS) if sets else []
        ends = [slot for verb in (TABLE if activates else (DRAIN,)) for slot in self._everywhere(verb)]
        self.end = [slot for slot in ends for _ in range(1 if activates else sum_moves(slot.scope, pim))]
        self.acts = self._everywhere(ACT)
        self.pres: list[Slot] = []
        self.row = self.write = 0
        if writes:
            slots = self._everywhere(WRITE)
            self.write = len(slots) * self.between(slots[0], slots[-1])
        if PRE in pim.verbs and (closes_rows(pim) or pim.rows_by == "controller"):
            self.pres = self._everywhere(PRE)
            acts, pres = self.acts, self.pres
            self.row = max(self.between(act, pre) + self.between(pre, act) for pre in pres for act in acts)
        self.order = interleaving(pim)
        self.finish = self.between(self.mac, *self.end)
        self.begun, self.ended = (self.between(*slots, *slots[:1]) for slots in (self.begin, self.end))

    def _everywhere(self, verb: str) -> list[Slot]:
        scope = widest(self.pim, verb)
        return [Slot(verb, scope, unit) for unit in range(self.pim.units(scope))]

    def between(self, *slots: Slot) -> int:
        """Cycles from the first to the last command of a sequence of commands, including the changes of mode between
        them."""
        return sum(max(self.pim.command_cycles, self._gap(*pair)) for pair in pairwise(slots))

    def _gap(self, before: Slot, after: Slot) -> int:
        pim = self.pim
        direct = least(pim, before, after)
        if MODE not in pim.verbs or pim.verbs[before.verb].mode == pim.verbs[after.verb].mode:
            return direct
        return max(direct, least(pim, before, Slot(MODE)) + least(pim, Slot(MODE), after))

    def multiplies(self, columns: int) -> int:
        """Cycles from the first to the last multiply of `columns` columns in all banks."""
        return (columns * self.order.rounds * self.order.units - 1) * self.order.cycles

    def lead(self, columns: int = 0, opens: bool = False, loads_first: bool = True, inside: bool = False) -> int:
        """Cycles from the last command of a sum (with `inside`: of a chunk of a sum) to the first multiply of the next
        sum (or chunk). In between, `columns` of the buffer are loaded and, with `opens`, a row is opened."""
        key = columns, opens, loads_first, inside
        if key not in self._leads:
            self._leads[key] = self._lead(*key)
        return self._leads[key]

    def _lead(self, columns: int, opens: bool, loads_first: bool, inside: bool) -> int:
        last, begin = (self.mac, []) if inside else (self.end[-1], self.begin)
        commands = -(-columns // self.pim.load_columns)
        filling = (commands - 1) * self.between(self.load, self.load) if columns else 0
        load = [self.load] if columns else []
        if not opens:
            return self.between(last, *load, *begin, self.mac) + filling
        opening = [*self.pres, *self.acts]
        if self.pim.rows_by == "controller":  # the controller opens a row when a command needs it
            return self.between(last, *load, *begin, *opening, self.mac) + filling
        opened, first = self.between(last, *opening), self.acts[0] if loads_first else self.acts[-1]
        filled = self.between(last, *load, *begin, self.mac) + filling
        if load and loads_first:
            opened = max(opened, self.between(last, self.load, first, *self.acts[1:]) + filling)
        elif load:
            filled = opened + self.between(first, *load, *begin, self.mac) + filling
        return max(opened + self.between(self.acts[-1], self.mac), filled)

    def cycles_of(self, mapping: Mapping, sum_range: SumRange) -> int:
        """The cycles of one range of the sum in a mapping that drains every chunk."""
        opened = mapping.activations(sum_range)
        rows = mapping.batch * sum_range.chunks * mapping.rows
        blocks = -(-mapping.group_vectors // sum_range.vectors)
        sums, columns = rows * mapping.group_vectors * sum_range.tiles, sum_range.columns * sum_range.vectors
        by_row = mapping.order == "row"
        loads = (rows if by_row else mapping.batch * sum_range.chunks) * blocks
        both = opened if by_row else loads
        waits = both * self.lead(columns, True, not by_row) + (sums - max(opened, loads)) * self.lead()
        waits += (loads - both) * self.lead(columns) + (opened - both) * self.lead(opens=True)
        waits += loads * self._handing_out(mapping, columns)
        waits += opened * self._writing(mapping, sum_range) + sums * (self.multiplies(sum_range.columns) + self.finish)
        return max(waits, opened * self.row)

    def cycles_by_sum(self, mapping: Mapping) -> int:
        """The cycles of a mapping that accumulates each sum over all chunks before draining it."""
        total = 0
        full, rest = divmod(mapping.rows, mapping.held)
        for rows, times in ((mapping.held, full), (rest, 1 if rest else 0)):
            more = rows * mapping.tiles - 1
            block = self.finish + more * self.ended
            block += more * self.begun
            first = mapping.sum_ranges[0].columns
            block += self.lead(first, True) - self.lead(first, True, inside=True)
            for sum_range in mapping.sum_ranges:
                inside = self.multiplies(sum_range.columns * mapping.tiles) + self._writing(mapping, sum_range)
                loaded = max(self.lead(sum_range.columns, True, inside=True) + inside, self.row)
                loaded += self._handing_out(mapping, sum_range.columns)
                block += sum_range.chunks * (
                    loaded + (rows - 1) * max(self.lead(opens=True, inside=True) + inside, self.row)
                )
            total += times * block
        return mapping.batch * mapping.group_vectors * total

    def _handing_out(self, mapping: Mapping, columns: int) -> int:
        """Cycles that a decoder shared by all channels takes to issue a separate load to each channel, if channels load
        different columns: at least one cycle per channel, plus the stalls for loads that do not fit the channel's
        queue."""
        if self.pim.decoder is None or mapping.parts * mapping.groups * mapping.splits == 1:
            return 0
        over = -(-columns // self.pim.load_columns) - self.pim.decoder.queue
        return mapping.channels * max(1, over * self.between(self.load, self.load))

    def _writing(self, mapping: Mapping, sum_range: SumRange) -> int:
        """Cycles for writing the content of one row of the second operand."""
        return self.write * sum_range.tiles * mapping.copies(sum_range, self.pim) * sum_range.columns
