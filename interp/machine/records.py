"""Records of the data sheets that ship with us: processors, PIMs and links, as numbers with their sources.

Each kind of device answers what interp/machine/device.py asks; nothing above this room needs to know which kind it
is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import atan, pi
from typing import Literal, Self, TypeAlias

from xdsl.ir import Operation

from dialects.diagnostics import InputError
from dialects.pim import COMMANDS, REFRESH, Command
from interp.machine.device import Device, Sheet

Scope: TypeAlias = Literal["bank", "twin", "same", "group", "all"]
"""The part of a channel that one command addresses: one bank, the same bank of every pseudo-channel, the same bank of
every group, all banks of one bank group, all banks."""

Level: TypeAlias = Literal["channel", "pseudochannel", "rank", "group", "bank"]
"""The level at which two commands must meet for a timing constraint to hold between them."""

Arbitration: TypeAlias = Literal["separate", "partitioned", "exclusive", "shared"]
"""The ways in which the devices at a link's ends use memory: each has its own; the PIM's channels are taken from the
GPU's; they take turns; both draw on the GPU's bandwidth at the same time."""

Relation: TypeAlias = Literal["any", "same", "next", "first"]
"""The scope indices that a timing constraint ties: any two; the same one; one and its successor (group i, then group i
+ 1); or any one, then the first (group 0: a controller that guards only the first activate of a chain)."""

ELEMENT_BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i64": 8, "i32": 4, "i16": 2, "i8": 1, "i1": 1}
RATE_BYTES = {**ELEMENT_BYTES, "tf32": 4, "f8": 1}
"""Element types that a sheet may name, with their width in bytes; rates also those of arithmetic on rounded operands:
`tf32` (f32 rounded to 10 bits of fraction), `f8` (either of the 8-bit floating-point types)."""

ARCHITECTURES = {
    "maxwell": 2014,
    "pascal": 2016,
    "volta": 2017,
    "turing": 2018,
    "ampere": 2020,
    "ada": 2022,
    "hopper": 2022,
    "blackwell": 2024,
}
"""Families of GPUs, with the year that each came out in: constants transfer within one, else from a near one."""

VERBS: Mapping[str, Command] = COMMANDS
"""Words a sheet's verbs may be, with what holds of them; an op that a plug-in adds to the `pim` dialect adds its
own."""

NUMERIC_MODES: dict[str, str] = {
    "wide": "exact products, accumulated in f32 in column order",
    "narrow": "each product and each sum rounded to the element type, in the same order",
    "lanes": "as `narrow`, but a sum a lane, which the host adds",
}
"""Arithmetics a PIM's units may have (see interp/banks/values/arithmetic.py); open to plug-ins."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Gpu(Device):
    """A processor that runs any graph op as kernels: a GPU, or a CPU with `kind` cpu.

    `rates`: peak flop/s by element type (`f32`, `f16`, `i8`, …); contractions of types in `matrix_rates` run at those
    instead.
    """

    units: int
    """Streaming multiprocessors or cores."""
    rates: Mapping[str, float]
    matrix_rates: Mapping[str, float]
    memory: int
    """Capacity, bytes."""
    bandwidth: float
    """DRAM bytes/s."""
    flop_pj: float
    """Energy of one flop, pJ; of an f16 one, where `flop_pjs` names other types."""
    byte_pj: float
    """Energy of one byte from or to DRAM, pJ."""
    flop_pjs: Mapping[str, float] = field(default_factory=dict[str, float])
    """Energy of one flop of an element type, pJ, where it differs."""
    l2_byte_pj: float = 0.0
    """Energy of one byte from or to the last-level cache, pJ."""
    rest_w: float = 0.0
    """Power at all times, besides the energy of the work, W."""
    model: Literal["roofline", "kernels"] = "roofline"
    """The timing model of kernels: a plain roofline, or class by class (see interp/cost/gpu)."""
    architecture: str = ""
    """Its family, for constants of other GPUs of it: `ampere`."""
    l2_bytes: int = 0
    shared_bytes: int = 0
    """Shared memory a unit."""
    threads: int = 0
    """Resident threads a unit."""
    blocks: int = 32
    """Resident thread blocks a unit."""
    registers: int = 0
    """Registers of 32 bits a unit."""
    shared_width: float = 128.0
    """Bytes that a unit's shared memory moves a cycle."""
    shared_reserved: int = 1024
    """Bytes of shared memory that the runtime keeps for each thread block."""
    requests: float = 32.0
    """Threads whose loads and stores a unit takes in a cycle."""
    bulk_copies: bool = False
    """True if a unit of its own copies boxes of a memory to shared memory."""
    l2_latency: float = 0.0
    """Cycles until a load that the last-level cache serves is there."""
    l2_port: float = 0.0
    """Bytes a cycle that the last-level cache hands to all multiprocessors; 0 if no sheet says so."""
    dram_latency: float = 0.0
    """Cycles until a load that memory serves is there."""
    narrow_sums: float = 1.0
    """Rate of matrix units that sum in f16 over that of those that sum in f32."""
    tdp_w: float = 0.0
    """Power limit of the board, W."""
    contract: Literal["f32", "tf32"] = "f32"
    """The arithmetic of contractions of f32 tensors; it changes their time, not the values of a run."""
    dispatch_ns: Mapping[str, float] = field(default_factory=dict[str, float])
    """Time that the host takes to submit one kernel, by the way it does (`graph`, `stream`, `eager`)."""
    submits: str = "graph"
    """The way that holds."""
    skips: tuple[str, ...] = ()
    """Graph ops that take no time here, by their names without the dialect's (`slice`)."""
    searches: bool = True
    """True if the library of convolutions tries its algorithms and takes the fastest; otherwise it goes by its rule,
    which splits no sums."""
    base_hz: float = 0.0
    """Clock that the vendor warrants under load; 0 where none is known. `clock_hz` is the boost clock."""

    runs_all = True

    @property
    def memory_bytes(self) -> int:
        return self.memory

    @property
    def memory_bandwidth(self) -> float:
        return self.bandwidth

    @property
    def idle_w(self) -> float:
        return self.rest_w

    def with_channels(self, channels: int) -> Self:
        """A processor with so many of its channels: bandwidth, last-level cache and memory go with them."""
        return replace(
            self,
            channels=channels,
            bandwidth=self.bandwidth * (channels / self.channels),
            l2_bytes=self.l2_bytes * channels // self.channels,
            memory=self.memory * channels // self.channels,
        )

    def flop_pj_of(self, element: str) -> float:
        """Energy of one flop of an element type, pJ."""
        return self.flop_pjs.get(element, self.flop_pj)


