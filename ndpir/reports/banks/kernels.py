"""`-t banks`: for each bank program its time, the causes of its waits, its lower limit by the bandwidth of the banks,
and its energy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from dialects.diagnostics import InputError
from dialects.pim import REFRESH, KernelOp
from dialects.task import RunOp
from dialects.text.columns import table
from interp.figures import count, energy, percent, time
from interp.kinds.clock import Clock
from interp.kinds.pim.timing.binding import Unbound, never_issued, unbound
from interp.kinds.pim.timing.clock import CONTROLLER, BankTime, kernel_time
from interp.kinds.pim.timing.waits import logged_waits
from interp.machine.records import Pim
from interp.walk.entry import bank_work
from ndpir.reports.run import Run
from ndpir.reports.target import AnswerTarget


@dataclass(frozen=True)
class StallCause:
    """The cycles of a kernel's slowest channel that are spent waiting for one cause."""

    cause: str
    cycles: int
    share: float
    """The cycles divided by the kernel's time in cycles."""


@dataclass(frozen=True)
class CommandUse:
    """The number and energy of one command of a kernel, or the energy of another cause, summed over all channels, for
    one launch."""

    command: str
    mnemonics: tuple[str, ...]
    """The vendor's names of the command; empty for a cause that is no command."""
    count: int | None
    """The number of commands; null for a cause that is no command."""
    energy_nj: float
    share: float | None
    """The energy divided by that of the launch; null if the launch takes no energy."""


@dataclass(frozen=True)
class UnboundLine:
    """A line of a sheet whose timing constraints delay no command of a kernel."""

    constraint: str
    cycles: tuple[int, ...]
    place: str
    """The location of the line in the sheet."""
    reason: str


@dataclass(frozen=True)
class NeverIssued:
    """The lines of a sheet about commands that a kernel never issues."""

    lines: int
    commands: tuple[str, ...]


@dataclass(frozen=True)
class BankKernel:
    """A bank program. All numbers are those of one launch, without the time that the launch itself takes, except where
    stated."""

    name: str
    on: str
    sheet: str
    launches: int
    """The number of times that the program launches the kernel."""
    channels: int
    all_channels: int
    """The number of channels of the device."""
    cycles: int
    """The cycles of the slowest channel, from its first command until all of its data has arrived."""
    ns: float
    bound: str
    """The cause for which the slowest channel waits the most cycles."""
    limit_ns: float | None
    """The time of the kernel's multiplications if all banks of all channels shared them and issued one every tCCD; null
    if the kernel multiplies nothing."""
    launches_ns: float
    """The time of all launches, including the time that each launch itself takes."""
    launches_energy_nj: float
    """The energy of all launches, idle power included."""
    waits: tuple[StallCause, ...]
    """Cycles of the slowest channel by cause, the largest number first; the wait for the last data comes last."""
    commands: tuple[CommandUse, ...]
    """The commands and the other causes of energy; their energies add up to that of one launch."""
    never_bind: tuple[UnboundLine, ...]
    never_issued: NeverIssued | None


@dataclass(frozen=True)
class BanksAnswer:
    """The bank programs, in the order of their first launch."""

    kernels: tuple[BankKernel, ...]


def banks_answer(run: Run, kernel: str = "") -> BanksAnswer:
    """The bank programs of a run; `kernel`: only this one. Raises InputError if there are none."""
    return BanksAnswer(tuple(bank_kernel(one) for one in kernels_of(run, kernel, "banks")))


def kernels_of(run: Run, kernel: str, target: str) -> list[Launched]:
    """The bank programs that a target shows: all, or the one named `kernel`. Raises InputError if there are none."""
    found = list(launched(run))
    if not found:
        raise InputError(
            f"{target}: nothing of the program runs in the banks of a PIM; place it there (-p place,to-pim), "
            "on a machine that has one",
            run.module,
        )
    selected = [one for one in found if kernel in ("", one.name)]
    if not selected:
        names = ", ".join(one.name for one in found)
        raise InputError(f"{target}: there is no kernel {kernel}; the program has {names}", run.module)
    return selected


