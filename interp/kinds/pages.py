"""Data sheets as text for people: all fields and commands of a device, derived numbers, and the source of each
number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from dialects.files import read_regular
from dialects.hw import SheetOp
from dialects.text.columns import aligned
from interp.kinds.pim.program import Slot
from interp.kinds.pim.timing.constraints import least
from interp.machine.composition import machine_ops
from interp.machine.engine import Engine
from interp.machine.records import VERBS, Gpu, Link, Pim, Verb, VerbForm, constraint_text
from interp.machine.sheets.fields import ALL, KINDS, REFRESHED_ROWS, SCHEDULER, YES_NO, Field, Record
from interp.machine.sheets.files import find_machine, load
from interp.units import digits, in_unit


def describe_device(record: Record) -> str:
    """The text of a page about the sheet of a device or link: one number per line, sources as numbered notes at the
    end."""
    notes = _Notes()
    parts = [
        f"{record.name} : {record.kind}",
        *([f"  {record.description}"] if record.description else []),
        f"  from {record.file}",
        *_block("", _fields(record, notes)),
    ]
    if isinstance(record, Gpu):
        parts += _block("peak rates", _rates(record, notes))
        parts += _block("submission and energy", _lists(record, notes))
    if isinstance(record, Pim):
        parts += _block("timing parameters", _timing(record, notes))
        parts += _block("verbs", _verbs(record, notes))
        parts += _block("gaps, in cycles", _constraints(record, notes))
    parts += _block("derived", derived(record))
    if isinstance(record, Gpu) and record.model == "kernels":
        from interp.kinds.gpu.constants.page import constants_page

        parts += constants_page(record)
    parts += ["", "sources", *notes.lines()]
    return "\n".join(line.rstrip() for line in parts) + "\n"


def describe(name_or_path: str, changes: Mapping[str, int | float | str] | None = None) -> str:
    """The text of a page about a device, link or machine: for a machine its file, followed by the page of each sheet
    that it names. `changes` replace values of a device or link.

    Raises InputError if there is no device, link or machine of that name.
    """
    path = find_machine(name_or_path)
    if path is None:
        return describe_device(load(name_or_path, changes or {}))
    ops = [op for op in machine_ops(name_or_path) if isinstance(op, SheetOp)]
    records = [load(op.sheet.data, op.changed(), op) for op in ops]
    text = read_regular(path, "a machine is a few hw ops").decode().rstrip()
    return "\n".join([f"// {path}\n{text}\n", *(describe_device(record) for record in records)])


def derived(record: Record) -> list[tuple[str, str, str]]:
    """Numbers that are computed from those of a sheet, as (name, value as text, ""), the form of the rows of a page."""
    match record:
        case Gpu():
            best = max([*record.rates.values(), *record.matrix_rates.values()])
            return [("flops per byte at the ridge", digits(best / record.bandwidth), "")]
        case Pim():
            macs = record.channels * _banks_per_cycle(record) * record.lanes * record.clock_hz
            inside = macs * record.row_bytes / (record.columns * record.lanes)
            return [
                ("cycle", in_unit(record.cycle_ns, "ns"), ""),
                ("banks per channel", str(record.banks_per_channel), ""),
                ("bytes per row of one bank", in_unit(record.row_bytes, "B"), ""),
                ("capacity", in_unit(record.memory_bytes, "B"), ""),
                ("peak multiply-accumulates", in_unit(macs, "FLOP/s").replace("FLOP", "MAC"), ""),
                ("peak operations", in_unit(2 * macs, "FLOP/s"), ""),
                ("bandwidth inside the banks", in_unit(inside, "B/s"), ""),
                ("bandwidth of all data buses", in_unit(record.channels * record.bus_bandwidth, "B/s"), ""),
                ("idle power of all channels, including refreshes", in_unit(record.idle_w, "W"), ""),
            ]
        case Link():
            if record.channel_bandwidth:
                return []
            return [("bytes moved per latency", in_unit(record.bandwidth * record.latency_ns / 1e9, "B"), "")]
        case Engine():
            return [(f"host's time of a step of {n}", in_unit(record.host_ns(n, 0), "ns"), "") for n in (1, 64)]
        case _:
            return [("idle power", in_unit(record.idle_w, "W"), "")]


def _banks_per_cycle(pim: Pim) -> float:
    """The maximum number of banks of a channel that multiply one column each, per cycle; 0 for a device without
    multiply commands."""
    verb = pim.verbs.get("mac")
    rates: list[float] = [0.0]
    for scope in verb.scopes if verb is not None else ():
        first = Slot("mac", scope)
        distance = min(least(pim, first, Slot("mac", scope, unit)) for unit in range(pim.units(scope)))
        rates.append(len(first.banks(pim)) / max(distance, pim.command_cycles))
    return max(rates)


class _Notes:
    """The sources that a page refers to, numbered in the order of their first use."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def of(self, source: str | None) -> str:
        """The text after a number that refers to its source, such as `= formula [3]`; empty without a source."""
        if not source:
            return ""
        formula, _, text = source.partition("; ") if source.startswith("= ") else ("", "", source)
        number = self.numbers.setdefault(text, len(self.numbers) + 1)
        return f"{formula} [{number}]".strip()

    def lines(self) -> Iterator[str]:
        for text, number in self.numbers.items():
            yield f"  [{number}] {text}"