@dataclass(frozen=True)
class VerbForm:
    """A verb at one scope: the standard's mnemonic, the cycles from its issue until it is complete, whether it closes
    the rows of the addressed banks (auto-precharge), and whether it takes no heed of rows, though the verb uses them (a
    published simulator's flaw)."""

    mnemonic: str
    latency: int = 0
    closes: bool = False
    rowless: bool = False


@dataclass(frozen=True)
class Verb:
    """A command of a PIM channel: our word for it, its forms by scope, the mode that the channel must be in, and the
    energy of one issue in nJ, by itself and for each addressed bank."""

    name: str
    forms: Mapping[Scope, VerbForm]
    mode: str = ""
    energy_nj: float = 0.0
    bank_nj: float = 0.0

    @property
    def scopes(self) -> tuple[Scope, ...]:
        return tuple(self.forms)

    @property
    def mnemonic(self) -> str:
        """The first form's."""
        return next(iter(self.forms.values())).mnemonic


@dataclass(frozen=True)
class Gap:
    """`after` issues no earlier than `cycles` after the `window`-th last `before`, where the two meet at `level` (and
    their scope indices are in `relation`, and their scopes are the stated ones)."""

    level: Level
    before: str
    after: str
    cycles: int
    relation: Relation = "any"
    before_scope: Scope | None = None
    after_scope: Scope | None = None
    window: int = 1


def gap_words(gap: Gap) -> str:
    """A gap as a sheet writes it, without its cycles; the key of its source."""
    before = " ".join(filter(None, (gap.before, gap.before_scope)))
    relation = gap.relation if gap.relation != "any" else None
    after = " ".join(filter(None, (relation, gap.after, gap.after_scope)))
    return f"gap {gap.level}: {before} -> {after}" + (f" window {gap.window}" if gap.window > 1 else "")


