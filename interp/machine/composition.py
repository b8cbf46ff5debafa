"""The machine a program runs on, made of the program's `hw` ops and the data sheets that these name; and the search for
machine files by name or path."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.parser import Parser, ParserState
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Input

from dialects.diagnostics import InputError
from dialects.files import read_regular, reason_of
from dialects.hw import DeviceOp, Hw, LinkOp, SheetOp, no_device
from dialects.launching import LaunchedOp
from dialects.locations import at_line
from dialects.task.types import OnType
from dialects.text.lexer import Lexer
from dialects.text.syntax_errors import place_of_nesting, with_clear_message
from interp.machine.channels import guests_of, links_of, without_shared_channels
from interp.machine.device import Device
from interp.machine.profile_checks import check_copies, check_rows
from interp.machine.records import Gpu, Link, Pim, with_banks
from interp.machine.sheets import list_devices, load_device, load_link
from interp.machine.sheets.fields import KINDLESS
from interp.machine.sheets.files import find_machine, is_sheet_name
from interp.machine.sheets.named_files import check_named_files
from interp.machine.sheets.search import SHIPPED


@dataclass(frozen=True)
class Machine:
    """The devices of a machine by name, in program order, and the links between them by the names of their two ends.

    With `arbitration partitioned` on a link, the PIM's channels no longer belong to the GPU: `devices` holds the GPU
    with its remaining channels, `sheets` each device with all of the channels that its sheet states. A placed program
    that does not use the PIM has these channels as ordinary memory of the GPU.
    """

    devices: Mapping[str, Device]
    links: Mapping[tuple[str, str], Link]
    sheets: Mapping[str, Device] = field(default_factory=dict[str, Device])
    """All devices with all of their memory channels; empty if no device lacks channels in `devices`."""

    @classmethod
    def of(cls, module: ModuleOp) -> Machine:
        """The machine that a program declares. Raises InputError if there is none, or at the op whose sheet is
        invalid."""
        declared = [op for op in module.body.block.ops if isinstance(op, DeviceOp)]
        if not declared:
            raise InputError(
                'the program names no device; write for instance hw.device @gpu = "a100", or give --machine NAME',
                module,
            )
        devices = {op.sym_name.data: load_device(op.sheet.data, op.changed(), op) for op in declared}
        if devices[declared[0].sym_name.data].runs_nothing:
            raise InputError(
                f"@{declared[0].sym_name.data} comes first, so its memory would hold arguments and results, but "
                f"{declared[0].sheet.data} can't run ops; put a processor's hw.device first",
                declared[0],
            )
        joins = [op for op in module.body.block.ops if isinstance(op, LinkOp)]
        links = {op.ends: load_link(op.sheet.data, op.changed(), op) for op in joins}
        for op in declared:
            check_rows(op.sym_name.data, devices[op.sym_name.data], op)
        for op in joins:
            check_copies(op.ends, devices, links[op.ends], op)
        found = cls.joined(devices, links, {op.ends: op for op in joins})
        used = devices_in_use(module) if found.sheets else None
        return found if used is None else found.without_use_of(set(devices) - used)

    @classmethod
    def joined(
        cls,
        devices: Mapping[str, Device],
        links: Mapping[tuple[str, str], Link],
        places: Mapping[tuple[str, str], Operation] | None = None,
    ) -> Machine:
        """The machine of some devices and links, with memory channels divided as the links state; links of zero
        bandwidth are left out. Raises InputError, at the place of a link, for a link that is impossible between its
        devices."""
        links = {ends: link for ends, link in links.items() if link.bandwidth or link.channel_bandwidth}
        kept = without_shared_channels(devices, links, places or {})
        return cls(kept, links_of(devices, links, places or {}), devices if kept != devices else {})

    def without_use_of(self, unused: Container[str]) -> Machine:
        """The machine for a program that does not use some devices: memory channels that these would take belong to
        their processors."""
        sheets = self.sheets or self.devices
        kept = without_shared_channels(sheets, self.links, {}, unused)
        return Machine(kept, self.links, sheets if kept != sheets else {})

    def without(self, names: Container[str]) -> Machine:
        """The machine without some devices; memory channels that these would take belong to their processors."""
        whole = self.without_use_of(names)
        devices, sheets = (
            {name: device for name, device in each.items() if name not in names}
            for each in (whole.devices, whole.sheets)
        )
        links = {ends: link for ends, link in self.links.items() if ends[0] not in names and ends[1] not in names}
        return Machine(devices, links, sheets)

    @property
    def guests(self) -> tuple[str, ...]:
        """The devices that take memory channels of a processor for themselves, if a program uses them."""
        return guests_of(self.sheets, self.links) if self.sheets else ()

    @property
    def unpartitioned(self) -> Machine:
        """The machine without the division of channels: a GPU with all of its memory channels."""
        return Machine(self.sheets, self.links) if self.sheets else self

    @property
    def primary(self) -> str:
        """The first device, whose memory holds arguments and results."""
        return next(iter(self.devices))

    def device(self, name: str, at: Operation | str | None = None) -> Device:
        """The device of this name. Raises InputError at `at` if there is none."""
        if name not in self.devices:
            raise InputError(no_device(name, self.devices), at)
        return self.devices[name]

    @property
    def pims(self) -> dict[str, Pim]:
        """The devices that have banks for kernels, by name."""
        return {name: device for name, device in self.devices.items() if isinstance(device, Pim)}

    @property
    def gpus(self) -> dict[str, Gpu]:
        """The devices that have multiprocessors for kernels of thread blocks, by name."""
        return {name: each for name, each in self.devices.items() if isinstance(each, Gpu) and each.shared_bytes}

    def pim(self, name: str, at: Operation) -> Pim:
        """The PIM of this name. Raises InputError at `at` if the device has no banks for kernels, or does not exist."""
        return with_banks(self.device(name, at), name, at)

    def link(self, source: str, target: str, at: Operation | str | None = None) -> Link:
        """The link between two devices, declared in either direction. Raises InputError at `at` if there is none."""
        for end in (source, target):
            self.device(end, at)
        link = self.links.get((source, target)) or self.links.get((target, source))
        if link is None:
            raise InputError(
                f'no link joins @{source} and @{target}; declare one (hw.link @{source} to @{target} = "SHEET")', at
            )
        return link

    def accessing_ns(self, nbytes: int, source: str, target: str) -> float:
        """The least time in ns in which the memories at the ends of a copy read and write its bytes, as far as their
        bandwidths limit copies; 0 if both ends are one memory."""
        if self.link(source, target).arbitration in ("shared", "exclusive"):
            return 0.0
        bandwidths = [self.devices[end].copied_bandwidth for end in (source, target)]
        return max((nbytes / bandwidth * 1e9 for bandwidth in bandwidths if bandwidth), default=0.0)

    def way(self, source: str, target: str) -> str:
        """The name of the resource that a copy from one device to another occupies: one direction of a duplex link,
        otherwise the whole link."""
        return f"{source}->{target}" if self.link(source, target).duplex else "<->".join(sorted((source, target)))

    def streams(self, maker: str, taker: str) -> bool:
        """True if device `taker` can consume results of device `maker` as a stream, i.e. while they are produced:
        either the taker can compute on data while other devices write them, or the maker can compute on data while
        other devices read them."""
        flying = self.devices[taker].flies_on("writes") or self.devices[maker].flies_on("reads")
        return flying and maker != taker


def devices_in_use(module: ModuleOp) -> set[str] | None:
    """The devices that hold values of a placed program, run its tasks or execute its programs. None for a program that
    is empty, or has a function that is not placed yet: it may use any device."""
    used = {op.place for op in module.body.block.ops if isinstance(op, LaunchedOp)}
    for op in module.body.block.ops:
        if isinstance(op, FuncOp) and not op.is_declaration:
            values: list[SSAValue] = []
            for inner in op.walk():
                values += inner.results
                values += [argument for region in inner.regions for block in region.blocks for argument in block.args]
            places = {value.type.place for value in values if isinstance(value.type, OnType)}
            if not places:
                return None
            used |= places
    return used or None


def record_of(op: SheetOp) -> Device | Link:
    """The record of an `hw` op's sheet, with the op's changes. Raises InputError for an invalid sheet or change."""
    return (load_device if isinstance(op, DeviceOp) else load_link)(op.sheet.data, op.changed(), op)


def machine_ops(name_or_path: str) -> list[Operation]:
    """Fresh `hw` ops of a machine file (`a100-newton`, `./mine.mlir`), or of a single device's sheet.

    Raises InputError if there is no machine or device of this name, or at the first invalid line.
    """
    from interp.machine.sheets.values import near

    path = find_machine(name_or_path)
    if path is None:
        if "/" not in name_or_path and ".sheet" not in name_or_path and not is_sheet_name(name_or_path):
            names = [name for name, kind, _ in list_devices() if kind not in (*KINDLESS, "error")]
            several = [part for part in re.split(r"[,\s]+", name_or_path) if part in names or find_machine(part)]
            if len(several) > 1:
                raise InputError(f"a program runs on one machine; --sweep machine={','.join(several)} compares these")
            raise InputError(f"there is no machine or device `{name_or_path[:60]}`{near(name_or_path, names)}")
        record = load_device(name_or_path)
        return [DeviceOp(record.kind, name_or_path)]
    ops = _parsed(path)
    if not any(isinstance(op, DeviceOp) for op in ops):
        raise InputError('the machine holds no device; write for instance hw.device @gpu = "a100"', f"{path}:1:1")
    return ops


def _parsed(path: Path) -> list[Operation]:
    context = Context()
    context.load_dialect(Builtin)
    context.load_dialect(Hw)
    try:
        text = read_regular(path, "a machine is a few hw ops").decode()
    except OSError as error:
        raise InputError(f"can't read the machine `{path}`: {reason_of(error)}", None) from None
    except UnicodeDecodeError:
        raise InputError(f"`{path}` is not UTF-8 text; a machine file holds hw.device and hw.link ops", None) from None
    if not re.sub(r"//.*", "", text).strip():
        return []
    try:
        module = _PlacingParser(context, text, _name_in_locations(path)).parse_module()
    except ParseError as error:
        raise _complaint(str(path), error) from None
    except RecursionError:
        message = "a machine file holds hw.device and hw.link ops; this is nested too deeply"
        raise InputError(message, place_of_nesting(text, str(path))) from None
    for op in module.body.block.ops:
        try:
            op.verify()
        except VerifyException as error:
            raise InputError(str(error), op) from None
    ops = list(module.body.block.ops)
    for op in ops:
        if isinstance(op, SheetOp):
            check_named_files(op, str(path))
        op.detach()
    return ops


def _complaint(file: str, error: ParseError) -> InputError:
    text = str(error.span.input.content)
    if "entire input" in error.msg:
        error = ParseError(error.span, "expected hw.device or hw.link")
    written = next((op for op in (DeviceOp, LinkOp) if op.name in _line_of(text, error.span.start)), None)
    reworded = with_clear_message(error, written)
    position, message = reworded.span.start, reworded.msg
    if (unknown := re.match(r"unknown op `(\S+)`", message)) is not None:
        position = max(text.rfind(unknown.group(1), 0, position), 0)
        message = f"`{unknown.group(1)}` was met; put the program into another file"
    line, column = _line_column(text, position)
    return InputError(f"a machine file holds hw.device and hw.link ops: {message}", f"{file}:{line}:{column}")


def _name_in_locations(path: Path) -> str:
    """The name of a machine's file in printed locations: for a shipped machine relative to the package, so that
    locations are equal on all computers."""
    return str(path.relative_to(SHIPPED.parents[1])) if path.parent == SHIPPED else str(path)


class _PlacingParser(Parser):
    """A parser for xDSL's text format that records the place (file, line and column) of each op."""

    def __init__(self, ctx: Context, text: str, name: str) -> None:
        super().__init__(ctx, "", name)
        self._parser_state = ParserState(Lexer(Input(text, name)))

    def parse_operation(self) -> Operation:
        start = self.pos
        op = super().parse_operation()
        op.location = at_line(self.lexer.input.name, *_line_column(self.lexer.input.content, start))
        return op


def _line_of(text: str, position: int) -> str:
    return text[text.rfind("\n", 0, position) + 1 :].partition("\n")[0]


def _line_column(text: str, position: int) -> tuple[int, int]:
    """Line and column, which count from 1."""
    before = text[:position]
    return before.count("\n") + 1, position - before.rfind("\n")
