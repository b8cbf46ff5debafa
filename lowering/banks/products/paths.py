"""Lower bounds on the cycles of products' bank programs, without a simulation: the length of a path through the
commands of one channel.

A device that issues commands in program order issues each of them no earlier than the gap between both after any
earlier one. So a sequence of some of a program's commands, in program order, takes at least the sum of their gaps: here
the multiplies of all sums, and between two sums the longest of several ways over drains, loads and activates. Refreshes
only delay commands. A controller that opens rows does so right before the command that needs them.
"""

from __future__ import annotations

from functools import lru_cache

from dialects.pim import MODE, PREACT, MacOp
from interp.kinds.pim.program import Slot
from interp.kinds.pim.timing.constraints import least
from interp.machine.records import Pim
from lowering.banks.products.estimate import Gaps
from lowering.banks.products.mapping import Mapping, Product, SumRange
from lowering.banks.products.traversal import interleaving, sets_sums, widest


def cycles_on_path(mapping: Mapping, pim: Pim) -> int:
    """A lower bound on the cycles of a mapping's program; 0 if none is known: for programs that write their second
    operand or accumulate sums over chunks, and for devices that may issue commands in another order."""
    product = mapping.product
    if mapping.order == "sum" or product.written or product.grows or not _is_in_order(pim):
        return 0
    return _path(pim, product.function != "", sets_sums(product, pim)).cycles(mapping)