@dataclass(frozen=True)
class Launched:
    """A bank program, its number of launches, and the time of one launch."""

    name: str
    device: str
    pim: Pim
    time: BankTime
    launches: int
    kernel: KernelOp

    @property
    def background_nj(self) -> float:
        """The energy of the device's idle power during one launch, without refreshes, which are counted separately."""
        idle = self.pim.idle_w * (self.pim.launch_ns + self.time.ns)  # 1 W for 1 ns is 1 nJ
        return max(idle - self.time.energy_nj.get(REFRESH, 0.0), 0.0)

    @property
    def energy_nj(self) -> dict[str, float]:
        """Energy of one launch by cause, including idle power."""
        return self.time.energy_nj | ({"background": self.background_nj} if self.background_nj else {})


def launched(run: Run) -> Iterator[Launched]:
    """The bank programs of a run in the order of their first launch: kernels by name, and the programs of tasks on a
    PIM. Without a function, each kernel is launched once."""
    clock, times = run.clock, dict[tuple[KernelOp, str], int]()
    for event, iterations, _ in run.timeline.tasks():
        for op in bank_work(event.op) if isinstance(event.op, RunOp) else [event.op]:
            kernel = _kernel_of(op, event.resource, clock)
            if kernel is not None:
                key = kernel, event.resource
                times[key] = times.get(key, 0) + iterations
    for (kernel, device), launches in times.items():
        pim = clock.machine.pim(device, kernel)
        yield Launched(kernel.sym_name.data, device, pim, _attributed(kernel, pim), launches, kernel)


def _attributed(kernel: KernelOp, pim: Pim) -> BankTime:
    """A kernel's time; for a controller that reorders commands, with stall causes from its command log."""
    found = kernel_time(kernel, pim)
    if CONTROLLER not in found.waits:
        return found
    found = replace(found, waits=logged_waits(kernel, pim))
    return found if found.bound == "data bus" else replace(found, bound=next(iter(found.causes), "nothing"))


def _kernel_of(op: Operation, device: str, clock: Clock) -> KernelOp | None:
    program = op if isinstance(op, KernelOp) or device not in clock.machine.devices else clock.kernel_of(op, device)
    return program if isinstance(program, KernelOp) else None


def bank_kernel(one: Launched) -> BankKernel:
    """A bank program as plain data."""
    time = one.time
    lines = unbound(time.slots, one.pim)
    others = [line for line in lines if never_issued(line, time.slots)]
    return BankKernel(
        one.name,
        one.device,
        one.pim.name,
        one.launches,
        time.channels,
        one.pim.channels,
        time.cycles,
        time.ns,
        time.bound,
        time.limit_ns or None,
        one.launches * (one.pim.launch_ns + time.ns),
        one.launches * sum(one.energy_nj.values()),
        tuple(_waits(one)),
        tuple(_commands(one)),
        tuple(_line(line) for line in lines if not never_issued(line, time.slots)),
        _never_issued(others, one) if others else None,
    )


def _waits(one: Launched) -> Iterator[StallCause]:
    causes = one.time.causes
    if one.pim.decoder is None:
        causes.pop("decoder", 0)  # it is spent after the last command
    causes["last data"] = one.time.cycles - sum(causes.values())
    if one.time.bound == "data bus":
        causes["data bus"] = round(one.time.ns / one.pim.cycle_ns) - one.time.cycles
    whole = max(one.time.ns / one.pim.cycle_ns, 1)
    return (StallCause(cause, cycles, cycles / whole) for cause, cycles in causes.items() if cycles)


def _commands(one: Launched) -> Iterator[CommandUse]:
    total = sum(one.energy_nj.values())
    for cause in dict.fromkeys((*one.time.counts, *one.energy_nj)):
        spent, verb = one.energy_nj.get(cause, 0.0), one.pim.verbs.get(cause)
        mnemonics = dict.fromkeys(form.mnemonic for form in verb.forms.values()) if verb else ()
        yield CommandUse(cause, tuple(mnemonics), one.time.counts.get(cause), spent, spent / total if total else None)


