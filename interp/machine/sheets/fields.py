"""The table of the fields of each sheet kind (GPU, PIM, link, engine, …): their names, units and defaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, get_args

from dialects.diagnostics import InputError
from interp.machine.device import Device
from interp.machine.engine import Engine
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

Record: TypeAlias = Device | Link | Engine
"""The record of a sheet."""

YES_NO = {"yes": True, "no": False}
DRAINS = {"clears": True, "keeps": False}
WHO = {"program": "the program, by act and pre", "controller": "the channel's controller"}
TRACES = {"aim": "AiM simulator", "pimflow": "PIMFlow", "attacc": "AttAcc simulator"}
PROGRAMS = {
    "own": "generated for each op, with all of its work",
    "pimflow": "those of PIMFlow's published generator, for times and energies only: it drops work",
}
ISSUED = {"pimflow": (("load", "all"), ("act", "group"), ("mac", "all"), ("drain", "all"))}
"""For each published generator of programs, the forms (verb and scope) of the commands that its programs contain."""
ARBITRATIONS = {
    "separate": "each has its own memory",
    "partitioned": "the PIM's channels are taken from the GPU's",
    "exclusive": "they take turns",
    "shared": "both share the GPU's bandwidth",
}
REFRESHED_ROWS = {"reopen": True, "forget": False}
"""The words of a refresh statement for the further state of rows that a refresh closes, each with True if the
controller reopens them."""
ELEMENTS = {name: f"{width} bytes" for name, width in ELEMENT_BYTES.items()}
RATED = {name: f"{width} bytes" for name, width in RATE_BYTES.items()}
FAMILIES = {name: str(year) for name, year in ARCHITECTURES.items()}
MODELS = {
    "roofline": "a kernel takes the longer of its arithmetic and its traffic, plus a launch",
    "kernels": "by kernel classes, with waves, caches and calibrated constants",
}
BY_CLASSES = (
    "l2",
    "shared",
    "threads",
    "base",
    "tdp",
    "architecture",
    "capability",
    "library",
    "searches",
    "submits",
    "dispatch",
    "contract",
)
"""Names of fields that have an effect only if kernels are timed by the models of kernel classes, not by a roofline."""
MODELLED = ("l2", "threads", "tdp", "architecture")
"""Names of fields that a sheet must state if kernels are timed by the models of kernel classes."""
CONTRACTS = {
    "f32": "in full",
    "tf32": "on matrix units, with operands rounded to 10 bits of fraction; the values of a run stay those of f32",
}
FLIES = {
    "none": "nothing",
    "reads": "data that others read",
    "writes": "data that others write",
    "both": "data that others read or write",
}
"""The words for the accesses of other devices during which near-data units can compute on the accessed data."""
PREFETCHERS = {
    "tree": "a chunk is a binary tree of blocks: if more than `density` per cent of a node is present, the rest comes",
    "none": "only the missing pages; those of one operand are served together",
}
EVICTIONS = {
    "lru": "the least recently used chunk",
    "migrated": "the chunk of the least recent fault or prefetch: a driver does not see accesses that hit",
}
ON_DEMAND = ("fault", "paging.block", "paging.chunk", "paging.prefetcher", "paging.density", "paging.evicts")
"""Names of fields and sections that apply only if a page is moved when a kernel accesses it, not if moves are
planned."""
SUBMITS = {
    "graph": "captured once and replayed",
    "stream": "queued by a compiled program",
    "eager": "queued one by one by a framework",
}
"""The words for the ways in which the host submits kernels to a GPU, each with its meaning."""
MEASURERS = {"onnxruntime": "each op as an ONNX model, which ONNX Runtime executes on this computer"}
EXECUTORS = {
    "parallel": "independent tasks and copies run concurrently",
    "sequential": "a task or copy starts when the one before has ended, on any device",
}
ALL = "all"
"""The word for one thread per core of the computer, instead of a number of threads; the record then holds 0."""


@dataclass(frozen=True)
class Field:
    """A number or word of a sheet: its path in the sheet, its attribute in the record, and the unit in the record.

    `unit` is a name in the table of units, `""` for a count, `"factor"` for any pure number, `"threads"` for a count
    that may be `all`, `"cycles"`, `"word"`, `"name"` for any name, or `"ops"` for a list of graph ops. A `default` of
    None means that a sheet must state it. `zero`: True if 0 is valid.
    """

    path: str
    attribute: str
    unit: str
    meaning: str
    example: str
    default: object = None
    zero: bool = False
    words: Mapping[str, str | bool] | None = None
    """The allowed words, each with its meaning, or with the boolean that the record holds for it; None for a number."""
    other: tuple[str, str] | None = None
    """For a field that may be stated in a unit of another dimension: that unit, and the attribute of the record that
    holds a value in it. When this attribute is set, the field's own `attribute` is 0."""


