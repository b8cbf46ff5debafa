"""The bank program of attention over caches: scores of a cache, their softmax, and the context, cache after cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

from xdsl.dialects.builtin import FloatAttr, MemRefType, f64
from xdsl.ir import Block, Operation, Region, SSAValue

from dialects.element_types import element_type_named
from dialects.pim import (
    HOST,
    ActOp,
    BarrierOp,
    ChannelsOp,
    CollectOp,
    DrainOp,
    KernelOp,
    Linear,
    LoadOp,
    MacOp,
    PreOp,
    SoftmaxOp,
    SpreadOp,
    Subscript,
    WriteOp,
)
from dialects.programs.index import INDEX
from interp.kinds.pim.program import Slot
from interp.kinds.pim.timing.constraints import least
from interp.machine.records import Pim, Scope
from lowering.banks.attention.mapping import AttentionMapping
from lowering.banks.cursor import Cursor
from lowering.banks.products.traversal import ZERO, closes_rows


def attention_kernel(mapping: AttentionMapping, pim: Pim, device: str = "pim") -> KernelOp:
    """The bank program of a mapping: appends of new keys and values, then attention. Its memrefs are the queries, new
    keys and new values (if there are any), the keys and the values in the banks, and the results."""
    work, element = mapping.work, element_type_named(mapping.work.element)
    grows = work.kept < work.keys
    named = {"q": mapping.query_shape}
    if grows:
        named |= {"new_k": mapping.new_key_shape, "new_v": mapping.new_value_shape}
    named |= {"k": mapping.key_shape, "v": mapping.value_shape, "y": mapping.result_shape}
    block = Block(arg_types=[MemRefType(element, shape) for shape in named.values()])
    for argument, hint in zip(block.args, named, strict=True):
        argument.name_hint = hint
    memrefs = dict(zip(named, block.args, strict=True))
    if grows:
        _Appends(pim, block, mapping, memrefs).program()
    _Attention(pim, block, mapping, memrefs).program()
    grown = f"_appended_{work.keys - work.kept}" if grows else ""
    name = f"attention_{work.caches}x{work.queries}x{work.keys}x{work.depth}x{work.width}_{work.element}{grown}"
    base_rows = [HOST] * (len(named) - 3) + [0, mapping.key_shape[1]]
    return KernelOp(name, device, Region(block), base_rows)


@dataclass
class _Writer(Cursor):
    pim: Pim
    block: Block
    """The insertion point of the next op."""
    mapping: AttentionMapping
    memrefs: Mapping[str, SSAValue]

    def regions(self, body: Callable[[Linear, range], None]) -> None:
        """A region for each set of channels. `body` gets the channel's number, and the rounds in which it has a
        cache."""
        for channels, rounds in self.mapping.shares:
            outer, self.block = self.block, Block(arg_types=[INDEX])
            self.block.args[0].name_hint = "c"
            number = Linear.of(self.block.args[0])
            body(number, rounds)
            inside, self.block = self.block, outer
            self.add(ChannelsOp([channels], number, Region(inside)))

    def key_row(self, round_: Linear) -> Linear:
        """The first row of a cache's keys."""
        return round_ * self.mapping.key_rows

    def value_row(self, round_: Linear) -> Linear:
        """The first row of a cache's values."""
        return round_ * self.mapping.value_rows + self.mapping.key_shape[1]