@dataclass(frozen=True)
class Decoder:
    """The decoder before all channels of a published simulator: it takes one instruction a cycle and hands its commands
    to the queues of the addressed channels, `queue` commands each. It stops while a queue is full, and after an
    instruction of a verb in `waits` until all addressed channels have completed it."""

    queue: int
    waits: tuple[str, ...]


@dataclass(frozen=True)
class Refresh:
    """Every `interval` cycles a refresh falls due. It issues as soon as the last command was one of `served_after`
    (where none is named: at once, before any other command) or the program is over; before it all open banks are
    precharged. Its own gaps (`refresh -> act`, …) stand among the device's gaps."""

    interval: int
    served_after: tuple[str, ...]
    reopens: bool = True
    """True if the controller opens the rows that it closed again, before the next command that reaches them (see
    interp/banks/rows.py). Otherwise that command goes on as if they were open: what a published simulator does."""


@dataclass(frozen=True, kw_only=True)
class Scheduler:
    """The order in which a channel's controller takes requests out of its queues, where it is more than one program in
    order: one queue for commands to the units, one for ordinary reads and one for writes, and a first one for accesses
    whose row was opened for them (see interp/banks/timing/requests/)."""

    queue: int
    """Requests that each queue takes."""
    picks: Literal["head", "ready"]
    """The candidates in the queue of unit commands: the head alone, or the oldest that may issue; a row is not closed
    while an older request waits for it, and nothing but opening and closing of rows passes a barrier."""
    shares: bool
    """True if a row command and a column command may issue in one cycle."""
    mixes: bool
    """True if unit commands and ordinary accesses may wait at the same time. Otherwise either are refused while others
    wait."""
    forwards: Literal["address", "any"]
    """The waiting writes that serve a read that arrives: those to its address, or any."""
    drain_above: int
    """Writes are served once more of them wait than this, or no read does, …"""
    drain_below: int
    """… until fewer than this wait and a read does."""
    rows: Literal["first", "any"]
    """The banks that decide on the row command that a request to several banks needs: the first bank that lacks its
    row, or any that has another one."""
    broadcast: Literal["addressed", "bare"]
    """True if commands to all banks bear a bank's address, and so count in its group, rank and pseudo-channel too."""
    refreshes: Level
    """Each unit of this level is refreshed by a command of its own."""
    ends: Literal["empty", "acknowledged"]
    """The condition that ends a program: no request waits and all reads are back, or when all its end marks are
    answered."""
    alone: tuple[tuple[str, Scope], ...] = ()
    """Forms that share no cycle with others."""
    spreads: tuple[tuple[str, Scope], ...] = ()
    """Forms whose gaps at bank level count in all banks that they reach, and not in the addressed one alone."""
    strays: tuple[tuple[str, Scope], ...] = ()
    """Forms whose gaps at bank level count at a mistaken address too, in each pseudo-channel: the addressed
    pseudo-channel's number taken for the rank's, the rank's for the group's."""
    reaches: Mapping[tuple[str, Scope], Scope] = field(default_factory=dict[tuple[str, Scope], Scope])
    """Forms that open or close other rows than their scope says."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Pim(Device):
    """Memory whose banks compute: each channel takes one command a cycle, in order; channels run side by side."""

    groups: int
    """Bank groups a channel, in all its pseudo-channels and ranks."""
    banks: int
    """Banks a group."""
    rows: int
    columns: int
    """Column accesses a row; one access moves `lanes` elements of `element` in each addressed bank."""
    lanes: int
    element: str
    """Element type the banks hold and multiply: f16, bf16, f32, i8."""
    numeric: str
    """Named arithmetic of the MAC units: `wide` multiplies exactly and accumulates in f32, in column order; see
    interp/banks/values/run.py."""
    buffer_columns: int
    """Capacity of a channel's global buffer, in column accesses."""
    load_columns: int = 1
    """Columns of the global buffer that one load command fills."""
    tied: bool = False
    """True if a multiply takes the buffer's column of the same number as the row's, so that weights that meet several
    buffer columns stand in the row several times."""
    accumulators: int
    """Accumulators a bank."""
    checked: bool = True
    """True if the clock refuses programs with hazards: commands that the device would get wrong (see
    interp/banks/checks/hazards.py)."""
    rows_by: Literal["program", "controller"] = "program"
    """Who opens and closes rows. A controller takes an activate as the name of a row, which it opens, after closing
    another one, when a command needs it."""
    decoder: Decoder | None = None
    """The decoder that hands instructions to the channels; None: each channel has its whole program from the start."""
    sync: tuple[str, ...] = ()
    """Verbs before which the controller synchronises the data clock, where that was not done just before."""
    drain_clears: bool = True
    """True if a drain leaves the accumulators zero; otherwise they are set anew by a `bias`."""
    pseudochannels: int = 1
    ranks: int = 1
    """Ranks a pseudo-channel."""
    scheduler: Scheduler | None = None
    """The rules by which its controllers order requests; None: each channel takes its program in order."""
    programs: Literal["own", "pimflow"] = "own"
    """Whose bank programs run on it: ours, or those of a published code generator."""
    program_buffers: int = 0
    """Global buffers a channel that the programs of a published generator use at most; 0 with our own."""
    variant_of: str = ""
    """The device of which this is a published simulator's timing variant, by its sheet's name."""
    written: Mapping[str, tuple[Scope, ...]] | None = None
    """Verbs with the scopes that our own programs are written with, where these are fewer than it takes: those of the
    device of which this is a timing variant. A simulator takes commands of units that the device does not have."""
    written_reopens: bool | None = None
    """True if the device of which this is a timing variant opens rows again after a refresh; None where this is none.
    Programs are written for the device: what its simulator forgets is a flaw of the simulator's."""
    bit_pj: float = 0.0
    """Energy of one bit over a channel's data bus, pJ."""
    reopen: bool
    """True if a row may be activated over an open one without a precharge (a published simulator allows it)."""
    command_cycles: int
    """Cycles the command bus is busy with one command."""
    end_cycles: int
    """Cycles from the last command that brings data to the host until it is there."""
    tail_cycles: int = 0
    """A program takes at least a cycle for each of its commands, and these besides (a published simulator's loop)."""
    verbs: Mapping[str, Verb]
    gaps: tuple[Gap, ...]
    unlimited: tuple[tuple[str, Scope], ...] = ()
    """Forms of activates that no limit on activates holds back, though one holds back others."""
    refresh: Refresh | None
    bus_bandwidth: float
    """Bytes/s of one channel's data bus, for all that passes between it and the host."""
    channel_idle_w: float = 0.0
    """Power of one channel at all times, besides the energy of its work and of refreshes, W."""
    device_idle_w: float = 0.0
    """The same of the whole device, whatever the number of its channels, W."""
    timing: Mapping[str, int] = field(default_factory=dict[str, int])
    """The sheet's named timing parameters in cycles, which the gaps were written with."""

    granule = ("row", "of each bank")

    @property
    def contracts_in(self) -> str:
        return self.element

    @property
    def granule_bytes(self) -> int:
        """The rows of one number in all banks of all channels."""
        return self.channels * self.banks_per_channel * self.row_bytes

    def scopes_written(self, verb: str) -> tuple[Scope, ...]:
        """The scopes in which programs are written for it have a verb; none where it lacks the verb."""
        if verb not in self.verbs:
            return ()
        return self.verbs[verb].scopes if self.written is None else self.written.get(verb, ())

    @cached_property
    def banks_alone(self) -> Pim:
        """The part of the device on which its bank programs, their times and energies depend: without launches, idle
        power and sources of numbers. One record for all devices that are equal in the rest."""
        alone = replace(
            self,
            launch_ns=0.0,
            channel_idle_w=0.0,
            device_idle_w=0.0,
            sources={},
            assumed=(),
            unranged=(),
            profile=None,
        )
        return _banks_alone.setdefault(repr(alone), alone)

    @property
    def forgets_rows(self) -> bool:
        """True if rows that a program opened may be closed behind its back, by a refresh that does not open them
        again."""
        if self.rows_by == "controller" or self.refresh is None:
            return False
        return not (self.refresh.reopens if self.written_reopens is None else self.written_reopens)

    @property
    def banks_per_channel(self) -> int:
        return self.groups * self.banks

    def units(self, scope: Scope) -> int:
        """The number of commands of a scope that reach all banks of a channel."""
        whole = self.banks_per_channel
        twins = whole // self.pseudochannels
        return {"all": 1, "group": self.groups, "same": self.banks, "twin": twins, "bank": whole}[scope]

    def banks_of(self, scope: Scope, unit: int) -> range:
        """The banks of a channel that a command of a scope addresses."""
        if scope in ("same", "twin"):
            return range(unit, self.banks_per_channel, self.units(scope))
        size = self.banks_per_channel // self.units(scope)
        return range(unit * size, unit * size + size)

    def banks_at(self, level: Level) -> int:
        """The number of banks of a channel that make one unit of a level."""
        whole = self.banks_per_channel
        return {
            "channel": whole,
            "pseudochannel": whole // self.pseudochannels,
            "rank": whole // (self.pseudochannels * self.ranks),
            "group": self.banks,
            "bank": 1,
        }[level]

    @property
    def refresh_w(self) -> float:
        """Power of one channel's refreshes, which come at all times, W."""
        if self.refresh is None or REFRESH not in self.verbs:
            return 0.0
        verb, units = self.verbs[REFRESH], 1
        if self.scheduler is not None:  # a command for each unit of a level
            units = self.banks_per_channel // self.banks_at(self.scheduler.refreshes)
        each_nj = units * verb.energy_nj + self.banks_per_channel * verb.bank_nj
        return each_nj / (self.refresh.interval * self.cycle_ns)  # 1 nJ a ns is 1 W

    @property
    def idle_w(self) -> float:
        """Power of all channels at all times, refreshes included, W. Commands of programs take theirs besides."""
        return self.device_idle_w + self.channels * (self.channel_idle_w + self.refresh_w)

    @property
    def memory_bytes(self) -> int:
        """Capacity of all banks."""
        return self.channels * self.banks_per_channel * self.rows * self.row_bytes

    @property
    def row_bytes(self) -> int:
        """Bytes of one row of one bank."""
        return self.columns * self.lanes * ELEMENT_BYTES[self.element]

    @property
    def cycle_ns(self) -> float:
        return 1e9 / self.clock_hz