def _line(line: Unbound) -> UnboundLine:
    cycles = tuple(dict.fromkeys(constraint.cycles for constraint in line.constraints))
    return UnboundLine(line.words, cycles, line.place, line.why)


def _never_issued(lines: list[Unbound], one: Launched) -> NeverIssued:
    issued = {slot.verb for slot in one.time.slots}
    verbs = (verb for line in lines for each in line.constraints for verb in (each.before, each.after))
    return NeverIssued(len(lines), tuple(verb for verb in dict.fromkeys(verbs) if verb not in issued))


@dataclass(frozen=True)
class BanksTarget(AnswerTarget[BanksAnswer]):
    """Four tables of the program's bank programs; each row begins with the kernel's name.

    First, for one launch: channels that take part, cycles, time (without the launch), the bound, the lower limit by the
    banks' bandwidth (the time if all banks of all channels processed the kernel's columns back to back at the sheet's
    cadence) and the excess of the time over this limit; and time and energy of all launches, launch times and idle
    power included. Then the cycles of the slowest channel by stall cause. Then the commands of all channels, and the
    energy of a launch by cause. At last, the lines of the sheet whose constraints can't delay a command of this kernel,
    with the reason: the kernel issues no such command, or larger gaps dominate. `kernel`: only that kernel. `entry`:
    the function, if it is not `main` or the first one. `json`: the answer as JSON.
    """

    name: ClassVar[str] = "banks"
    kernel: str = ""
    entry: str | None = None

    def answer(self, module: ModuleOp) -> BanksAnswer:
        return banks_answer(Run.of(module, self.entry), self.kernel)

    def text(self, answer: BanksAnswer) -> str:
        kernels = answer.kernels
        return "\n".join(
            (summary_table(kernels), waits_table(kernels), commands_table(kernels), unbound_table(kernels))
        )


def summary_table(kernels: Sequence[BankKernel]) -> str:
    """The first table, with one row per kernel: launches, channels, cycles, times, bound and limit."""
    header = ("kernel", "on", "launches", "channels", "cycles", "time", "bound", "limit", "above limit")
    rows = [
        (
            one.name,
            f"@{one.on} = {one.sheet}",
            str(one.launches),
            f"{one.channels} of {one.all_channels}",
            str(one.cycles),
            time(one.ns),
            one.bound,
            time(one.limit_ns) if one.limit_ns is not None else "none",
            percent(one.ns / one.limit_ns - 1) if one.limit_ns is not None else "",
            time(one.launches_ns),
            energy(one.launches_energy_nj),
        )
        for one in kernels
    ]
    return table((*header, "all launches", "energy"), rows, left=(0, 1, 6))


def waits_table(kernels: Sequence[BankKernel]) -> str:
    """For each kernel, the cycles of its slowest channel by cause."""
    rows = [(one.name, each.cause, str(each.cycles), percent(each.share)) for one in kernels for each in one.waits]
    return table(("kernel", "waits for", "cycles", "of time"), rows, left=(0, 1))


def unbound_table(kernels: Sequence[BankKernel]) -> str:
    """For each kernel, the lines of its sheet whose constraints never delay it; lines for commands that the kernel
    never issues share one row."""
    rows: list[tuple[str, ...]] = []
    for one in kernels:
        for line in one.never_bind:
            rows.append((one.name, line.constraint, " or ".join(map(str, line.cycles)), line.place, line.reason))
        if (others := one.never_issued) is not None:
            absent = f"of commands that it never issues: {', '.join(others.commands)}"
            rows.append((one.name, count(others.lines, "line"), "", "", absent))
    return table(("kernel", "never binds", "cycles", "sheet", "since"), rows, left=(0, 1, 3, 4))


def commands_table(kernels: Sequence[BankKernel]) -> str:
    """For each kernel, its commands with their number, and its energy by cause."""
    rows = [
        (
            one.name,
            each.command,
            " | ".join(each.mnemonics),
            "" if each.count is None else str(each.count),
            energy(each.energy_nj),
            "" if each.share is None else percent(each.share),
        )
        for one in kernels
        for each in one.commands
    ]
    return table(("kernel", "command", "known as", "count", "energy", "of energy"), rows, left=(0, 1, 2))