@dataclass
class _Appends(_Writer):
    """Writes new keys and values at the end of the caches. A key is written into one bank. An element of a value is a
    lane of a column, which is written whole: the older values in it come from the host, too."""

    def program(self) -> None:
        self.regions(self._region)

    def _region(self, channel: Linear, rounds: range) -> None:
        with self.loop("h", len(rounds)) as number:
            round_ = number + rounds.start
            cache = round_ * self.mapping.channels + channel
            self._keys(round_, cache)
            self._values(round_, cache)
        self.add(BarrierOp())

    def _keys(self, round_: Linear, cache: Linear) -> None:
        mapping, work = self.mapping, self.mapping.work
        for entry, key in enumerate(range(work.kept, work.keys)):
            tile, bank = divmod(key, mapping.banks)
            row, tile = divmod(tile, mapping.tiles_in_row)
            self._open(self.key_row(round_) + row, bank)
            columns = Subscript(Linear(tile * mapping.key_columns), mapping.key_columns)
            parts = [Subscript(cache), Subscript(Linear(entry))]
            self.add(WriteOp(self.memrefs["new_k"], parts, columns, "bank", bank, append=True))
            self._close(bank)

    def _values(self, round_: Linear, cache: Linear) -> None:
        mapping = self.mapping
        for entry, column in enumerate(range(mapping.first_new_column, mapping.value_columns)):
            row, column = divmod(column, mapping.chunk)
            for scope, unit, _ in self.everywhere(ActOp):
                self.add(ActOp(self.value_row(round_) + row, scope, unit))
            # Consecutive writes go to different bank groups, between which they need less time.
            with (
                self.loop("t", mapping.value_tiles) as tile,
                self.loop("b", self.pim.banks) as bank,
                self.loop("g", self.pim.groups) as group,
            ):
                unit = group * self.pim.banks + bank
                parts = [Subscript(Linear(entry)), Subscript(cache), Subscript(tile), Subscript(unit)]
                at = Subscript(tile * mapping.chunk + column, 1)
                self.add(WriteOp(self.memrefs["new_v"], parts, at, "bank", unit, append=True))
            if closes_rows(self.pim):
                for scope, unit, _ in self.everywhere(PreOp):
                    self.add(PreOp(scope, unit))

    def _open(self, row: Linear, bank: int) -> None:
        if "bank" in self.pim.scopes_written(ActOp.COMMAND.verb):
            self.add(ActOp(row, "bank", bank))
            return
        for scope, unit, _ in self.everywhere(ActOp):
            self.add(ActOp(row, scope, unit))

    def _close(self, bank: int) -> None:
        if not closes_rows(self.pim):
            return
        if "bank" in self.pim.scopes_written(ActOp.COMMAND.verb) and "bank" in self.pim.scopes_written("pre"):
            self.add(PreOp("bank", bank))
            return
        for scope, unit, _ in self.everywhere(PreOp):
            self.add(PreOp(scope, unit))


@dataclass(frozen=True)
class _Unit:
    """Queries of one cache that are processed together: the cache's round, the queries, and the first entry of the
    softmax buffer for their scores."""

    round_: Linear
    queries: range
    first_entry: int


@dataclass(frozen=True)
class _Run:
    """Multiplies of consecutive columns by each unit of a set of banks: `count` columns from `column` on, with the
    buffer's columns from `entry` on, into an accumulator. `before`: commands that precede the multiplies of a column
    (its number in the run is passed); `after`: commands that follow the run."""

    column: Linear
    entry: Linear
    count: int
    accumulator: int
    before: Callable[[Linear], None] | None = None
    after: Callable[[], None] | None = None

    def later(self, columns: int) -> _Run:
        """The run without its first columns."""
        before = self.before

        def shifted(column: Linear) -> None:
            if before is not None:
                before(column + columns)

        return replace(
            self,
            column=self.column + columns,
            entry=self.entry + columns,
            count=self.count - columns,
            before=None if before is None else shifted,
        )


_Step: TypeAlias = tuple[Callable[[Linear], None], Linear]
"""A command that opens or closes a row, as a function of the unit, and the set of units that gets it."""


