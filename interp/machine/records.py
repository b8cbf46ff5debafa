"""Records of the data sheets that ship with ndpir: processors, PIMs and links, as numbers with their sources.

Each kind of device implements the interface in interp/machine/device.py; layers above use it without testing for kinds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import atan, pi
from typing import Literal, Self, TypeAlias

from xdsl.ir import Operation

from dialects.diagnostics import InputError
from dialects.pim import COMMANDS, REFRESH, Command
from interp.machine.device import Device, Sheet

Scope: TypeAlias = Literal["bank", "twin", "same", "group", "all"]
"""The scope of a command, i.e. the banks of a channel that it addresses: one bank, the same bank of every
pseudo-channel, the same bank of every group, all banks of one bank group, all banks."""

Level: TypeAlias = Literal["channel", "pseudochannel", "rank", "group", "bank"]
"""The level of a timing constraint: it applies to two commands if both address the same unit of this level."""

Arbitration: TypeAlias = Literal["separate", "partitioned", "exclusive", "shared"]
"""The memory arbitration between the devices at a link's ends: the devices have separate memories; the PIM's channels
are taken from the GPU's; the devices access the memory alternately; or both share the GPU's bandwidth concurrently."""

Relation: TypeAlias = Literal["any", "same", "next", "first"]
"""The relation between the scope indices i of `before` and j of `after` in a timing constraint: any two; the same (j =
i); the next (j = i + 1); or the first (j = 0, for a controller that checks only the first activate of a chain)."""

ELEMENT_BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i64": 8, "i32": 4, "i16": 2, "i8": 1, "i1": 1}
RATE_BYTES = {**ELEMENT_BYTES, "tf32": 4, "f8": 1}
"""Bytes per element of the types that a sheet may name for rates: the element types, and the arithmetics on rounded
operands `tf32` (f32 rounded to 10 bits of fraction) and `f8` (either of the 8-bit floating-point types)."""
_SMALL_INTEGERS = ("i8", "ui8", "i4", "ui4", "i2", "ui2")
"""The integer types whose products run at the rate of i8."""

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
"""GPU architectures, each with the year of its release. A GPU without calibrated constants uses those of its
architecture, or else of the architecture whose year is nearest."""

VERBS: Mapping[str, Command] = COMMANDS
"""The verbs that a sheet may use, with their properties; an op that a plug-in adds to the `pim` dialect adds a verb."""

NUMERIC_MODES: dict[str, str] = {
    "wide": "exact products, accumulated in f32 in column order",
    "narrow": "each product and each sum rounded to the element type, in the same order",
    "lanes": "as `narrow`, but a sum a lane, which the host adds",
}
"""Names of the ways in which a PIM's units may round and accumulate (see interp/kinds/pim/values/arithmetic.py);
plug-ins may add names."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Gpu(Device):
    """A processor that runs any graph op as kernels: a GPU, or a CPU with `kind` cpu.

    `rates`: peak flop/s by element type (`f32`, `f16`, `i8`, …); contractions of types in `matrix_rates` run at the
    rate given there instead.
    """

    units: int
    """Number of streaming multiprocessors, or of a CPU's cores."""
    rates: Mapping[str, float]
    matrix_rates: Mapping[str, float]
    memory: int
    """Capacity of the memory in bytes."""
    bandwidth: float
    """Bandwidth of DRAM, bytes/s."""
    flop_pj: float
    """Energy of one flop, pJ; of an f16 flop if `flop_pjs` names other types."""
    byte_pj: float
    """Energy of one byte from or to DRAM, pJ."""
    flop_pjs: Mapping[str, float] = field(default_factory=dict[str, float])
    """Energy of one flop, pJ, for the element types for which the sheet states it separately."""
    l2_byte_pj: float = 0.0
    """Energy of one byte from or to the last-level cache, pJ."""
    rest_w: float = 0.0
    """Static power at all times, excluding the energy of the work, W."""
    model: Literal["roofline", "kernels"] = "roofline"
    """The timing model of kernels: a roofline, or kernel classes (see interp/kinds/gpu)."""
    architecture: str = ""
    """The GPU's architecture, `ampere` for example: GPUs of one architecture may share calibrated constants."""
    capability: float = 0.0
    """NVIDIA's compute capability, 9.0 for example: libraries have kernels for each; 0 if the sheet states none."""
    library: str = ""
    """The library whose kernels run on the GPU; empty: the one that is the default for this GPU."""
    l2_bytes: int = 0
    shared_bytes: int = 0
    """Shared memory per unit, bytes."""
    threads: int = 0
    """Maximum number of resident threads per unit."""
    blocks: int = 32
    """Maximum number of resident thread blocks per unit."""
    registers: int = 0
    """Number of 32-bit registers per unit."""
    shared_width: float = 128.0
    """Bytes per cycle that a unit's shared memory delivers."""
    shared_reserved: int = 1024
    """Bytes of shared memory that the runtime reserves for each thread block."""
    requests: float = 32.0
    """Number of threads whose loads and stores a unit accepts per cycle."""
    bulk_copies: bool = False
    """True if each unit has a copy engine that copies boxes of a tensor to shared memory."""
    l2_latency: float = 0.0
    """Latency, in cycles, of a load served by the last-level cache."""
    l2_port: float = 0.0
    """Bytes per cycle that the last-level cache delivers to all multiprocessors together; 0 if the sheet does not state
    it."""
    dram_latency: float = 0.0
    """Latency, in cycles, of a load served by memory."""
    narrow_sums: float = 1.0
    """The rate of matrix units that accumulate in f16, divided by their rate when they accumulate in f32."""
    tdp_w: float = 0.0
    """Power limit of the board, W."""
    contract: Literal["f32", "tf32"] = "f32"
    """The arithmetic of contractions of f32 tensors; it changes their time, not the values of a run."""
    dispatch_ns: Mapping[str, float] = field(default_factory=dict[str, float])
    """The host's time to submit one kernel, ns, by way of submission (`graph`, `stream`, `eager`)."""
    submits: str = "graph"
    """The way in which the host submits kernels, one of the keys of `dispatch_ns`."""
    skips: tuple[str, ...] = ()
    """Graph ops that take no time on this device, by name without the dialect (`slice`)."""
    searches: bool = True
    """True if the convolution library times its algorithms and uses the fastest; otherwise it chooses an algorithm by a
    heuristic, which never splits sums."""
    base_hz: float = 0.0
    """The clock that the vendor guarantees under load; 0 if unknown. `clock_hz` is the boost clock."""

    runs_all = True

    @property
    def calibrations(self) -> list[str]:
        """The names of files with calibrated constants of the GPU, of those that it is a variant of, of its library, of
        all libraries on average, and of families, nearest first."""
        libraries = dict.fromkeys((self.library or "generic", "generic"))
        return [f"{name}.calibration" for name in (self.name, *self.bases, *libraries, *ARCHITECTURES)]

    @property
    def companions(self) -> Sequence[str]:
        return self.calibrations if self.model == "kernels" else ()

    @property
    def runs_library(self) -> bool:
        return self.model == "kernels"

    @property
    def memory_bytes(self) -> int:
        return self.memory

    @property
    def memory_bandwidth(self) -> float:
        return self.bandwidth

    @property
    def idle_w(self) -> float:
        return self.rest_w

    def peak_rates(self, elements: Sequence[str]) -> Mapping[str, float]:
        found = {f"{element}, matrix units": self.matrix_rates.get(element, 0.0) for element in elements}
        found |= {element: self.rates.get(element, 0.0) for element in elements}
        return {name: rate for name, rate in found.items() if rate}

    def with_channels(self, channels: int) -> Self:
        """A processor with `channels` of its memory channels: bandwidth, last-level cache and memory scale with
        them."""
        return replace(
            self,
            channels=channels,
            bandwidth=self.bandwidth * (channels / self.channels),
            l2_bytes=self.l2_bytes * channels // self.channels,
            memory=self.memory * channels // self.channels,
        )

    def multiplies_in(self, element: str) -> str:
        """The element type in which contractions of factors of a small type (`i8`, `f8`) run: the type itself, unless
        f16 or f32, which hold all its numbers, have a higher rate. Kernels then convert the factors as they load
        them."""
        if element not in ("i8", "f8"):
            return element
        return max((element, "f16", "f32"), key=lambda each: self.matrix_rates.get(each, self.rates.get(each, 0.0)))

    def contracts_as(self, element: str) -> str:
        small = "f8" if element.startswith(("f8", "f4")) else "i8" if element in _SMALL_INTEGERS else ""
        if small and (wide := self.multiplies_in(small)) != small:
            return f"{element} as {wide}"
        if element != "f32" or "tf32" not in self.matrix_rates:
            return element
        return "TF32" if self.contract == "tf32" else "f32 without TF32"

    def flop_pj_of(self, element: str) -> float:
        """Energy of one flop of an element type, pJ."""
        return self.flop_pjs.get(element, self.flop_pj)


