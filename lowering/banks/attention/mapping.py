"""The mapping of attention to channels, banks, rows and buffers, for devices with a softmax buffer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from dialects.pim import ActOp, CollectOp, MacOp, SoftmaxOp, SpreadOp
from interp.kinds.pim.program import Slot
from interp.kinds.pim.timing.constraints import least
from interp.machine.records import Pim, Scope
from lowering.banks.products.traversal import Interleaving, interleaving, widest


@dataclass(frozen=True)
class AttentionWork:
    """Attention of `queries` queries with each of `caches` caches of `keys` keys and values: softmax(q · kᵀ * scale) ·
    v. Keys have `depth` elements, values `width`. Heads that share a cache, and positions of a sequence, are queries of
    one cache.

    `seen`: for each query the keys that it sees; the first one is at the start of a column of values. `kept`: the
    number of keys and values that are in the banks before the program starts; the program writes all later ones."""

    caches: int
    queries: int
    keys: int
    depth: int
    width: int
    element: str
    scale: float
    seen: tuple[range, ...]
    kept: int


@dataclass(frozen=True)
class AttentionMapping:
    """The positions of keys and values in the banks, and the order of the work.

    Cache `round * channels + channel` is in that channel. Key `(row * tiles + tile) * banks + bank` of a cache is in
    that row and bank, in the columns `tile * key_columns` to `(tile + 1) * key_columns`. Values are transposed, so that
    each multiplication adds the products of the lanes: element `tile * banks + bank` of all values is in that bank; the
    values `(row * chunk + column) * lanes + lane` are in that row, column `tile * chunk + column` and lane.

    An open row is multiplied with all queries of a block before the next one is opened. A block has as many queries as
    the global buffer and the accumulators have space for.
    """

    work: AttentionWork
    channels: int
    banks: int
    lanes: int
    key_columns: int
    """Columns of one key."""
    key_tiles: int
    """Keys in each bank, rounded up."""
    tiles_in_row: int
    """Keys in each row of a bank."""
    value_tiles: int
    """Elements of a value in each bank, rounded up."""
    value_columns: int
    """Columns of one element of all values."""
    chunk: int
    """Columns of one element of the values in one row."""
    block: int
    """The number of queries for which a row is opened once."""
    scope: Scope
    order: Interleaving

    @property
    def rounds(self) -> int:
        """The number of caches in the channels with the most caches."""
        return -(-self.work.caches // self.channels)

    @property
    def key_rows(self) -> int:
        """Rows of the keys of one cache."""
        return -(-self.key_tiles // self.tiles_in_row)

    @property
    def value_rows(self) -> int:
        """Rows of the values of one cache."""
        return -(-self.value_columns // self.chunk)

    @property
    def blocks(self) -> list[range]:
        """The queries of each block."""
        every = range(self.work.queries)
        return [every[first : first + self.block] for first in range(0, len(every), self.block)]

    @property
    def entries(self) -> int:
        """Entries of the softmax buffer for one query: the scores of all keys, in order, and of missing keys."""
        return self.key_tiles * self.banks

    @cached_property
    def seen(self) -> range:
        """The keys that some query sees, and those between them."""
        return range(min(keys.start for keys in self.work.seen), max(keys.stop for keys in self.work.seen))

    @property
    def seen_tiles(self) -> range:
        """Those of each bank's keys that belong to seen ones."""
        return range(self.seen.start // self.banks, -(-self.seen.stop // self.banks))

    @property
    def first_key_row(self) -> int:
        """The first row of a cache's keys that holds a seen key."""
        return self.seen_tiles.start // self.tiles_in_row

    @property
    def first_value_row(self) -> int:
        """The first row of a cache's values that holds a seen value."""
        return self.seen.start // (self.chunk * self.lanes)

    @cached_property
    def shares(self) -> list[tuple[range, range]]:
        """Sets of channels, each with the rounds in which its channels have a cache: those that all channels have, then
        the last one of only some channels."""
        full, over = divmod(self.work.caches, self.channels)
        sets = ((range(self.channels), range(full)), (range(over), range(full, full + 1)))
        return [(channels, rounds) for channels, rounds in sets if channels]

    @property
    def first_new_column(self) -> int:
        """The first column of the values that holds a new value. Columns are written whole."""
        return self.work.kept // self.lanes

    @property
    def query_shape(self) -> tuple[int, ...]:
        """[caches, queries, elements]: the queries, padded to whole columns."""
        return self.work.caches, self.work.queries, self.key_columns * self.lanes

    @property
    def new_key_shape(self) -> tuple[int, ...]:
        """[caches, new keys, elements]."""
        return self.work.caches, self.work.keys - self.work.kept, self.key_columns * self.lanes

    @property
    def new_value_shape(self) -> tuple[int, ...]:
        """[columns, caches, tiles, banks, lanes]: the columns of values from the first that holds a new value on."""
        columns = self.value_columns - self.first_new_column
        return columns, self.work.caches, self.value_tiles, self.banks, self.lanes

    @property
    def key_shape(self) -> tuple[int, ...]:
        """[channels, rows, banks, columns, lanes] of the keys in the banks."""
        columns = self.tiles_in_row * self.key_columns
        return self.channels, self.rounds * self.key_rows, self.banks, columns, self.lanes

    @property
    def value_shape(self) -> tuple[int, ...]:
        """[channels, rows, banks, columns, lanes] of the values in the banks."""
        columns = self.value_tiles * self.chunk
        return self.channels, self.rounds * self.value_rows, self.banks, columns, self.lanes

    @property
    def result_shape(self) -> tuple[int, ...]:
        """[caches, queries, tiles, banks]."""
        return self.work.caches, self.work.queries, self.value_tiles, self.banks


def attention_mapping(work: AttentionWork, pim: Pim) -> AttentionMapping | str:
    """The mapping of attention on a device, or the reason why there is none."""
    verbs = [op.COMMAND.verb for op in (CollectOp, SoftmaxOp, SpreadOp)]
    if missing := [verb for verb in verbs if not pim.scopes_written(verb)]:
        return f"{pim.name} has no softmax buffer: it lacks the verbs {', '.join(missing)}"
    if any("all" not in pim.scopes_written(op.COMMAND.verb) for op in (CollectOp, SpreadOp)):
        return f"{pim.name} can't move the scores of all banks of a channel by one command"
    banks, lanes = pim.banks_per_channel, pim.lanes
    key_columns, value_columns = -(-work.depth // lanes), -(-work.keys // lanes)
    value_tiles, key_tiles = -(-work.width // banks), -(-work.keys // banks)
    if key_columns > min(pim.columns, pim.buffer_columns):
        most = min(pim.columns, pim.buffer_columns) * lanes
        return f"a key of {work.depth} elements exceeds a row or the global buffer of {pim.name}, of {most} elements"
    if value_tiles > min(pim.columns, pim.accumulators):
        most = min(pim.columns, pim.accumulators) * banks
        return f"values of {work.width} elements need more accumulators than {pim.name} has: the limit is {most}"
    chunk = min(pim.columns // value_tiles, value_columns, pim.buffer_columns)
    block = min(pim.buffer_columns // max(key_columns, chunk), pim.accumulators // value_tiles, work.queries)
    sums = pim.accumulators // block  # the sums of a query that banks hold until the last bank has finished its row
    tiles_in_row = min(pim.columns // key_columns, key_tiles, sums)
    order = _order(pim, block * min(tiles_in_row * key_columns, value_tiles * chunk))
    mapping = AttentionMapping(
        work,
        min(pim.channels, work.caches),
        banks,
        lanes,
        key_columns,
        key_tiles,
        tiles_in_row,
        value_tiles,
        value_columns,
        chunk,
        block,
        widest(pim, MacOp.COMMAND.verb),
        order,
    )
    if (rows := mapping.key_shape[1] + mapping.value_shape[1]) > pim.rows:
        return f"the caches take {rows} rows of each bank; {pim.name} has {pim.rows}"
    return mapping


def _order(pim: Pim, columns: int) -> Interleaving:
    """The order of multiplies where a bank multiplies at least `columns` columns of each row: as few units as possible
    alternate, if their multiplies take as long as it takes to open the rows of the next ones."""
    # A controller that reorders commands gets those of the original device, in the same order.
    in_order = replace(pim, scheduler=None)
    order = interleaving(in_order, few=True)
    scope = widest(pim, MacOp.COMMAND.verb)
    opening = least(pim, Slot(ActOp.COMMAND.verb, scope), Slot(MacOp.COMMAND.verb, scope))
    return order if columns * order.units * order.cycles > opening else interleaving(in_order)