@dataclass
class _Attention(_Writer):
    """Writes the scores, the softmax and the context of all caches of a channel, so that the softmax of one cache
    overlaps with multiplies for the next cache.

    Where a command reaches only some banks, the banks are divided into sets: while one set multiplies, the set before
    it closes its row and opens its next one.
    """

    channel: Linear = field(default=ZERO, init=False)
    opened: bool = field(default=False, init=False)
    """True after the first row of the program was opened."""
    waiting: _Unit | None = field(default=None, init=False)
    """The unit whose softmax is next; a precharge that is due sooner precedes it."""

    def program(self) -> None:
        self.regions(self._region)

    def _region(self, channel: Linear, rounds: range) -> None:
        self.channel, self.opened = channel, False
        blocks, caches, first = self.mapping.blocks, len(rounds), Linear(rounds.start)
        if len(blocks) > 1:
            with self.loop("h", caches) as number:
                h, self.opened = number + first, False
                self._scores(self._unit(h, 0), self.first_key_row(h))
                for number in range(1, len(blocks)):
                    ends = number == len(blocks) - 1
                    self._both(h, number, h, number - 1, self.first_value_row(h) if ends else self.first_key_row(h))
                self._finish(h, len(blocks) - 1)
            return
        last = first + caches - 1
        self._scores(
            self._unit(first, 0), self.first_value_row(first) if caches == 1 else self.first_key_row(first + 1)
        )
        pairs = (caches - 1) // 2 - caches % 2
        if pairs > 0:
            with self.loop("h", pairs) as pair:
                self._pair(first + pair * 2, self.first_key_row(first + pair * 2 + 3))
        if caches % 2 == 0:
            self._both(last, 1, last - 1, 0, self.first_value_row(last))
        elif caches > 1:
            self._pair(last - 2, self.first_value_row(last))
        self._finish(last, caches - 1)

    def first_key_row(self, round_: Linear) -> Linear:
        """The first row that is open for the scores of a cache."""
        return self.key_row(round_) + self.mapping.first_key_row

    def first_value_row(self, round_: Linear) -> Linear:
        """The first row that is open for the context of a cache."""
        return self.value_row(round_) + self.mapping.first_value_row

    def _unit(self, round_: Linear, number: int) -> _Unit:
        """The queries of block `number` of a cache, or of its only block; odd numbers have their own entries."""
        blocks = self.mapping.blocks
        entries = self.mapping.block * self.mapping.entries
        return _Unit(round_, blocks[number % len(blocks)], number % 2 * entries)

    def _both(self, next_: Linear, next_number: int, round_: Linear, number: int, then: Linear) -> None:
        """The softmax of a unit during the scores of the next one, then the unit's context. `then`: the row after it"""
        self._scores(self._unit(next_, next_number), self.first_value_row(round_), self._unit(round_, number))
        self._context(self._unit(round_, number), then)

    def _pair(self, round_: Linear, then: Linear) -> None:
        """The contexts of two caches from `round_` on, and the scores of the caches after each of them."""
        self._both(round_ + 1, 1, round_, 0, self.first_key_row(round_ + 2))
        self._both(round_ + 2, 0, round_ + 1, 1, then)

    def _finish(self, round_: Linear, number: int) -> None:
        """The softmax and the context of the last unit."""
        unit = self._unit(round_, number)
        self.add(BarrierOp())
        if self.mapping.order.rounds == 1:
            self._close()
        self._softmax(unit)
        self._context(unit, None)
        if closes_rows(self.pim):
            for scope, number_, _ in self.everywhere(PreOp):
                self.add(PreOp(scope, number_))

    def _scores(self, unit: _Unit, then: Linear, before: _Unit | None = None) -> None:
        """The scores of a unit, collected in the softmax buffer. `then`: the row that is opened after them; `before`:
        the unit whose softmax is computed meanwhile."""
        mapping, base = self.mapping, self.key_row(unit.round_)
        if self.opened:
            self.add(BarrierOp())
        self.waiting = before
        first, last = mapping.first_key_row, (mapping.seen_tiles.stop - 1) // mapping.tiles_in_row
        if last > first:
            self._score_row(unit, Linear(first), base + first, base + first + 1, self._tiles(first))
        if last > first + 1:
            with self.loop("r", last - first - 1) as number:
                row = number + (first + 1)
                self._score_row(unit, row, base + row, base + row + 1, range(mapping.tiles_in_row))
        self._score_row(unit, Linear(last), base + last, then, self._tiles(last))

    def _tiles(self, row: int) -> range:
        """The keys of a bank in a row that belong to seen ones."""
        seen, in_row = self.mapping.seen_tiles, self.mapping.tiles_in_row
        return range(max(seen.start - row * in_row, 0), min(seen.stop - row * in_row, in_row))

    def _score_row(self, unit: _Unit, number: Linear, row: Linear, then: Linear, tiles: range) -> None:
        """The scores of the keys in a row. The unit's queries are loaded with its first row."""
        mapping, columns, count = self.mapping, self.mapping.key_columns, len(unit.queries)

        def runs(first: bool, last: bool) -> Iterator[_Run]:
            for tile in tiles:
                for at in range(count):
                    loads = first and tile == tiles[0] and number == Linear(mapping.first_key_row)
                    sums = tile * count + at
                    entry = (number * mapping.tiles_in_row + tile) * mapping.banks + self._entry(unit, at)
                    yield _Run(
                        Linear(tile * columns),
                        Linear(at * columns),
                        columns,
                        sums,
                        partial(self._load, unit, at) if loads else None,
                        partial(self._collect, sums, entry) if last else None,
                    )

        self._sets(runs, row, then)

    def _entry(self, unit: _Unit, at: int) -> int:
        """The first entry of the softmax buffer for the unit's query with number `at`."""
        return unit.first_entry + at * self.mapping.entries

    def _cache(self, unit: _Unit) -> Linear:
        return unit.round_ * self.mapping.channels + self.channel

    def _load(self, unit: _Unit, at: int, column: Linear) -> None:
        lanes = self.mapping.lanes
        parts = [Subscript(self._cache(unit)), Subscript(Linear(unit.queries[at])), Subscript(column * lanes, lanes)]
        self.add(LoadOp(self.memrefs["q"], parts, column + at * self.mapping.key_columns))

    def _collect(self, accumulator: int, entry: Linear) -> None:
        self.add(CollectOp(accumulator, entry))

    def _softmax(self, unit: _Unit) -> None:
        work = self.mapping.work
        for at, query in enumerate(unit.queries):
            seen = work.seen[query]
            op = SoftmaxOp(Subscript(Linear(self._entry(unit, at) + seen.start), len(seen)))
            op.scale = FloatAttr(work.scale, f64)
            self.add(op)

    def _softmax_that_waits(self) -> None:
        if self.waiting is not None:
            unit, self.waiting = self.waiting, None
            self._softmax(unit)

    def _context(self, unit: _Unit, then: Linear | None) -> None:
        """The sums of a unit's values, weighted by the softmax buffer. `then`: the row that is opened after them."""
        mapping, seen = self.mapping, [self.mapping.work.seen[query] for query in unit.queries]
        base, in_row = self.value_row(unit.round_), mapping.chunk * mapping.lanes
        self.add(BarrierOp())
        first, last = mapping.first_value_row, (max(keys.stop for keys in seen) - 1) // in_row
        # Rows whose values all queries see are alike, but for the last one, and for a first one before which no row is
        # open: the rows of a loop follow each other.
        start = min(max(-(-max(keys.start for keys in seen) // in_row), first + (not self.opened)), last)
        stop = max(min(min(keys.stop for keys in seen) // in_row, last), start)
        for number in range(first, start):
            self._context_row(
                unit, Linear(number), base + number, base + number + 1, _parts(seen, number, in_row), False
            )
        if stop > start:
            with self.loop("r", stop - start) as counted:
                row = counted + start
                self._context_row(unit, row, base + row, base + row + 1, [range(in_row)] * len(seen), False)
        for number in range(stop, last):
            self._context_row(
                unit, Linear(number), base + number, base + number + 1, _parts(seen, number, in_row), False
            )
        self._context_row(unit, Linear(last), base + last, then, _parts(seen, last, in_row), True)

    def _context_row(
        self, unit: _Unit, number: Linear, row: Linear, then: Linear | None, seen: Sequence[range], drains: bool
    ) -> None:
        """Adds the products of the values in a row. `seen`: the values in the row that each query sees."""
        mapping, chunk, lanes, count = self.mapping, self.mapping.chunk, self.mapping.lanes, len(unit.queries)

        def runs(first: bool, last: bool) -> Iterator[_Run]:
            for tile in range(mapping.value_tiles):
                for at in range(count):
                    start, (full, rest) = seen[at].start // lanes, divmod(seen[at].stop, lanes)
                    spreads = first and tile == 0
                    parts = [(start, full - start, lanes), (full, int(rest > 0), rest)]
                    for column, columns, entries in parts if spreads else [(start, full + (rest > 0) - start, lanes)]:
                        entry = Linear(at * chunk + column)
                        weights = number * (chunk * lanes) + column * lanes + self._entry(unit, at)
                        before = partial(self._spread, weights, entry, entries) if spreads else None
                        if columns > 0:
                            where = Linear(tile * chunk + column)
                            yield _Run(where, entry, columns, tile * count + at, before)
                    if drains and last:
                        yield _Run(ZERO, ZERO, 0, 0, None, partial(self._drain, unit, at, tile, tile * count + at))

        self._sets(runs, row, then)

    def _spread(self, start: Linear, entry: Linear, entries: int, column: Linear) -> None:
        self.add(SpreadOp(Subscript(start + column * self.mapping.lanes, entries), entry + column))

    def _drain(self, unit: _Unit, at: int, tile: int, accumulator: int) -> None:
        parts = [Subscript(self._cache(unit)), Subscript(Linear(unit.queries[at])), Subscript(Linear(tile))]
        self.add(DrainOp(self.memrefs["y"], parts, accumulator))

    def _sets(self, runs: Callable[[bool, bool], Iterator[_Run]], row: Linear, then: Linear | None) -> None:
        """The multiplies of a row by all sets of banks. `runs` gets whether the set is the first, and the last."""
        sets = self.mapping.order.rounds
        if sets == 1:
            self._close()
            self._softmax_that_waits()
            self._row_command(lambda scope, unit: ActOp(row, scope, unit), "act", ZERO)
            self.opened = True
            for run in runs(True, True):
                self._run(run, ZERO)
            return
        self._softmax_that_waits()
        begins, last = not self.opened, Linear(sets - 1)
        if begins:
            self._row_command(lambda scope, unit: ActOp(row, scope, unit), "act", ZERO)
            self.opened = True
        self._item(list(runs(True, False)), ZERO, None if begins else last, Linear(1), row)
        if sets > 2:
            with self.loop("s", sets - 2) as number:
                self._item(list(runs(False, False)), number + 1, number, number + 2, row)
        self._item(list(runs(False, True)), last, last - 1, ZERO, then)

    def _item(self, runs: list[_Run], set_: Linear, before: Linear | None, after: Linear, opens: Linear | None) -> None:
        """The multiplies of one set. Meanwhile the set `before` closes its row, early, and the set `after` opens the
        row `opens`, late: a refresh closes all open rows, and opening few of them again takes less time."""
        early, late = self._leads()
        count = sum(run.count for run in runs)
        steps: list[tuple[int, _Step]] = []
        if before is not None and closes_rows(self.pim):
            steps.append((min(early, count), (lambda unit: self.add(PreOp(self.mapping.scope, unit)), before)))
        if opens is not None:
            row = opens
            at = max(count - late, min(early + 1, count))
            steps.append((at, (lambda unit: self.add(ActOp(row, self.mapping.scope, unit)), after)))
        done = 0
        for run in runs:
            while inside := [at for at, _ in steps if done < at < done + run.count]:
                head = inside[0] - done
                self._run(replace(run, count=head, after=None), set_, self._due(steps, inside[0]))
                run, done = run.later(head), inside[0]
            done += run.count
            self._run(run, set_, self._due(steps, done) if run.count else [])
        for _, step in steps:
            self._step(step)

    def _due(self, steps: list[tuple[int, _Step]], column: int) -> list[_Step]:
        """Takes the steps out of `steps` that come with the last column before number `column` of an item."""
        due = [step for at, step in steps if at == column]
        steps[:] = [(at, step) for at, step in steps if at != column]
        return due

    def _leads(self) -> tuple[int, int]:
        """The number of columns of a set during which the set before it finishes its last multiplies, and a set opens a
        row."""
        scope, order = self.mapping.scope, self.mapping.order
        act, mac, pre = (Slot(verb, scope) for verb in ("act", "mac", "pre"))
        opening = least(self.pim, act, mac)
        closing = least(self.pim, mac, pre) if "pre" in self.pim.verbs else 0
        column = order.units * order.cycles
        return 1 + -(-closing // column), 1 + -(-opening // column)

    def _step(self, step: _Step) -> None:
        command, set_ = step
        with self.loop("u", self.mapping.order.units) as unit:
            command(set_ + unit * self.mapping.order.stride)

    def _run(self, run: _Run, set_: Linear, beside: Sequence[_Step] = ()) -> None:
        """The multiplies of a run. `beside`: steps of other sets; the commands of the first are issued between those of
        the last column."""
        units, stride = self.mapping.order.units, self.mapping.order.stride

        def multiply(column: Linear, count: int, step: _Step | None) -> None:
            with self.loop("u", units) as unit:
                columns = Subscript(run.column + column, count)
                number = set_ + unit * stride
                self.add(MacOp(columns, run.entry + column, run.accumulator, self.mapping.scope, number))
                if step is not None:
                    step[0](step[1] + unit * stride)

        alone = run.count - bool(beside) if units > 1 or run.before is not None else 0
        if alone:
            with self.loop("j", alone) as column:
                if run.before is not None:
                    run.before(column)
                multiply(column, 1, None)
        if run.count > alone:
            if run.before is not None:
                run.before(Linear(alone))
            multiply(Linear(alone), run.count - alone, beside[0] if beside else None)
        for step in beside[1:]:
            self._step(step)
        if run.after is not None:
            run.after()

    def _close(self) -> None:
        """Closes the open row of all banks, if there is one."""
        if self.opened and closes_rows(self.pim):
            self._row_command(lambda scope, unit: PreOp(scope, unit), "pre", ZERO)
            self.opened = False

    def _row_command(self, op: Callable[[Scope, Linear], Operation], verb: str, set_: Linear) -> None:
        """A command that opens or closes a row of the banks of a set."""
        order = self.mapping.order
        if order.rounds == 1 and order.units == 1:
            for scope, unit, _ in self.everywhere(ActOp if verb == "act" else PreOp):
                self.add(op(scope, unit))
            return
        with self.loop("u", order.units) as unit:
            self.add(op(self.mapping.scope, set_ + unit * order.stride))


def _parts(seen: Sequence[range], row: int, in_row: int) -> list[range]:
    """For each range of values the part of it in a row of `in_row` values, from the row's first value on; an empty
    range at 0 if there is none."""
    parts = [range(max(keys.start - row * in_row, 0), min(keys.stop - row * in_row, in_row)) for keys in seen]
    return [part or range(0) for part in parts]
