"""The decoder, which distributes instructions to the queues of all channels, one per cycle; the fullest queue stalls
it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from interp.kinds.pim.timing.requests.in_order import InOrder
from interp.kinds.pim.timing.requests.layout import BARRIER
from interp.kinds.pim.timing.requests.queues import Want
from interp.kinds.pim.timing.requests.request import Request


class Instruction(NamedTuple):
    """An instruction: for one channel of each class that receives it, the command (`wants`), which each of these
    channels executes `times` times. `host`: True for an ordinary access; `awaited`: True if the decoder waits for
    the completion of the commands."""

    wants: tuple[tuple[InOrder, Want], ...]
    times: int
    host: bool
    awaited: bool


class Feed:
    """Feeds instructions to the channels. `at`: the index of the instruction being decoded."""

    def __init__(
        self, requests: Sequence[Request], channels: Sequence[InOrder], of: dict[int, int], waits: tuple[str, ...]
    ) -> None:
        known: dict[Request, Instruction] = {}
        self.instructions: list[Instruction] = []
        for request in requests:
            if (found := known.get(request)) is None:
                chosen = [channels[index] for index in dict.fromkeys(of[number] for number in request.channels)]
                found = known[request] = Instruction(
                    tuple((channel, channel.want(request)) for channel in chosen),
                    request.times,
                    request.host,
                    request.verb in waits or request.verb == BARRIER,
                )
            self.instructions.append(found)
        self.channels = channels
        self.at = 0
        self.spilling = False
        """True if requests that were sent wait for room in the queue of some channel."""
        self.awaited = 0
        """The number of commands whose completion the decoder waits for."""

    @property
    def ended(self) -> bool:
        return self.at >= len(self.instructions)

    def step(self, now: int) -> bool:
        """Executes one cycle of the decoder. Returns True if the decoder may proceed in the next cycle."""
        spilled, held = self.spilling, False
        for channel in self.channels if spilled else ():
            while channel.spill:
                want, count, host, awaited = channel.spill[0]
                taken = channel.take(want, count, host, awaited, now)
                if taken < count:
                    channel.spill[0] = want, count - taken, host, awaited
                    held = True
                    break
                channel.spill.popleft()
        self.spilling = held
        if self.awaited:
            return False
        if spilled:
            if not held:
                self.at += 1
            return not held
        if self.ended:
            return False
        self._decode(self.instructions[self.at], now)
        return not self.awaited and not self.spilling

    def _decode(self, instruction: Instruction, now: int) -> None:
        placed = True
        for channel, want in instruction.wants:
            taken = channel.take(want, instruction.times, instruction.host, instruction.awaited, now)
            if taken < instruction.times:
                channel.spill.append((want, instruction.times - taken, instruction.host, instruction.awaited))
                placed, self.spilling = False, True
            if instruction.awaited:
                self.awaited += instruction.times
        if not self.awaited and placed:
            self.at += 1

    def answer(self, count: int) -> None:
        """Records `count` further completions of commands that the decoder waits for."""
        self.awaited -= count
        if not self.awaited:
            self.at += 1

    def next(self, now: int) -> bool:
        """True if the decoder can process an instruction in the next cycle."""
        if self.spilling and (waiting := [channel for channel in self.channels if channel.spill]):
            return any(not channel.refuses(channel.spill[0][2]) and channel.ahead <= now for channel in waiting)
        return not self.awaited and not self.ended