_banks_alone: dict[str, Pim] = {}
"""By what they say."""


@dataclass(frozen=True)
class Ramp:
    """The rate of a transfer by its size: an arctangent that reaches half of the link's bandwidth at `half` bytes, and
    all of it at once where that is 0.

    The law is UVMSmart's (DebashisGanguly/gpgpu-sim_UVMSmart, src/gpgpu-sim/gpu-sim.cc), fitted to copies over PCI
    Express: bandwidth * 2 / pi * atan(bytes / half).
    """

    half: int = 0

    def share(self, nbytes: float) -> float:
        """The part of the bandwidth that a transfer of so many bytes (more than 0) reaches."""
        return 2 / pi * atan(nbytes / self.half) if self.half else 1.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Link(Sheet):
    """A way between two devices: `bandwidth` bytes/s in each direction, `latency_ns` a transfer, `byte_pj` pJ a
    byte."""

    bandwidth: float
    """0 where the sheet says it for each channel of the PIM at an end, and no such PIM is known yet; and of a link that
    no machine has."""
    channel_bandwidth: float = 0.0
    """Bytes/s for each channel of the PIM at an end, where the sheet says it so."""
    latency_ns: float
    byte_pj: float
    duplex: bool = True
    """True if both directions move at once."""
    arbitration: Arbitration = "separate"
    """The way in which the devices at its ends use memory."""
    half_bytes: int = 0
    """Bytes of a transfer that reaches half of the bandwidth; 0 where all of them reach all of it."""

    def moving_ns(self, nbytes: int) -> float:
        """Time in which so many bytes pass, after the latency."""
        return nbytes / self.bandwidth / (Ramp(self.half_bytes).share(nbytes) if nbytes else 1.0) * 1e9


def with_banks(device: Device, name: str, at: Operation) -> Pim:
    """A device of this name, where it has banks for a kernel. Raises InputError at `at` if it has none."""
    if not isinstance(device, Pim):
        raise InputError(f"@{name} ({device.name}) has no banks to run a pim.kernel; name a PIM", at)
    return device