@dataclass(frozen=True)
class VerbForm:
    """A command verb at one scope (the banks of a channel that the command addresses). `mnemonic`: its name in the
    standard; `latency`: cycles from its issue to its completion; `closes`: True if it closes the rows of the
    addressed banks (auto-precharge); `rowless`: True if it may issue whatever rows are open, although it accesses a
    row (a flaw of a published simulator)."""

    mnemonic: str
    latency: int = 0
    closes: bool = False
    rowless: bool = False


@dataclass(frozen=True)
class Verb:
    """A command of a PIM channel. `name`: its verb, such as `act`; `forms`: its mnemonic and latency for each scope;
    `mode`: the mode in which the channel must be; `energy_nj`, `bank_nj`: the energy in nJ of one issue, and of each
    bank that it addresses."""

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
        """The mnemonic of the verb's first form, for messages."""
        return next(iter(self.forms.values())).mnemonic


@dataclass(frozen=True)
class TimingConstraint:
    """The timing constraint that a command `after` issues no earlier than `cycles` cycles after the `nth`-last command
    `before` that addresses the same unit of `level`. It applies only to commands whose scope indices have the stated
    `relation` and whose scopes are `before_scope` and `after_scope`, if stated."""

    level: Level
    before: str
    after: str
    cycles: int
    relation: Relation = "any"
    before_scope: Scope | None = None
    after_scope: Scope | None = None
    nth: int = 1


