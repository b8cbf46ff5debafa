"""The table of fields of each kind of sheet, required and optional."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import get_args

from dialects.diagnostics import InputError
from interp.machine.device import Device
from interp.machine.memory import Memory
from interp.machine.near_data import NearData
from interp.machine.records import (
    ARCHITECTURES,
    ELEMENT_BYTES,
    NUMERIC_MODES,
    RATE_BYTES,
    Gpu,
    Level,
    Link,
    Pim,
)
from interp.machine.sheets.statements import SheetPlace, Statement
from interp.machine.sheets.values import near

YES_NO = {"yes": True, "no": False}
DRAINS = {"clears": True, "keeps": False}
WHO = {"program": "act and pre of the program", "controller": "the channel's own"}
TRACES = {"aim": "AiM simulator", "pimflow": "PIMFlow", "attacc": "AttAcc simulator"}
PROGRAMS = {
    "own": "written for each op, with all of its work",
    "pimflow": "those of PIMFlow's published generator, for times and energies alone: it drops work",
}
ISSUED = {"pimflow": (("load", "all"), ("act", "group"), ("mac", "all"), ("drain", "all"))}
"""The commands that programs of a published generator issue, with their scopes."""
ARBITRATIONS = {
    "separate": "each has memory of its own",
    "partitioned": "the PIM's channels are taken from the GPU's",
    "exclusive": "they take turns",
    "shared": "both draw on the GPU's bandwidth",
}
REFRESHED_ROWS = {"reopen": True, "forget": False}
"""For rows that a refresh closes: True if the controller reopens them."""
ELEMENTS = {name: f"{width} bytes" for name, width in ELEMENT_BYTES.items()}
RATED = {name: f"{width} bytes" for name, width in RATE_BYTES.items()}
FAMILIES = {name: str(year) for name, year in ARCHITECTURES.items()}
MODELS = {
    "roofline": "a kernel takes the longer of its arithmetic and its traffic, and a launch",
    "kernels": "class by class, with waves, caches and calibrated constants",
}
BY_CLASSES = ("l2", "shared", "threads", "base", "tdp", "architecture", "searches", "submits", "dispatch", "contract")
"""Fields that the models of kernel classes use and a roofline does not."""
MODELLED = ("l2", "threads", "tdp", "architecture")
"""Fields that a sheet must state if kernels are timed by classes."""
CONTRACTS = {
    "f32": "in full",
    "tf32": "on matrix units, with operands rounded to 10 bits of fraction; the values of a run stay those of f32",
}
FLIES = {
    "none": "nothing",
    "reads": "what others read",
    "writes": "what others write",
    "both": "what others read and write",
}
"""The accesses of other ops on whose data near-data units compute."""
PREFETCHERS = {
    "tree": "a chunk is a binary tree of blocks: where more than `density` per cent of a node is there, the rest comes",
    "none": "what faults ask for, and no more; those of one operand are served together",
}
EVICTIONS = {
    "lru": "the chunk that was used the longest ago",
    "migrated": "the one that a fault or prefetch asked for the longest ago: a driver does not see accesses that hit",
}
ON_DEMAND = ("fault", "paging.block", "paging.chunk", "paging.prefetcher", "paging.density", "paging.evicts")
"""Fields and sections that apply only if pages come on demand, not by a plan."""
SUBMITS = {
    "graph": "captured once and replayed",
    "stream": "queued by a compiled program",
    "eager": "queued one by one by a framework",
}
"""The ways of submitting kernels to a GPU."""
MEASURERS = {"onnxruntime": "the op alone as an ONNX model, which ONNX Runtime executes on this computer"}
EXECUTORS = {
    "parallel": "what is independent runs overlapped",
    "sequential": "a task or copy starts when the one before has ended, wherever it runs",
}
ALL = "all"
"""The word for one thread per core of the computer; the record holds 0."""


@dataclass(frozen=True)
class Field:
    """A number or word of a sheet: its path there, its attribute in the record, and the unit in the record.

    `unit` is a name in the table of units, `""` for a count, `"factor"` for any pure number, `"threads"` for a count
    that may be `all`, `"cycles"`, `"word"`, or `"ops"` for a list of graph ops. A `default` of None means that a sheet
    must state it. `zero`: True if 0 is valid.
    """

    path: str
    attribute: str
    unit: str
    meaning: str
    example: str
    default: object = None
    zero: bool = False
    words: Mapping[str, str | bool] | None = None
    """The allowed words, each with its meaning, or with the boolean that the record holds for it."""
    other: tuple[str, str] | None = None
    """An alternative unit, and the attribute that holds the value in that case; `attribute` is then 0."""


@dataclass(frozen=True)
class Section:
    """A list of numbers whose names the sheet chooses: `rate f16 312 TFLOP/s`, `timing tRP 11`."""

    path: str
    attribute: str
    unit: str
    meaning: str
    example: str
    keys: Mapping[str, str] | None = None
    """The valid names; None if any name is."""
    needed: tuple[str, ...] = ()
    """Names that a sheet must state."""


_PROCESSOR = (
    Field("clock", "clock_hz", "Hz", "clock", "clock 1410 MHz"),
    Field("units", "units", "", "streaming multiprocessors or cores", "units 108"),
    Field("memory", "memory", "B", "capacity", "memory 40 GB"),
    Field("bandwidth", "bandwidth", "B/s", "memory bandwidth", "bandwidth 1555 GB/s"),
    Field("launch", "launch_ns", "ns", "time of a kernel launch", "launch 3 us", zero=True),
    Field("energy.flop", "flop_pj", "pJ/flop", "energy of an operation", "energy flop 0.16 pJ/flop", zero=True),
    Field("energy.byte", "byte_pj", "pJ/B", "energy of a byte from or to memory", "energy byte 3.6 pJ/bit", zero=True),
    Field("energy.l2", "l2_byte_pj", "pJ/B", "energy of a byte from or to the cache", "energy l2 2.4 pJ/B", 0.0, True),
    Field("idle", "rest_w", "W", "power at all times, besides the energy of the work", "idle 40 W", 0.0, zero=True),
    Field("model", "model", "word", "how kernels are timed", "model kernels", "roofline", words=MODELS),
    Field("l2", "l2_bytes", "B", "capacity of the last-level cache", "l2 40 MB", 0),
    Field("shared", "shared_bytes", "B", "shared memory a unit", "shared 164 kB", 0),
    Field("threads", "threads", "", "resident threads a unit", "threads 2048", 0),
    Field("blocks", "blocks", "", "resident thread blocks a unit", "blocks 16", 32),
    Field("registers", "registers", "", "registers of 32 bits a unit", "registers 65536", 0),
    Field("shared_width", "shared_width", "B", "shared memory moves a cycle", "shared_width 64 B", 128.0),
    Field(
        "shared_reserved",
        "shared_reserved",
        "B",
        "shared memory that the runtime keeps for each thread block",
        "shared_reserved 0 B",
        1 << 10,
        zero=True,
    ),
    Field("requests", "requests", "", "threads whose loads and stores a unit takes a cycle", "requests 16", 32.0),
    Field(
        "bulk_copies",
        "bulk_copies",
        "word",
        "whether a unit of its own copies boxes of a memory to shared memory",
        "bulk_copies yes",
        False,
        words=YES_NO,
    ),
    Field("l2_latency", "l2_latency", "factor", "cycles of a load from the cache", "l2_latency 279", 0.0),
    Field("l2_port", "l2_port", "factor", "bytes a cycle that the cache hands to all units", "l2_port 5120", 0.0),
    Field("memory_latency", "dram_latency", "factor", "cycles of a load from memory", "memory_latency 636", 0.0),
    Field("narrow_sums", "narrow_sums", "factor", "rate of sums in f16 over that of sums in f32", "narrow_sums 2", 1.0),
    Field("base", "base_hz", "Hz", "clock warranted under load, where `clock` is the boost", "base 765 MHz", 0.0),
    Field("tdp", "tdp_w", "W", "power limit of the board", "tdp 400 W", 0.0),
    Field("architecture", "architecture", "word", "family", "architecture ampere", "", words=FAMILIES),
    Field("contract", "contract", "word", "what f32 contractions compute in", "contract tf32", "f32", words=CONTRACTS),
    Field(
        "searches",
        "searches",
        "word",
        "whether a library tries its algorithms for a convolution and takes the fastest, or goes by its rule",
        "searches no",
        True,
        words=YES_NO,
    ),
    Field("submits", "submits", "word", "how kernels are submitted", "submits eager", "graph", words=SUBMITS),
    Field("channels", "channels", "", "memory channels", "channels 32", 0),
    Field("skips", "skips", "ops", "graph ops that take no time here", "skips slice, concat, pad", ()),
    Field(
        "measures",
        "measures",
        "word",
        "what ndp-profile has real times of this device from",
        "measures onnxruntime",
        "",
        words=MEASURERS,
    ),
    Field(
        "measures.threads",
        "threads_used",
        "threads",
        "threads that it uses for that, or `all`: one for each core",
        "measures onnxruntime threads 1",
        0,
    ),
    Field(
        "executor",
        "executor",
        "word",
        "whether the runtime of a machine whose primary device this is runs independent tasks overlapped",
        "executor sequential",
        "parallel",
        words=EXECUTORS,
    ),
)
_PIM = (
    Field("clock", "clock_hz", "Hz", "clock of the command bus", "clock 875 MHz"),
    Field("shape.channels", "channels", "", "channels", "shape channels 16"),
    Field(
        "shape.groups", "groups", "", "bank groups a channel, in all its pseudo-channels and ranks", "shape groups 4"
    ),
    Field("shape.pseudochannels", "pseudochannels", "", "pseudo-channels a channel", "shape pseudochannels 2", 1),
    Field("shape.ranks", "ranks", "", "ranks a pseudo-channel", "shape ranks 2", 1),
    Field("shape.banks", "banks", "", "banks a group", "shape banks 4"),
    Field("shape.rows", "rows", "", "rows a bank", "shape rows 16384"),
    Field("shape.columns", "columns", "", "column accesses a row", "shape columns 32"),
    Field("shape.lanes", "lanes", "", "elements a column access, multipliers a bank", "shape lanes 16"),
    Field("shape.element", "element", "word", "element type", "shape element f16", words=ELEMENTS),
    Field(
        "numeric", "numeric", "word", "arithmetic of the multiply-accumulate units", "numeric wide", words=NUMERIC_MODES
    ),
    Field(
        "buffer",
        "buffer_columns",
        "columns",
        "capacity of a channel's global buffer, in column accesses",
        "buffer 32 columns",
    ),
    Field("load", "load_columns", "columns", "columns of the buffer that one load command fills", "load 32 columns", 1),
    Field(
        "tied",
        "tied",
        "word",
        "whether a row's column meets the buffer's column of that number",
        "tied yes",
        False,
        words=YES_NO,
    ),
    Field("accumulators", "accumulators", "", "accumulators a bank", "accumulators 1", 1),
    Field(
        "drain",
        "drain_clears",
        "word",
        "whether a drain leaves the accumulators zero, or keeps them until a bias sets them",
        "drain keeps",
        True,
        words=DRAINS,
    ),
    Field("rows_by", "rows_by", "word", "who opens and closes rows", "rows by controller", "program", words=WHO),
    Field("reopen", "reopen", "word", "whether a row may be opened over an open one", "reopen no", False, words=YES_NO),
    Field(
        "checked",
        "checked",
        "word",
        "whether a program that the device would get wrong (a closed row, a buffer column never loaded) is refused",
        "checked no",
        True,
        words=YES_NO,
    ),
    Field("command", "command_cycles", "cycles", "time of one command on the bus", "command 1 cycle", 1),
    Field(
        "end",
        "end_cycles",
        "cycles",
        "from the last drain or read until its data is there",
        "end 13 cycles",
        0,
        zero=True,
    ),
    Field(
        "tail",
        "tail_cycles",
        "cycles",
        "what a program takes at least, besides a cycle for each command (a published simulator's loop)",
        "tail 1 cycle",
        0,
        zero=True,
    ),
    Field("bus", "bus_bandwidth", "B/s", "data bus of one channel", "bus 28 GB/s"),
    Field("trace", "trace", "word", "the vendor text of its programs", "trace aim", "", words=TRACES),
    Field("programs", "programs", "word", "whose bank programs run on it", "programs pimflow", "own", words=PROGRAMS),
    Field(
        "programs.buffers",
        "program_buffers",
        "",
        "global buffers a channel that a published generator's programs use at most",
        "programs pimflow buffers 4",
        0,
    ),
    Field(
        "energy.bit", "bit_pj", "pJ/bit", "energy of a bit over the data bus", "energy bit 0.5 pJ/bit", 0.0, zero=True
    ),
    Field("launch", "launch_ns", "ns", "time to start a kernel from the host", "launch 0 ns", zero=True),
    Field(
        "idle",
        "channel_idle_w",
        "W/channel",
        "power at all times, besides the energy of work and refresh: a channel's, or the whole device's (`2 W/device`)",
        "idle 50 mW/channel",
        0.0,
        zero=True,
        other=("W/device", "device_idle_w"),
    ),
)
SCHEDULER = (
    Field("scheduler.queue", "queue", "", "requests that each of a controller's queues takes", "scheduler queue 33"),
    Field(
        "scheduler.picks",
        "picks",
        "word",
        "what a controller takes from the queue of unit commands: the head alone, or the oldest that may issue",
        "scheduler picks ready",
        words={"head": "the head alone", "ready": "the oldest that may issue"},
    ),
    Field(
        "scheduler.shares",
        "shares",
        "word",
        "whether a row command and a column command may issue in one cycle",
        "scheduler shares no",
        False,
        words=YES_NO,
    ),
    Field(
        "scheduler.mixes",
        "mixes",
        "word",
        "whether unit commands and ordinary accesses may wait at the same time",
        "scheduler mixes yes",
        True,
        words=YES_NO,
    ),
    Field(
        "scheduler.forwards",
        "forwards",
        "word",
        "which waiting write serves a read that arrives",
        "scheduler forwards address",
        "address",
        words={"address": "one to its address", "any": "any"},
    ),
    Field("scheduler.above", "drain_above", "", "waiting writes above which they are served", "scheduler above 25", 25),
    Field("scheduler.below", "drain_below", "", "waiting writes below which reads are served", "scheduler below 7", 7),
    Field(
        "scheduler.rows",
        "rows",
        "word",
        "which bank decides on the row command that a request to several banks needs",
        "scheduler rows any",
        "any",
        words={"first": "the first that lacks its row", "any": "any that has another row"},
    ),
    Field(
        "scheduler.broadcast",
        "broadcast",
        "word",
        "whether commands to all banks bear a bank's address",
        "scheduler broadcast bare",
        "bare",
        words={"addressed": "the address of a bank", "bare": "the channel's alone"},
    ),
    Field(
        "scheduler.refreshes",
        "refreshes",
        "word",
        "each unit of this level is refreshed by a command of its own",
        "scheduler refreshes rank",
        "channel",
        words=dict.fromkeys(get_args(Level), "a level"),
    ),
    Field(
        "scheduler.ends",
        "ends",
        "word",
        "when a program is over",
        "scheduler ends empty",
        "empty",
        words={"empty": "no request waits and all reads are back", "acknowledged": "its end marks are answered"},
    ),
)
"""The controller's rules for the order of requests; a sheet without `scheduler queue` runs programs in order."""
_NEAR_DATA = (
    Field("clock", "clock_hz", "Hz", "clock of the units", "clock 1 GHz"),
    Field("units", "units", "", "units, each of which streams its share of a kernel's elements", "units 8"),
    Field("simd", "simd", "", "elements that a unit's instruction computes on", "simd 8"),
    Field("packet", "packet_bytes", "B", "what a unit moves at a time", "packet 32 B"),
    Field("memory", "memory", "B", "capacity", "memory 64 GB"),
    Field(
        "channels",
        "channels",
        "",
        "memory channels that its units stand in, where others use them too",
        "channels 8",
        0,
    ),
    Field(
        "bandwidth",
        "bandwidth",
        "B/s",
        "bandwidth of the memory behind all units, where that may hold kernels back",
        "bandwidth 900 GB/s",
        0.0,
    ),
    Field(
        "fly",
        "flies",
        "word",
        "what units compute on the fly, while others move it",
        "fly both",
        "none",
        words=FLIES,
    ),
    Field(
        "interference",
        "interference",
        "factor",
        "how many times as long a matrix product or convolution of a processor takes beside a kernel here",
        "interference 1.059",
        1.0,
    ),
    Field("launch", "launch_ns", "ns", "time to start a kernel from the host", "launch 1 us", zero=True),
    Field("energy.flop", "flop_pj", "pJ/flop", "energy of an operation", "energy flop 0.16 pJ/flop", zero=True),
    Field("energy.byte", "byte_pj", "pJ/B", "energy of a byte from or to memory", "energy byte 7.5 pJ/bit", zero=True),
    Field("idle", "rest_w", "W", "power at all times, besides the energy of the work", "idle 5 W", 0.0, zero=True),
)
_MEMORY = (
    Field("memory", "memory", "B", "capacity", "memory 128 GiB"),
    Field("read", "read", "B/s", "rate at which it is read, where that is below the link's", "read 3.2 GB/s", 0.0),
    Field("write", "write", "B/s", "rate at which it is written", "write 3.2 GB/s", 0.0),
    Field("access.read", "read_ns", "ns", "time of a read before its first byte", "access read 12 us", 0.0, True),
    Field("access.write", "write_ns", "ns", "time of a write before its first byte", "access write 16 us", 0.0, True),
    Field("paging.page", "page", "B", "what moves, moves in whole pages", "paging page 4 KiB", 4 << 10),
    Field(
        "paging.allocation",
        "allocation_ns",
        "ns",
        "time to allocate a page in a device's memory",
        "paging allocation 4 ns",
        0.0,
        True,
    ),
    Field(
        "paging.demand",
        "demand",
        "word",
        "whether pages come on demand, when a kernel touches what lies here",
        "paging demand yes",
        False,
        words=YES_NO,
    ),
    Field("paging.block", "block", "B", "what a fault brings at least", "paging block 64 KiB", 64 << 10),
    Field("paging.chunk", "chunk", "B", "what is allocated and evicted at once", "paging chunk 2 MiB", 2 << 20),
    Field(
        "paging.prefetcher",
        "prefetcher",
        "word",
        "what the driver brings besides",
        "paging prefetcher tree",
        "tree",
        words=PREFETCHERS,
    ),
    Field(
        "paging.density",
        "density",
        "",
        "per cent of a node of the tree above which the rest comes, too",
        "paging density 51",
        51,
    ),
    Field(
        "paging.evicts",
        "evicts",
        "word",
        "which chunk goes where room is needed",
        "paging evicts lru",
        "lru",
        words=EVICTIONS,
    ),
    Field("fault.latency", "fault_ns", "ns", "time of a group of faults", "fault latency 45 us", 0.0, True),
    Field("fault.service", "service", "B/s", "rate at which faults are served", "fault service 5 GB/s", 0.0),
    Field("idle", "rest_w", "W", "power at all times", "idle 5 W", 0.0, zero=True),
)
_LINK = (
    Field(
        "bandwidth",
        "bandwidth",
        "B/s",
        "bandwidth in each direction, or for each channel of the PIM at an end (`28 GB/s/channel`); 0 is no way at all",
        "bandwidth 31.5 GB/s",
        zero=True,
        other=("B/s/channel", "channel_bandwidth"),
    ),
    Field("latency", "latency_ns", "ns", "latency of a transfer", "latency 5 us", zero=True),
    Field("energy.byte", "byte_pj", "pJ/B", "energy of a byte", "energy byte 4.4 pJ/bit", zero=True),
    Field("duplex", "duplex", "word", "whether both directions move at once", "duplex yes", True, words=YES_NO),
    Field(
        "arbitration",
        "arbitration",
        "word",
        "how the devices at its ends use memory",
        "arbitration partitioned",
        "separate",
        words=ARBITRATIONS,
    ),
    Field(
        "ramp",
        "half_bytes",
        "B",
        "size of a transfer that reaches half of the bandwidth, by an arctangent of sizes",
        "ramp 13.7 KiB",
        0,
    ),
)