Row = tuple[str, str, str]


def _block(heading: str, rows: Iterable[Row]) -> list[str]:
    found = list(rows)
    if not found:
        return []
    return ["", *([heading] if heading else []), *aligned(found, indent="  ")]


def _fields(record: Record, notes: _Notes) -> Iterator[Row]:
    if (profile := record.profile) is not None:
        yield (
            "profile",
            f"{profile.file} ({len(profile.rows)} ops, {len(profile.copies)} copies)",
            "preferred to the numbers below",
        )
    for field in KINDS[record.kind].fields:
        name = field.path.replace(".", " ").replace("_", " ")
        yield name, _value(record, field), notes.of(record.sources.get(field.path, "default"))
    if isinstance(record, Pim):
        if record.variant_of:
            yield "variant of", record.variant_of, notes.of(record.sources.get("variant"))
        refresh = record.refresh
        text = "none"
        if refresh is not None:
            then = next(word for word, reopens in REFRESHED_ROWS.items() if reopens == refresh.reopens)
            when = f"after {' or '.join(refresh.served_after)}" if refresh.served_after else "at once"
            text = f"every {refresh.interval} cycles, {when}, then {then}"
        yield "refresh", text, notes.of(record.sources.get("refresh"))
        if record.unlimited:
            yield "unlimited", ", ".join(map(" ".join, record.unlimited)), notes.of(record.sources.get("unlimited"))
        if (decoder := record.decoder) is not None:
            text = f"queue {decoder.queue}, waits for {' and '.join(decoder.waits) or 'nothing'}"
            yield "decoder", text, notes.of(record.sources.get("decoder"))
        if record.sync:
            yield "sync before", ", ".join(record.sync), notes.of(record.sources.get("sync"))
        if (scheduler := record.scheduler) is not None:
            for field in SCHEDULER:
                name = field.path.replace(".", " ")
                yield name, _shown(getattr(scheduler, field.attribute), field), notes.of(record.sources.get(field.path))


def _value(record: Record, field: Field) -> str:
    if field.other is not None and (other := getattr(record, field.other[1])):
        return in_unit(other, field.other[0])
    return _shown(getattr(record, field.attribute), field)


def _shown(value: object, field: Field) -> str:
    match value:
        case bool():
            return _word(field, value)
        case str():
            return value or "none"
        case tuple():
            return ", ".join(cast("tuple[str, ...]", value)) or "none"
        case int() if field.unit == "threads":
            return str(value or ALL)
        case float() if field.unit == "factor":
            return digits(value)
        case 0 if not field.zero and field.default == 0:
            return "not stated"
        case _:
            return in_unit(cast(float, value), field.unit)


def _word(field: Field, value: object) -> str:
    """The word by which a sheet states the boolean `value` of a field."""
    return next(word for word, held in (field.words or {}).items() if held is value)


def _rates(record: Gpu, notes: _Notes) -> Iterator[Row]:
    for section, rates in (("rate", record.rates), ("matrix", record.matrix_rates)):
        for element, rate in rates.items():
            yield f"{section} {element}", in_unit(rate, "FLOP/s"), notes.of(record.sources.get(f"{section}.{element}"))


def _lists(record: Gpu, notes: _Notes) -> Iterator[Row]:
    """Rows of a page for those numbers of a sheet that are stated by submission mode or by element type, except
    rates."""
    for way, ns in record.dispatch_ns.items():
        yield f"dispatch {way}", in_unit(ns, "ns"), notes.of(record.sources.get(f"dispatch.{way}"))
    for element, pj in record.flop_pjs.items():
        yield f"energy {element}", in_unit(pj, "pJ/flop"), notes.of(record.sources.get(f"energy.{element}"))


def _timing(record: Pim, notes: _Notes) -> Iterator[Row]:
    for name, cycles in record.timing.items():
        time = in_unit(cycles * record.cycle_ns, "ns")
        yield name, f"{cycles:>5} cycles  {time:>9}", notes.of(record.sources.get(f"timing.{name}"))


def _verbs(record: Pim, notes: _Notes) -> Iterator[Row]:
    for verb in record.verbs.values():
        energy = f"energy.{verb.name}"
        source = record.sources.get(energy) or record.sources.get(f"verb {verb.name}")
        shown = "no energy given"
        if energy in record.sources:
            shown = f"{digits(verb.bank_nj)} nJ/bank" if verb.bank_nj else f"{digits(verb.energy_nj)} nJ"
        mode = f"mode {verb.mode}" if verb.mode else ""
        yield verb.name, f"{_forms(verb):<31} {shown} {mode}".rstrip(), notes.of(source)