def constraint_text(constraint: TimingConstraint) -> str:
    """A timing constraint as a sheet writes it, without its cycles; also the key of the constraint's source in
    `Sheet.sources`."""
    before = " ".join(filter(None, (constraint.before, constraint.before_scope)))
    relation = constraint.relation if constraint.relation != "any" else None
    after = " ".join(filter(None, (relation, constraint.after, constraint.after_scope)))
    return f"gap {constraint.level}: {before} -> {after}" + (f" window {constraint.nth}" if constraint.nth > 1 else "")


@dataclass(frozen=True)
class Decoder:
    """The decoder in front of all channels of a published simulator: it decodes one instruction per cycle and puts its
    commands into the queues of the addressed channels, which hold `queue` commands each. It stalls while a queue is
    full, and after an instruction of a verb in `waits` until all addressed channels have completed it."""

    queue: int
    waits: tuple[str, ...]


@dataclass(frozen=True)
class Refresh:
    """The refreshes of a channel. A refresh falls due every `interval` cycles, and is issued as soon as the channel's
    last command is one of `served_after` or the program has ended (if `served_after` is empty: at once, before any
    other command). Before the refresh, all open banks are precharged. Timing constraints of refreshes (`refresh ->
    act`, …) are among those of the device."""

    interval: int
    served_after: tuple[str, ...]
    reopens: bool = True
    """True if the controller reopens the rows that it closed, before the next command that needs them (see
    interp/kinds/pim/timing/rows.py). Otherwise that command proceeds as if they were open, as in a published
    simulator."""