def cycles_of_multiplies(product: Product, pim: Pim) -> int:
    """A lower bound on the cycles of every program of a product: those of the multiplies of a channel that computes an
    equal part; 0 for devices that may issue commands in another order."""
    if not _is_in_order(pim):
        return 0
    columns = -(-product.outputs // pim.banks_per_channel) * -(-product.inner // pim.lanes)
    most = -(-product.batch * product.vectors * columns // pim.channels)
    return (most - 1) * _cadence(pim)


@lru_cache(maxsize=256)
def _cadence(pim: Pim) -> int:
    """The least cycles from one multiply in all banks to the next one."""
    multiply = Slot(MacOp.COMMAND.verb, widest(pim, MacOp.COMMAND.verb))
    return max(pim.command_cycles, least(pim, multiply, multiply))


@lru_cache(maxsize=256)
def _is_in_order(pim: Pim) -> bool:
    """True if a device's channels issue all commands of a program in order, and multiply in all banks at once."""
    return pim.scheduler is None and pim.decoder is None and not pim.sync and interleaving(pim)[:2] == (1, 1)


@lru_cache(maxsize=256)
def _path(pim: Pim, activates: bool, sets: bool) -> _Path:
    return _Path(pim, activates, sets)


class _NextGaps(Gaps):
    """The least distances between commands that follow each other, with no command of the program or of the controller
    between them except switches of modes. The controller switches modes for a command once nothing but the mode keeps
    the command; a refresh may have switched modes before."""

    def _gap(self, before: Slot, after: Slot) -> int:
        pim = self.pim
        switches = MODE in pim.verbs and pim.verbs[before.verb].mode != pim.verbs[after.verb].mode
        closes = any(form.closes for slot in (before, after) for form in pim.verbs[slot.verb].forms.values())
        if pim.rows_by == "program" or pim.refresh is not None or closes or not switches:
            return super()._gap(before, after)
        ready = max(pim.command_cycles, least(pim, before, after), least(pim, before, Slot(MODE)))
        return ready + least(pim, Slot(MODE), after)


class _Path:
    """The least distances between the multiplies of a product's program. `activates`, `sets`: as for `Gaps`."""

    def __init__(self, pim: Pim, activates: bool, sets: bool) -> None:
        self.pim, self.gaps = pim, Gaps(pim, activates=activates, sets=sets)
        self.next = _NextGaps(pim, activates=activates, sets=sets)
        self.by_program = pim.rows_by == "program"
        modes = {pim.verbs[slot.verb].mode for slot in (self.gaps.mac, *self.gaps.pres, *self.gaps.acts)}
        self.opens = self.by_program or (pim.refresh is None and PREACT not in pim.verbs and len(modes) == 1)
        """True if it is known which commands open rows. A refresh may close rows in place of a controller, which then
        precharges none; and a controller opens rows in the mode of the command that needs them."""
        self.each = _cadence(pim)
        self._between: dict[tuple[int, bool, bool], int] = {}

    def cycles(self, mapping: Mapping) -> int:
        """A lower bound on the cycles of the channel with the most work. Of its sums, the first follows no other."""
        longest = total = opened = 0
        for sum_range in mapping.sum_ranges:
            for times, between in self._sums(mapping, sum_range):
                total += times * (between + (sum_range.columns - 1) * self.each)
                longest = max(longest, between if times else 0)
            opened += mapping.activations(sum_range)
        return max(total - longest, (opened - 1) * self.gaps.row if self.by_program else 0)

    def _sums(self, mapping: Mapping, sum_range: SumRange) -> list[tuple[int, int]]:
        """The sums of a range: the number of those before which the same happens, and the least distance from the last
        multiply of the sum before to the first multiply."""
        by_row = mapping.order == "row"
        full, rest = divmod(mapping.group_vectors, sum_range.vectors)
        parts = mapping.batch * sum_range.chunks
        blocks = [(full, sum_range.vectors), (1 if rest else 0, rest)]
        found: list[tuple[int, int]] = []
        for number, (times, vectors) in enumerate(blocks):
            if not times:
                continue
            columns = vectors * mapping.input_copies(self.pim) * self._loaded(mapping, sum_range)
            loads, sums = parts * times, parts * times * mapping.rows * vectors * sum_range.tiles
            opens, first = loads * mapping.rows, parts * mapping.rows if not number else 0
            if by_row:
                loads, opens = opens, first
            elif mapping.rows == 1 and not self.by_program:  # the controller leaves the row open
                opens = first
            both = min(loads, opens)
            found += [
                (both, self.between(columns, True, by_row)),
                (loads - both, self.between(columns, False, by_row)),
                (opens - both, self.between(0, True, by_row)),
                (sums - max(loads, opens), self.between(0, False, by_row)),
            ]
        return found

    def _loaded(self, mapping: Mapping, sum_range: SumRange) -> int:
        """The columns of one vector in a chunk of a range."""
        left = -(-mapping.span // self.pim.lanes) - sum_range.first
        return min(sum_range.columns, left)

    def between(self, columns: int, opens: bool, by_row: bool) -> int:
        """The least distance from the last multiply of a sum to the first one of the next sum, if in between `columns`
        of the buffer are loaded, and with `opens` a row is closed and another one opened: with `by_row` before the
        loads, otherwise after them."""
        key = columns, opens, by_row
        if key not in self._between:
            self._between[key] = self._longest(*key)
        return self._between[key]

    def _longest(self, columns: int, opens: bool, by_row: bool) -> int:
        gaps, between, following = self.gaps, self.gaps.between, self.next.between
        last, mac, begin, finish = gaps.end[-1], gaps.mac, gaps.begin, self.next.finish
        commands = -(-columns // self.pim.load_columns)
        load = [gaps.load] if columns else []
        filling = (commands - 1) * between(gaps.load, gaps.load) if columns else 0
        if not opens:
            return max(self.each, finish + following(last, *load, *begin, mac) + filling)
        ways = [self.each, finish + between(last, *load, *begin, mac) + filling]
        closed, opened = gaps.pres, gaps.acts
        if self.by_program:
            ways += [finish + between(last, *closed, *opened, mac), between(mac, *closed, *opened, mac)]
            if by_row:
                ways.append(finish + between(last, *closed, *opened, *load, *begin, mac) + filling)
            elif load:
                ways.append(finish + between(last, *closed, *load, *opened, mac) + filling)
        elif self.opens:
            ways += [between(mac, *closed, *opened, mac)]
            ways.append(finish + following(last, *load, *begin, *closed, *opened, mac) + filling)
        return max(ways)
