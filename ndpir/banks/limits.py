"""`-t banks`: time of each bank program, its stall causes, its distance from the bandwidth of the banks, and its
energy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import IO, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.target import Target

from dialects.diagnostics import InputError
from dialects.pim import REFRESH, KernelOp
from dialects.task import RunOp
from interp.banks.checks.binding import Unbound, never_issued, unbound
from interp.banks.timing.clock import CONTROLLER, BankTime, kernel_time
from interp.banks.timing.waits import logged_waits
from interp.cost.clock import Clock
from interp.figures import count, energy, percent, table, time
from interp.machine.records import Pim
from interp.program.entry import bank_work
from interp.schedule.simulation import simulate
from lowering.banks.templates import clock_for


@dataclass(frozen=True)
class BanksTarget(Target):
    """Four tables of the program's bank programs; each row begins with the kernel's name.


    First, for one launch: channels that take part, cycles, time (without the launch), the bound, the lower limit by the
    banks' bandwidth (its columns in all banks of all channels, back to back at the sheet's cadence) and the excess over
    it; and time and energy of all launches, launch times and idle power included. Then the cycles of the slowest
    channel by stall cause. Then the commands of all channels, and the energy of a launch by cause. At last, the lines
    of the sheet whose constraints can't delay a command of this kernel, with the reason: it issues no such command, or
    larger gaps dominate. `kernel`: only that kernel. `entry`: the function, if it is not `main` or the first one.
    """

    name: ClassVar[str] = "banks"
    NEEDS_MACHINE: ClassVar[bool] = True
    kernel: str = ""
    entry: str | None = None

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        shown = kernels_of(module, clock_for(module), self.entry, self.kernel, self.name)
        output.write("\n".join((summary_table(shown), waits_table(shown), commands_table(shown), unbound_table(shown))))


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
    def ns(self) -> float:
        """Time of all launches."""
        return self.launches * (self.pim.launch_ns + self.time.ns)

    @property
    def background_nj(self) -> float:
        """Idle power of the device for one launch, without refreshes, which are counted separately."""
        idle = self.pim.idle_w * (self.pim.launch_ns + self.time.ns)  # 1 W for 1 ns is 1 nJ
        return max(idle - self.time.energy_nj.get(REFRESH, 0.0), 0.0)

    @property
    def energy_nj(self) -> dict[str, float]:
        """Energy of one launch by cause, including background."""
        return self.time.energy_nj | ({"background": self.background_nj} if self.background_nj else {})


def kernels_of(module: ModuleOp, clock: Clock, entry: str | None, kernel: str, target: str) -> list[Launched]:
    """The bank programs that a target shows: all, or the one named `kernel`. Raises InputError if there are none."""
    found = list(launched(module, clock, entry))
    if not found:
        raise InputError(
            f"{target}: nothing of the program runs in the banks of a PIM; place it there (-p place,to-pim), "
            "on a machine that has one",
            module,
        )
    shown = [one for one in found if kernel in ("", one.name)]
    if not shown:
        known = ", ".join(one.name for one in found)
        raise InputError(f"{target}: there is no kernel {kernel}; the program has {known}", module)
    return shown


def launched(module: ModuleOp, clock: Clock, entry: str | None = None) -> Iterator[Launched]:
    """The bank programs of a program in the order of their first launch: kernels by name, and the programs
    of tasks on a PIM. Without a function, each kernel is launched once."""
    times: dict[tuple[KernelOp, str], int] = {}
    for event, iterations, _ in simulate(module, clock, entry).tasks():
        for op in bank_work(event.op) if isinstance(event.op, RunOp) else [event.op]:
            kernel = _kernel_of(op, event.resource, clock)
            if kernel is not None:
                key = kernel, event.resource
                times[key] = times.get(key, 0) + iterations
    for (kernel, device), launches in times.items():
        pim = clock.machine.pim(device, kernel)
        yield Launched(kernel.sym_name.data, device, pim, _told(kernel, pim), launches, kernel)


def _told(kernel: KernelOp, pim: Pim) -> BankTime:
    """A kernel's time; for a controller that reorders commands, with stall causes from its command log."""
    found = kernel_time(kernel, pim)
    if CONTROLLER not in found.waits:
        return found
    found = replace(found, waits=logged_waits(kernel, pim))
    return found if found.bound == "data bus" else replace(found, bound=next(iter(found.causes), "nothing"))