@dataclass(frozen=True, kw_only=True)
class Scheduler:
    """The order in which a channel's controller serves queued requests, if the channel does not run a single program in
    order. Each channel has a queue for commands to the units, a queue for ordinary reads, a queue for writes, and a
    priority queue for accesses for which a row was opened (see interp/kinds/pim/timing/requests/)."""

    queue: int
    """Capacity of each queue, in requests."""
    picks: Literal["head", "ready"]
    """The rule for the commands to the units that may issue next. `head`: the first command of their queue. `ready`:
    the oldest command that no timing constraint delays; a row is not closed while an older request waits for it, and
    only row commands may issue before an older barrier."""
    shares: bool
    """True if a row command and a column command may issue in one cycle."""
    mixes: bool
    """True if commands to the units and ordinary accesses may be queued at the same time; otherwise the controller
    accepts commands to the units only while no ordinary access is queued, and vice versa."""
    forwards: Literal["address", "any"]
    """The queued writes that supply the data of an arriving read: `address`, the writes to the read's address; `any`,
    every write."""
    drain_above: int
    """The number of queued writes above which the controller serves writes; it also serves them when no read is
    queued."""
    drain_below: int
    """The number of queued writes below which the controller serves reads again, if a read is queued."""
    rows: Literal["first", "any"]
    """The banks that determine which row command a request to several banks needs: `first`, the first bank in which the
    request's row is not open; `any`, any bank in which another row is open."""
    broadcast: Literal["addressed", "bare"]
    """`addressed` if a command to all banks carries the address of one bank, and so also counts in the constraints of
    that bank's group, rank and pseudo-channel."""
    refreshes: Level
    """The level whose units (for instance banks or ranks) each have refresh commands of their own."""
    ends: Literal["empty", "acknowledged"]
    """The condition for the end of a program: `empty`, no request is queued and all reads have returned their data;
    `acknowledged`, the controller has acknowledged all of the program's end marks."""
    alone: tuple[tuple[str, Scope], ...] = ()
    """Forms (verb and scope) whose commands do not issue in the same cycle as another command."""
    spreads: tuple[tuple[str, Scope], ...] = ()
    """Forms (verb and scope) whose bank-level constraints apply to all banks that a command addresses, instead of only
    to the first of them."""
    strays: tuple[tuple[str, Scope], ...] = ()
    """Forms (verb and scope) whose bank-level constraints, in each pseudo-channel, also apply to a wrong bank: in its
    address the number of the pseudo-channel is used as the rank, and the number of the rank as the bank group."""
    reaches: Mapping[tuple[str, Scope], Scope] = field(default_factory=dict[tuple[str, Scope], Scope])
    """For forms (verb and scope) that open or close rows in other banks than those of their own scope, the scope of
    these banks."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Pim(Device):
    """Memory whose banks compute: each channel accepts one command per cycle, in order; channels run in parallel."""

    groups: int
    """Number of bank groups per channel, in all its pseudo-channels and ranks together."""
    banks: int
    """Number of banks per bank group."""
    rows: int
    columns: int
    """Column accesses per row; one access moves `lanes` elements of `element` in each addressed bank."""
    lanes: int
    element: str
    """Element type of the numbers that the banks store and multiply: f16, bf16, f32, i8."""
    numeric: str
    """The arithmetic of the MAC units, by name: `wide` multiplies exactly and accumulates in f32, in column order; see
    interp/kinds/pim/values/run.py."""
    buffer_columns: int
    """Capacity of a channel's global buffer, in column accesses."""
    load_columns: int = 1
    """Columns of the global buffer that one load command writes."""
    tied: bool = False
    """True if a multiply uses the column of the global buffer that has the same number as the row's column. A weight
    that is multiplied by several buffer columns must then be stored in as many columns of the row."""
    accumulators: int
    """Number of accumulators per bank."""
    moved_sums: int = 0
    """Sums that one command moves from accumulators to the host or the softmax buffer; 0: a sum of each bank that the
    command addresses."""
    checked: bool = True
    """True if the clock refuses programs with hazards: commands that the device would execute wrongly (see
    interp/kinds/pim/checks/hazards.py)."""
    rows_by: Literal["program", "controller"] = "program"
    """The component that opens and closes rows: the program or the controller. For a controller, an activate of the
    program only selects a row; the controller opens the row when a command needs it, after closing the row that was
    open."""
    decoder: Decoder | None = None
    """The decoder that distributes instructions to the channels; None: each channel has its whole program from the
    start."""
    sync: tuple[str, ...] = ()
    """Verbs before whose commands the controller synchronises the data clock, unless the previous command of the
    channel has synchronised it."""
    drain_clears: bool = True
    """True if a drain clears the accumulators; otherwise programs set them by the command `bias` before the next
    sum."""
    pseudochannels: int = 1
    ranks: int = 1
    """Number of ranks per pseudo-channel."""
    scheduler: Scheduler | None = None
    """The controllers' rules for the order of requests; None: each channel executes its program in order."""
    programs: Literal["own", "pimflow"] = "own"
    """The generator of the device's bank programs: ndpir's own, or a published one."""
    program_buffers: int = 0
    """The maximum number of global buffers per channel in programs of a published generator; 0 with ndpir's own."""
    variant_of: str = ""
    """The device, by its sheet's name, of which this is a published simulator's timing variant."""
    written: Mapping[str, tuple[Scope, ...]] | None = None
    """The scopes of each verb that ndpir's programs use, if these are fewer than the device accepts. A timing variant
    has those of the original device here, because a simulator may accept commands of units that the device does not
    have."""
    written_reopens: bool | None = None
    """For a timing variant, True if the original device reopens rows after a refresh; None for any other device.
    Programs are written for the original device, so that a simulator that does not reopen rows is considered flawed."""
    bit_pj: float = 0.0
    """Energy of one bit over a channel's data bus, pJ."""
    reopen: bool
    """True if a row may be activated while another row of the bank is open, without a precharge (a published simulator
    allows this)."""
    command_cycles: int
    """Cycles for which one command occupies the command bus."""
    end_cycles: int
    """Cycles from the last command that reads data until its data have reached the host."""
    tail_cycles: int = 0
    """A program takes at least one cycle per command plus this number of cycles, which the main loop of a published
    simulator adds; 0 for no such minimum."""
    verbs: Mapping[str, Verb]
    constraints: tuple[TimingConstraint, ...]
    unlimited: tuple[tuple[str, Scope], ...] = ()
    """Forms (verb and scope) of activates to which no tRRD or tFAW applies, although the sheet states these limits for
    other forms."""
    refresh: Refresh | None
    bus_bandwidth: float
    """Bytes/s of one channel's data bus, for all transfers between it and the host."""
    channel_idle_w: float = 0.0
    """Static power of one channel at all times, excluding the energy of its work and of refreshes, W."""
    device_idle_w: float = 0.0
    """Static power of the whole device, independent of the number of its channels, W."""
    timing: Mapping[str, int] = field(default_factory=dict[str, int])
    """The sheet's named timing parameters in cycles, from which its constraints are computed."""

    granule = ("row", "of each bank")

    @property
    def contracts_in(self) -> str:
        return self.element

    @property
    def granule_bytes(self) -> int:
        """The bytes of a row in all banks of all channels together, the unit in which weights are allocated."""
        return self.channels * self.banks_per_channel * self.row_bytes

    def scopes_written(self, verb: str) -> tuple[Scope, ...]:
        """The scopes in which ndpir's programs for this device use a verb; empty if they don't use the verb."""
        if verb not in self.verbs:
            return ()
        return self.verbs[verb].scopes if self.written is None else self.written.get(verb, ())

    @cached_property
    def banks_alone(self) -> Pim:
        """A record of those fields that determine the times and energies of bank programs: without launches, idle power
        and sources of numbers. Devices that agree in these fields share one record, and with it the cached times."""
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

    @cached_property
    def one_channel(self) -> Pim:
        """A record of those fields that determine the cycles of one channel's commands: those of a device with a single
        channel. Devices that differ in the number of their channels share one record, and with it the times of equal
        loops."""
        one = replace(self.banks_alone, channels=1, bus_bandwidth=0.0, bit_pj=0.0)
        return _banks_alone.setdefault(repr(one), one)

    @property
    def forgets_rows(self) -> bool:
        """True if a refresh may close rows that a program opened, and does not reopen them."""
        if self.rows_by == "controller" or self.refresh is None:
            return False
        return not (self.refresh.reopens if self.written_reopens is None else self.written_reopens)

    @property
    def banks_per_channel(self) -> int:
        return self.groups * self.banks

    def units(self, scope: Scope) -> int:
        """The number of commands of a scope that together address each bank of a channel once."""
        return self._units[scope]

    @cached_property
    def _units(self) -> dict[Scope, int]:
        bank_count = self.banks_per_channel
        twins = bank_count // self.pseudochannels
        return {"all": 1, "group": self.groups, "same": self.banks, "twin": twins, "bank": bank_count}

    def banks_of(self, scope: Scope, unit: int) -> range:
        """The numbers, within a channel, of the banks that a command addresses whose scope is `scope` and whose index
        is `unit`."""
        if scope in ("same", "twin"):
            return range(unit, self.banks_per_channel, self.units(scope))
        size = self.banks_per_channel // self.units(scope)
        return range(unit * size, unit * size + size)

    def banks_at(self, level: Level) -> int:
        """The number of banks of a channel in one unit of a level (in one bank, group, rank, … or in the whole
        channel)."""
        bank_count = self.banks_per_channel
        return {
            "channel": bank_count,
            "pseudochannel": bank_count // self.pseudochannels,
            "rank": bank_count // (self.pseudochannels * self.ranks),
            "group": self.banks,
            "bank": 1,
        }[level]

    @property
    def refresh_w(self) -> float:
        """Power of one channel's refreshes, averaged over time, W."""
        if self.refresh is None or REFRESH not in self.verbs:
            return 0.0
        return self.refresh_nj / (self.refresh.interval * self.cycle_ns)  # 1 nJ per ns is 1 W

    @property
    def refresh_nj(self) -> float:
        """Energy of one refresh of a channel, nJ; 0 on a device without refreshes."""
        if self.refresh is None or REFRESH not in self.verbs:
            return 0.0
        verb, units = self.verbs[REFRESH], 1
        if self.scheduler is not None:  # one command for each unit of a level
            units = self.banks_per_channel // self.banks_at(self.scheduler.refreshes)
        return units * verb.energy_nj + self.banks_per_channel * verb.bank_nj

    @property
    def idle_w(self) -> float:
        """Power of all channels at all times, including refreshes, W. The energy of programs' commands is added to
        it."""
        return self.device_idle_w + self.channels * (self.channel_idle_w + self.refresh_w)

    @property
    def memory_bytes(self) -> int:
        """Capacity of all banks in bytes."""
        return self.channels * self.banks_per_channel * self.rows * self.row_bytes

    @property
    def row_bytes(self) -> int:
        """Bytes of one row of one bank."""
        return self.columns * self.lanes * ELEMENT_BYTES[self.element]

    @property
    def cycle_ns(self) -> float:
        return 1e9 / self.clock_hz