@dataclass(frozen=True)
class Kind:
    """A kind of sheet: its record, its fields, its open lists, and True if it has verbs and gaps."""

    record: Callable[..., Device | Link]
    fields: tuple[Field, ...]
    sections: tuple[Section, ...] = ()
    parts: tuple[Field, ...] = ()
    """Fields of an optional part of a sheet."""
    has_commands: bool = False
    """True if its sheets state verbs, gaps and refreshes: memory whose channels execute commands."""

    @property
    def words(self) -> tuple[Field, ...]:
        return self.fields + self.parts

    def field(self, path: str) -> Field | Section | None:
        """The field of a path; for a member of an open list, that list."""
        section = path.partition(".")[0]
        return next((f for f in self.words if f.path == path), None) or next(
            (s for s in self.sections if s.path == section and s.path != path), None
        )


_RATES = (
    Section("rate", "rates", "FLOP/s", "peak rate", "rate f32 19.5 TFLOP/s, f16 78 TFLOP/s", RATED, ("f32",)),
    Section("matrix", "matrix_rates", "FLOP/s", "peak rate of matrix units", "matrix f16 312 TFLOP/s", RATED),
    Section("dispatch", "dispatch_ns", "ns", "host's time to submit a kernel", "dispatch stream 5 us", SUBMITS),
    Section("energy", "flop_pjs", "pJ/flop", "energy of an operation of a type", "energy f32 0.49 pJ/flop", RATED),
)
KINDS: dict[str, Kind] = {
    "gpu": Kind(Gpu, _PROCESSOR, _RATES),
    "cpu": Kind(Gpu, _PROCESSOR, _RATES),
    "pim": Kind(
        Pim,
        _PIM,
        (
            Section("timing", "timing", "cycles", "timing parameter", "timing tRP 11, tRAS 32 ns"),
            Section(
                "energy",
                "",
                "nJ",
                "energy of one command of a channel, or of each bank that it addresses",
                "energy mac 3.8 nJ, act 0.9 nJ/bank",
            ),
        ),
        SCHEDULER,
        has_commands=True,
    ),
    "ndp": Kind(NearData, _NEAR_DATA),
    "memory": Kind(Memory, _MEMORY),
    "link": Kind(Link, _LINK),
}
"""Kinds by the word after a device's name in its sheet; a plugin adds its own."""


class UnknownFieldError(InputError):
    """The error for a field name that a kind of sheet does not have."""


def full_path(kind: Kind, path: str, said: Mapping[str, Statement], at: SheetPlace) -> str:
    """A field's full path, also found by its last word (`channels`, `tRP`). Raises InputError if there is none."""
    if kind.field(path) is not None:
        return path
    ends = [f.path for f in kind.words if f.path.endswith(f".{path}")]
    ends += [key for key in said if key.endswith(f".{path}") and key not in ends]
    ends = [end for end in ends if not end.startswith("scheduler.")] or ends  # a simulator's fields are written in full
    if len(ends) == 1:
        return ends[0]
    if ends:
        raise InputError(
            f"`{path}` could be {' or '.join(f'`{end}`' for end in ends)}; write one of them in full", str(at)
        )
    words = [f.path.rpartition(".")[2] for f in kind.words] + [key.rpartition(".")[2] for key in said if "." in key]
    met = path.rpartition(".")[2] if "." in path else path
    raise UnknownFieldError(f"there is no field `{path}`{near(met, words)}", str(at))