def _kernel_of(op: Operation, device: str, clock: Clock) -> KernelOp | None:
    program = op if isinstance(op, KernelOp) or device not in clock.machine.devices else clock.kernel_of(op, device)
    return program if isinstance(program, KernelOp) else None


def summary_table(kernels: list[Launched]) -> str:
    """One row per kernel."""
    header = ("kernel", "on", "launches", "channels", "cycles", "time", "bound", "limit", "above limit")
    rows = [
        (
            one.name,
            f"@{one.device} = {one.pim.name}",
            str(one.launches),
            f"{one.time.channels} of {one.pim.channels}",
            str(one.time.cycles),
            time(one.time.ns),
            one.time.bound,
            time(one.time.limit_ns) if one.time.limit_ns else "none",
            percent(one.time.ns / one.time.limit_ns - 1) if one.time.limit_ns else "",
            time(one.ns),
            energy(one.launches * sum(one.energy_nj.values())),
        )
        for one in kernels
    ]
    return table((*header, "all launches", "energy"), rows, left=(0, 1, 6))


def waits_table(kernels: list[Launched]) -> str:
    """For each kernel, the cycles of its slowest channel by cause."""
    rows: list[tuple[str, ...]] = []
    for one in kernels:
        causes = one.time.causes
        if one.pim.decoder is None:
            causes.pop("decoder", 0)  # it is spent after the last command
        causes["last data"] = one.time.cycles - sum(causes.values())
        if one.time.bound == "data bus":
            causes["data bus"] = round(one.time.ns / one.pim.cycle_ns) - one.time.cycles
        whole = max(one.time.ns / one.pim.cycle_ns, 1)
        rows += [(one.name, cause, str(cycles), percent(cycles / whole)) for cause, cycles in causes.items() if cycles]
    return table(("kernel", "waits for", "cycles", "of time"), rows, left=(0, 1))


def unbound_table(kernels: list[Launched]) -> str:
    """For each kernel, the lines of its sheet that never bind; lines for commands it never issues share one row."""
    rows: list[tuple[str, ...]] = []
    for one in kernels:
        others: list[Unbound] = []
        for line in unbound(one.time.slots, one.pim):
            if never_issued(line, one.time.slots):
                others.append(line)
                continue
            cycles = " or ".join(dict.fromkeys(str(constraint.cycles) for constraint in line.constraints))
            rows.append((one.name, line.words, cycles, line.place, line.why))
        if others:
            issued = {slot.verb for slot in one.time.slots}
            verbs = dict.fromkeys(
                v for line in others for constraint in line.constraints for v in (constraint.before, constraint.after)
            )
            absent = ", ".join(verb for verb in verbs if verb not in issued)
            rows.append((one.name, count(len(others), "line"), "", "", f"of commands that it never issues: {absent}"))
    return table(("kernel", "never binds", "cycles", "sheet", "since"), rows, left=(0, 1, 3, 4))


def commands_table(kernels: list[Launched]) -> str:
    """For each kernel, its commands and energy by cause."""
    rows: list[tuple[str, ...]] = []
    for one in kernels:
        causes = dict.fromkeys((*one.time.counts, *one.energy_nj))
        total = sum(one.energy_nj.values())
        for cause in causes:
            spent = one.energy_nj.get(cause, 0.0)
            verb = one.pim.verbs.get(cause)
            words = " | ".join(dict.fromkeys(form.mnemonic for form in verb.forms.values())) if verb else ""
            issued = str(one.time.counts.get(cause, ""))
            rows.append((one.name, cause, words, issued, energy(spent), percent(spent / total) if total else ""))
    return table(("kernel", "command", "known as", "count", "energy", "of energy"), rows, left=(0, 1, 2))