_banks_alone: dict[str, Pim] = {}
"""Records that `Pim.banks_alone` has returned, by their contents, so that devices with equal contents share one
record."""


@dataclass(frozen=True)
class Ramp:
    """The efficiency of a transfer by its size: an arctangent that reaches half of the link's bandwidth at `half`
    bytes, or always 1 if `half` is 0.

    The law is UVMSmart's (DebashisGanguly/gpgpu-sim_UVMSmart, src/gpgpu-sim/gpu-sim.cc), fitted to copies over PCI
    Express: bandwidth * 2 / pi * atan(bytes / half).
    """

    half: int = 0

    def share(self, nbytes: float) -> float:
        """The fraction of the bandwidth that a transfer of `nbytes` (more than 0) reaches."""
        return 2 / pi * atan(nbytes / self.half) if self.half else 1.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Link(Sheet):
    """A link between two devices: `bandwidth` bytes/s in each direction, `latency_ns` per transfer, `byte_pj` pJ per
    byte."""

    bandwidth: float
    """Bytes/s in each direction. 0 for a link that a machine lacks, and for a link whose sheet states the rate per
    channel, as long as the PIM at one of its ends is not known."""
    channel_bandwidth: float = 0.0
    """Bytes/s per channel of the PIM at one end of the link, if the sheet states the bandwidth per channel."""
    latency_ns: float
    byte_pj: float
    duplex: bool = True
    """True if both directions move data concurrently."""
    arbitration: Arbitration = "separate"
    """The memory arbitration between the devices at the link's ends."""
    half_bytes: int = 0
    """The size of a transfer, in bytes, that reaches half of the bandwidth; 0 if all transfers reach all of it."""

    def moving_ns(self, nbytes: int) -> float:
        """Transfer time of `nbytes`, in ns, without the latency."""
        return nbytes / self.bandwidth / (Ramp(self.half_bytes).share(nbytes) if nbytes else 1.0) * 1e9


def with_banks(device: Device, name: str, at: Operation) -> Pim:
    """The PIM of this name. Raises InputError at `at` if the device has no banks for kernels."""
    if not isinstance(device, Pim):
        raise InputError(f"@{name} ({device.name}) has no banks to run a pim.kernel; name a device of kind pim", at)
    return device
