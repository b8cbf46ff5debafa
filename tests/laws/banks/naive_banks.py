"""Plain interpreter of bank programs that open and close rows themselves: it executes every cycle and every command."""

from __future__ import annotations

from dataclasses import dataclass, field

from interp.kinds.pim.program import Issue, Slot, Step
from interp.machine.records import Pim
from tests.laws.banks.naive_constraints import History, banks

PRECHARGE, REFRESH = Slot("pre"), Slot("refresh")


def flat(steps: tuple[Step, ...]) -> list[Slot]:
    """The commands of a program in the order of execution, with all loops unrolled."""
    commands: list[Slot] = []
    for step in steps:
        inner = [step.slot] if isinstance(step, Issue) else flat(step.body)
        commands += inner * step.times
    return commands


@dataclass
class Rows:
    """The state of a channel's rows: for each open bank, the activate that opened its row; and for each bank whose row
    a refresh closed, the activate that must be repeated."""

    pim: Pim
    opened: dict[int, Slot] = field(default_factory=dict[int, Slot])
    lost: dict[int, Slot] = field(default_factory=dict[int, Slot])

    def after(self, command: Slot) -> None:
        reached = banks(command.scope, command.unit, self.pim)
        if command.verb in ("act", "pre"):
            self.lost = {bank: act for bank, act in self.lost.items() if bank not in reached}
            self.opened = {bank: act for bank, act in self.opened.items() if bank not in reached}
        if command.verb == "act":
            self.opened |= dict.fromkeys(reached, command)

    def close_for_refresh(self) -> None:
        if self.pim.refresh is not None and self.pim.refresh.reopens:
            self.lost |= self.opened
        self.opened = {}

    def to_open_again(self, command: Slot) -> Slot | None:
        """The first activate that must precede a command, since a refresh closed a row of one of its banks; None if
        there is none."""
        if command.command.row != "uses":
            return None
        acts: list[Slot] = []
        for bank in banks(command.scope, command.unit, self.pim) & set(self.lost):
            act = self.lost[bank]
            whole = all(self.lost.get(other) == act for other in banks(act.scope, act.unit, self.pim))
            acts.append(act if whole else Slot("act", "bank", bank))
        return min(acts, key=lambda act: min(banks(act.scope, act.unit, self.pim)), default=None)


def cycle_by_cycle(
    commands: list[Slot], pim: Pim, log: list[tuple[int, Slot]] | None = None
) -> tuple[int, dict[str, int]]:
    """The cycles of one channel from the first command (cycle 1) until all data has arrived and no refresh is due, and
    the number of commands by verb. `log` receives all commands with their cycles."""
    history, rows = History(pim), Rows(pim)
    counts: dict[str, int] = {}
    cycle = at = waiting = free = last = drained = 0
    serving = False  # whether refreshes that wait may come now
    while True:
        cycle += 1
        if pim.refresh is not None and cycle % pim.refresh.interval == 0:
            waiting += 1
        if cycle >= free:
            if waiting == 0:
                serving = False
            elif at == len(commands) or (pim.refresh is not None and not pim.refresh.served_after):
                serving = True
            again = None
            if serving:
                command = PRECHARGE if rows.opened else REFRESH
            elif at < len(commands):
                again = rows.to_open_again(commands[at])
                command = again or commands[at]
            else:
                command = None
            if command is not None and history.allows(cycle, command):
                history.add(cycle, command)
                if log is not None:
                    log.append((cycle, command))
                counts[command.verb] = counts.get(command.verb, 0) + 1
                free = cycle + pim.command_cycles
                last = free - 1
                if command.command.delivers:
                    drained = cycle + pim.end_cycles
                if serving and command == PRECHARGE:
                    rows.close_for_refresh()
                elif serving:
                    waiting -= 1
                else:
                    rows.after(command)
                if not serving and again is None:
                    at += 1
                    serving = pim.refresh is not None and command.verb in pim.refresh.served_after
        if at == len(commands) and waiting == 0 and cycle >= max(last, drained):
            return cycle, counts