def _forms(verb: Verb) -> str:
    """The forms of a verb as a sheet writes them; scopes with the same mnemonic and latency are written in one form."""
    scopes: dict[VerbForm, list[str]] = {}
    for scope, form in verb.forms.items():
        scopes.setdefault(form, []).append(scope)
    return ", ".join(
        f"{form.mnemonic:<10} {' | '.join(where)}"
        + (f" latency {form.latency}" if form.latency else "")
        + (" closes" if form.closes else " rowless" if form.rowless else "")
        for form, where in scopes.items()
    )


def _constraints(record: Pim, notes: _Notes) -> Iterator[Row]:
    for constraint in record.constraints:
        name = constraint_text(constraint)
        yield name.removeprefix("gap "), f"{constraint.cycles:>5}", notes.of(record.sources.get(name))


def field_tables() -> str:
    """The fields of each kind of sheet, as Markdown tables for docs/sheets.md."""
    parts: list[str] = []
    for heading, kind in (
        ("gpu, cpu", KINDS["gpu"]),
        ("pim", KINDS["pim"]),
        ("ndp", KINDS["ndp"]),
        ("memory", KINDS["memory"]),
        ("link", KINDS["link"]),
        ("engine", KINDS["engine"]),
    ):
        parts += [f"### {heading}", "", "| as written | meaning | default |", "|---|---|---|"]
        for field in kind.words:
            default = "required" if field.default is None else _default(field)
            words = f" ({', '.join(field.words)})" if field.words and field.words is not YES_NO else ""
            parts.append(f"| `{field.example}` | {field.meaning}{words} | {default} |")
        for section in kind.sections:
            names = f" ({', '.join(section.keys)})" if section.keys else ""
            needed = f"`{section.needed[0]}` required" if section.needed else "none"
            parts.append(f"| `{section.example}` | {section.meaning}, by name{names} | {needed} |")
        if kind is KINDS["pim"]:
            parts += _COMMAND_ROWS
        parts.append("")
    parts += ["### Verbs", "", "| verb | effect | open row | flops per lane | sends data to the host |"]
    parts.append("|---|---|---|---|---|")
    for verb, command in VERBS.items():
        brings = "yes" if command.delivers else ""
        parts.append(f"| `{verb}` | {command.meaning} | {_TO_ROW[command.row]} | {command.flops or ''} | {brings} |")
    return "\n".join(parts).rstrip() + "\n"


_TO_ROW = {
    "leaves": "leaves it",
    "opens": "opens it",
    "closes": "closes it",
    "uses": "uses it",
    "table": "uses its table's",
}
_COMMAND_ROWS = (
    "| `verb write = WR scope bank latency 8, WRA16 scope all latency 40 closes` | a command: one of the verbs below, "
    "its forms by scope; cycles until completion; whether it closes rows | at least one; 0; no |",
    "| `verb load = WRGB scope all mode register` | the mode in which the channel accepts it | none |",
    "| `gap bank: act -> mac  tRCD` | minimum cycles between two commands | some are required; none |",
    "| `gap rank: act bank -> act bank  tFAW  window 4` | the same, counted from the fourth last `act`, for these "
    "scopes only | window 1; any scope |",
    "| `refresh every tREFI after drain then reopen` | refresh, the commands after which it may issue (without them, "
    "at once), and the fate of the rows that it closes (reopen, forget) | none; then reopen |",
    "| `variant of aim` | the device of which this is a published simulator's timing variant (see `-t "
    "timing-variants`) | none |",
    "| `decoder queue 33 waits drain` | decoder that sends one instruction per cycle to all channels: capacity of a "
    "channel's queue in commands, and verbs that it waits for | none |",
    "| `unlimited act all` | forms that open rows and to which no limit on activates applies (tRRD, tFAW), though "
    "limits apply to others | none |",
    "| `alone pre same` | forms that never issue in the same cycle as another command | none |",
    "| `spreads mac same` | forms whose bank-level gaps apply in all banks that they address | none |",
    "| `strays mac twin` | forms whose bank-level gaps also apply at a wrong address: the pseudo-channel's number "
    "taken as the rank's, the rank's as the group's | none |",
    "| `reach pre same as twin` | a form that opens or closes rows of another scope | none |",
    "| `sync load` | verbs before which the controller synchronises the data clock | none |",
)


def _default(field: Field) -> str:
    if isinstance(field.default, bool):
        return _word(field, field.default)
    if field.unit == "threads":
        return _shown(field.default, field)
    if field.default in (0, ()) and not field.zero:
        return "none"
    return (
        in_unit(field.default, field.unit) if isinstance(field.default, int | float) else str(field.default) or "none"
    )