@dataclass(frozen=True)
class Section:
    """A list of numbers in a sheet, each under a name that the sheet chooses: `rate f16 312 TFLOP/s`, `timing tRP
    11`."""

    path: str
    attribute: str
    unit: str
    meaning: str
    example: str
    keys: Mapping[str, str] | None = None
    """The valid names, each with its meaning; None if any name is valid."""
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
    Field("idle", "rest_w", "W", "static power, excluding the energy of the work", "idle 40 W", 0.0, zero=True),
    Field("model", "model", "word", "timing model of kernels", "model kernels", "roofline", words=MODELS),
    Field("l2", "l2_bytes", "B", "capacity of the last-level cache", "l2 40 MB", 0),
    Field("shared", "shared_bytes", "B", "shared memory per unit", "shared 164 kB", 0),
    Field("threads", "threads", "", "resident threads per unit", "threads 2048", 0),
    Field("blocks", "blocks", "", "resident thread blocks per unit", "blocks 16", 32),
    Field("registers", "registers", "", "32-bit registers per unit", "registers 65536", 0),
    Field(
        "shared_width", "shared_width", "B", "shared memory bandwidth per unit and cycle", "shared_width 64 B", 128.0
    ),
    Field(
        "shared_reserved",
        "shared_reserved",
        "B",
        "shared memory that the runtime reserves for each thread block",
        "shared_reserved 0 B",
        1 << 10,
        zero=True,
    ),
    Field("requests", "requests", "", "threads whose loads and stores a unit accepts per cycle", "requests 16", 32.0),
    Field(
        "bulk_copies",
        "bulk_copies",
        "word",
        "whether each unit has a copy engine for boxes of a tensor to shared memory",
        "bulk_copies yes",
        False,
        words=YES_NO,
    ),
    Field("l2_latency", "l2_latency", "factor", "latency of a load from the cache, in cycles", "l2_latency 279", 0.0),
    Field("l2_port", "l2_port", "factor", "bytes per cycle from the cache to all units", "l2_port 5120", 0.0),
    Field(
        "memory_latency",
        "dram_latency",
        "factor",
        "latency of a load from memory, in cycles",
        "memory_latency 636",
        0.0,
    ),
    Field("narrow_sums", "narrow_sums", "factor", "rate of f16 accumulation relative to f32", "narrow_sums 2", 1.0),
    Field("base", "base_hz", "Hz", "guaranteed clock under load; `clock` is the boost", "base 765 MHz", 0.0),
    Field("tdp", "tdp_w", "W", "power limit of the board", "tdp 400 W", 0.0),
    Field("architecture", "architecture", "word", "family", "architecture ampere", "", words=FAMILIES),
    Field("capability", "capability", "factor", "NVIDIA's compute capability", "capability 9.0", 0.0),
    Field("library", "library", "name", "library whose kernels the GPU runs", "library vllm", ""),
    Field("contract", "contract", "word", "arithmetic of f32 contractions", "contract tf32", "f32", words=CONTRACTS),
    Field(
        "searches",
        "searches",
        "word",
        "whether a library tries its algorithms for a convolution and uses the fastest, or applies its heuristic",
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
        "the runtime by which ndp-profile measures times of this device",
        "measures onnxruntime",
        "",
        words=MEASURERS,
    ),
    Field(
        "measures.threads",
        "threads_used",
        "threads",
        "threads that this runtime uses, or `all`: one per core",
        "measures onnxruntime threads 1",
        0,
    ),
    Field(
        "executor",
        "executor",
        "word",
        "whether the runtime runs independent tasks concurrently, if this is the primary device",
        "executor sequential",
        "parallel",
        words=EXECUTORS,
    ),
)
_PIM = (
    Field("clock", "clock_hz", "Hz", "clock of the command bus", "clock 875 MHz"),
    Field("shape.channels", "channels", "", "channels", "shape channels 16"),
    Field(
        "shape.groups",
        "groups",
        "",
        "bank groups per channel, over all its pseudo-channels and ranks",
        "shape groups 4",
    ),
    Field("shape.pseudochannels", "pseudochannels", "", "pseudo-channels per channel", "shape pseudochannels 2", 1),
    Field("shape.ranks", "ranks", "", "ranks per pseudo-channel", "shape ranks 2", 1),
    Field("shape.banks", "banks", "", "banks per group", "shape banks 4"),
    Field("shape.rows", "rows", "", "rows per bank", "shape rows 16384"),
    Field("shape.columns", "columns", "", "column accesses per row", "shape columns 32"),
    Field("shape.lanes", "lanes", "", "elements per column access, multipliers per bank", "shape lanes 16"),
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
    Field(
        "load", "load_columns", "columns", "columns of the buffer that one load command writes", "load 32 columns", 1
    ),
    Field(
        "tied",
        "tied",
        "word",
        "whether each column of a row multiplies the buffer's column of the same number",
        "tied yes",
        False,
        words=YES_NO,
    ),
    Field("accumulators", "accumulators", "", "accumulators per bank", "accumulators 1", 1),
    Field(
        "moves",
        "moved_sums",
        "",
        "sums that one command moves from accumulators; not stated: one of each bank that it addresses",
        "moves 32",
        0,
    ),
    Field(
        "drain",
        "drain_clears",
        "word",
        "whether a drain clears the accumulators, or keeps them until a bias overwrites them",
        "drain keeps",
        True,
        words=DRAINS,
    ),
    Field(
        "rows_by", "rows_by", "word", "component that opens and closes rows", "rows by controller", "program", words=WHO
    ),
    Field(
        "reopen",
        "reopen",
        "word",
        "whether a row may be opened while another is open",
        "reopen no",
        False,
        words=YES_NO,
    ),
    Field(
        "checked",
        "checked",
        "word",
        "whether programs with hazards (a closed row, a buffer column never loaded) are refused",
        "checked no",
        True,
        words=YES_NO,
    ),
    Field("command", "command_cycles", "cycles", "time of one command on the bus", "command 1 cycle", 1),
    Field(
        "end",
        "end_cycles",
        "cycles",
        "time from the last drain or read until its data has arrived",
        "end 13 cycles",
        0,
        zero=True,
    ),
    Field(
        "tail",
        "tail_cycles",
        "cycles",
        "time of a program in addition to one cycle per command (a published simulator's loop)",
        "tail 1 cycle",
        0,
        zero=True,
    ),
    Field("bus", "bus_bandwidth", "B/s", "data bus of one channel", "bus 28 GB/s"),
    Field("trace", "trace", "word", "the vendor's text format for its programs", "trace aim", "", words=TRACES),
    Field("programs", "programs", "word", "generator of its bank programs", "programs pimflow", "own", words=PROGRAMS),
    Field(
        "programs.buffers",
        "program_buffers",
        "",
        "maximum number of global buffers per channel in programs of a published generator",
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
        "static power, excluding the energy of work and refresh: per channel, or of the whole device (`2 W/device`)",
        "idle 50 mW/channel",
        0.0,
        zero=True,
        other=("W/device", "device_idle_w"),
    ),
)
SCHEDULER = (
    Field(
        "scheduler.queue", "queue", "", "capacity of each of a controller's queues, in requests", "scheduler queue 33"
    ),
    Field(
        "scheduler.picks",
        "picks",
        "word",
        "candidates in the queue of unit commands: only the head, or the oldest that may issue",
        "scheduler picks ready",
        words={"head": "only the head", "ready": "the oldest that may issue"},
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
        "waiting writes that may serve an arriving read",
        "scheduler forwards address",
        "address",
        words={"address": "a write to its address", "any": "any"},
    ),
    Field(
        "scheduler.above",
        "drain_above",
        "",
        "number of waiting writes above which writes are served",
        "scheduler above 25",
        25,
    ),
    Field(
        "scheduler.below",
        "drain_below",
        "",
        "number of waiting writes below which reads are served",
        "scheduler below 7",
        7,
    ),
    Field(
        "scheduler.rows",
        "rows",
        "word",
        "bank that determines the row command of a request to several banks",
        "scheduler rows any",
        "any",
        words={"first": "the first that lacks its row", "any": "any with another open row"},
    ),
    Field(
        "scheduler.broadcast",
        "broadcast",
        "word",
        "whether commands to all banks carry a bank's address",
        "scheduler broadcast bare",
        "bare",
        words={"addressed": "the address of a bank", "bare": "only the channel's"},
    ),
    Field(
        "scheduler.refreshes",
        "refreshes",
        "word",
        "level of the units that are refreshed by separate commands",
        "scheduler refreshes rank",
        "channel",
        words=dict.fromkeys(get_args(Level), "a level"),
    ),
    Field(
        "scheduler.ends",
        "ends",
        "word",
        "condition that ends a program",
        "scheduler ends empty",
        "empty",
        words={
            "empty": "no request waits and all reads have returned",
            "acknowledged": "its end marks are acknowledged",
        },
    ),
)
"""Fields for a controller's rules for the order of requests; on a device whose sheet has no `scheduler queue`, each
channel runs its program in order."""
_NEAR_DATA = (
    Field("clock", "clock_hz", "Hz", "clock of the units", "clock 1 GHz"),
    Field("units", "units", "", "units, each of which streams its shard of a kernel's elements", "units 8"),
    Field("simd", "simd", "", "elements per instruction of a unit", "simd 8"),
    Field("packet", "packet_bytes", "B", "bytes that a unit moves at once", "packet 32 B"),
    Field("memory", "memory", "B", "capacity", "memory 64 GB"),
    Field(
        "channels",
        "channels",
        "",
        "memory channels that contain its units, if other devices use them too",
        "channels 8",
        0,
    ),
    Field(
        "bandwidth",
        "bandwidth",
        "B/s",
        "bandwidth of the memory behind all units, shared by their kernels and copies",
        "bandwidth 409.6 GB/s",
    ),
    Field(
        "fly",
        "flies",
        "word",
        "data that units compute on while others move it",
        "fly both",
        "none",
        words=FLIES,
    ),
    Field(
        "interference",
        "interference",
        "factor",
        "factor by which a processor's matrix products and convolutions slow down while a kernel runs here",
        "interference 1.059",
        1.0,
    ),
    Field("launch", "launch_ns", "ns", "time to start a kernel from the host", "launch 1 us", zero=True),
    Field("energy.flop", "flop_pj", "pJ/flop", "energy of an operation", "energy flop 0.16 pJ/flop", zero=True),
    Field("energy.byte", "byte_pj", "pJ/B", "energy of a byte from or to memory", "energy byte 7.5 pJ/bit", zero=True),
    Field("idle", "rest_w", "W", "static power, excluding the energy of the work", "idle 5 W", 0.0, zero=True),
)
_MEMORY = (
    Field("memory", "memory", "B", "capacity", "memory 128 GiB"),
    Field("read", "read", "B/s", "read bandwidth, if below the link's", "read 3.2 GB/s", 0.0),
    Field("write", "write", "B/s", "write bandwidth, if below the link's", "write 3.2 GB/s", 0.0),
    Field("access.read", "read_ns", "ns", "latency of a read before its first byte", "access read 12 us", 0.0, True),
    Field(
        "access.write", "write_ns", "ns", "latency of a write before its first byte", "access write 16 us", 0.0, True
    ),
    Field("paging.page", "page", "B", "size of a page; transfers are whole pages", "paging page 4 KiB", 4 << 10),
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
        "whether pages come on demand, when a kernel accesses them",
        "paging demand yes",
        False,
        words=YES_NO,
    ),
    Field("paging.block", "block", "B", "least amount that a fault brings", "paging block 64 KiB", 64 << 10),
    Field("paging.chunk", "chunk", "B", "unit of allocation and eviction", "paging chunk 2 MiB", 2 << 20),
    Field(
        "paging.prefetcher",
        "prefetcher",
        "word",
        "pages that the driver brings in addition",
        "paging prefetcher tree",
        "tree",
        words=PREFETCHERS,
    ),
    Field(
        "paging.density",
        "density",
        "",
        "percentage of a tree node above which the rest of the node comes, too",
        "paging density 51",
        51,
    ),
    Field(
        "paging.evicts",
        "evicts",
        "word",
        "chunk that is evicted first",
        "paging evicts lru",
        "lru",
        words=EVICTIONS,
    ),
    Field("fault.latency", "fault_ns", "ns", "latency of a group of faults", "fault latency 45 us", 0.0, True),
    Field("fault.service", "service", "B/s", "rate at which faults are served", "fault service 5 GB/s", 0.0),
    Field("idle", "rest_w", "W", "static power", "idle 5 W", 0.0, zero=True),
)
_LINK = (
    Field(
        "bandwidth",
        "bandwidth",
        "B/s",
        "bandwidth in each direction, or per channel of the PIM at one end (`28 GB/s/channel`); 0: no link",
        "bandwidth 31.5 GB/s",
        zero=True,
        other=("B/s/channel", "channel_bandwidth"),
    ),
    Field("latency", "latency_ns", "ns", "latency of a transfer", "latency 5 us", zero=True),
    Field("energy.byte", "byte_pj", "pJ/B", "energy per byte", "energy byte 4.4 pJ/bit", zero=True),
    Field("duplex", "duplex", "word", "whether both directions move concurrently", "duplex yes", True, words=YES_NO),
    Field(
        "arbitration",
        "arbitration",
        "word",
        "memory arbitration between the devices at its ends",
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

_ENGINE = (
    Field("library", "library", "name", "library whose kernels it runs", "library vllm", ""),
    Field("tokens", "tokens", "", "tokens that a step processes at most", "tokens 8192"),
    Field("sequences", "sequences", "", "sequences that run at a time at most", "sequences 256"),
    Field(
        "mixes",
        "mixes",
        "word",
        "whether a step holds both prompts and sequences that decode; otherwise prompts go first",
        "mixes yes",
        words=YES_NO,
    ),
    Field(
        "overlaps",
        "overlaps",
        "word",
        "whether a step is formed while the one before it runs; a new request waits for the end of both",
        "overlaps yes",
        False,
        words=YES_NO,
    ),
    Field(
        "merges",
        "merges",
        "word",
        "whether products of the same values are one kernel",
        "merges yes",
        False,
        words=YES_NO,
    ),
    Field("memory", "memory", "factor", "share of the GPU's memory that it uses", "memory 0.9", 1.0),
    Field("step", "step_ns", "ns", "host's time for a step that the GPU waits for", "step 1 ms", 0.0, zero=True),
    Field("prompts", "prompts_ns", "ns", "more of it for a step with prompts", "prompts 5 ms", 0.0, zero=True),
    Field("sequence", "sequence_ns", "ns", "more of it for each sequence of a step", "sequence 5 us", 0.0, zero=True),
    Field(
        "kernels",
        "kernels",
        "factor",
        "time of the GPU's work in a step, relative to its kernels as the library's benchmarks measure them",
        "kernels 1.03",
        1.0,
    ),
    Field(
        "request",
        "request_ns",
        "ns",
        "time from sending a request until a step can be formed with it: transport, tokenization",
        "request 10 ms",
        0.0,
        zero=True,
    ),
)
KINDLESS = ("link", "engine")
"""Kinds of sheets whose headings start with the kind (`link NAME`), as they are no devices."""


@dataclass(frozen=True)
class Kind:
    """A kind of sheet (GPU, PIM, link, …): the class of its record, its fields, and its sections (lists of numbers
    under names that a sheet chooses)."""

    record: Callable[..., Record]
    fields: tuple[Field, ...]
    sections: tuple[Section, ...] = ()
    parts: tuple[Field, ...] = ()
    """Groups of further fields, each of which a sheet may omit as a whole."""
    has_commands: bool = False
    """True if sheets of this kind state verbs, gaps and refreshes, because their devices are memories whose channels
    execute commands."""

    @property
    def words(self) -> tuple[Field, ...]:
        return self.fields + self.parts

    def field(self, path: str) -> Field | Section | None:
        """The field with a path, or the section that contains the number with this path; None if there is neither."""
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
    "engine": Kind(Engine, _ENGINE),
}
"""Kinds of sheets, by the word that follows the device's name in a sheet's heading; a plugin adds its own."""


class UnknownFieldError(InputError):
    """The error for a field name that a kind of sheet does not have."""


def full_path(kind: Kind, path: str, statements: Mapping[str, Statement], at: SheetPlace, sheet: str = "") -> str:
    """The full path of a field that is given by its path or by the last word of its path (`channels`, `tRP`). Raises
    InputError if there is no such field. `sheet`: the name of the sheet for this error; empty if the error's place
    shows it."""
    if kind.field(path) is not None:
        return path
    ends = [f.path for f in kind.words if f.path.endswith(f".{path}")]
    ends += [key for key in statements if key.endswith(f".{path}") and key not in ends]
    ends = [end for end in ends if not end.startswith("scheduler.")] or ends  # a simulator's fields are written in full
    if len(ends) == 1:
        return ends[0]
    if ends:
        raise InputError(
            f"`{path}` could be {' or '.join(f'`{end}`' for end in ends)}; write one of them in full", str(at)
        )
    words = [f.path.rpartition(".")[2] for f in kind.words] + [
        key.rpartition(".")[2] for key in statements if "." in key
    ]
    met = path.rpartition(".")[2] if "." in path else path
    longer = sorted({word for word in words if word.startswith(met)})
    if 2 <= len(longer) <= 4 and len(met) > 2:
        meant = f"; did you mean {', '.join(f'`{word}`' for word in longer[:-1])} or `{longer[-1]}`?"
    else:
        meant = near(met, words)
    raise UnknownFieldError(f"there is no field `{path}`{f' in {sheet}' if sheet else ''}{meant}", str(at))
