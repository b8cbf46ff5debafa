"""The time of a trace straight from its lines: without a kernel where the trace has no loops."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dialects.diagnostics import InputError
from interp.host import without_collection
from interp.kinds.pim.timing.clock import BankTime, kernel_time
from interp.kinds.pim.timing.flat import flat_time
from interp.machine.records import Pim
from ndpir.traces import aim, attacc, pimflow
from ndpir.traces.flat import MOST_KINDS, FlatTrace
from ndpir.traces.reading import read_trace
from ndpir.traces.rolling import RolledLoop, Tree, roll

FLAT: Mapping[str, Callable[[str, Pim], FlatTrace | None]] = {
    "aim": aim.flat,
    "attacc": attacc.flat,
    "pimflow": pimflow.flat,
}
"""The reader of flat traces of each format."""
ENDS = {"aim": "AiM EOC\n"}
"""The last line of a trace, for each format that requires one."""

SHORTEST = 256
"""The number of lines from which on a trace may be timed without a kernel: below, a kernel is built as fast."""
WINDOW, PLACES = 384, (0.3, 0.7)
"""The number of lines that are searched for loops, at each of some places given as fractions of the text."""
REGULAR = 3
"""A trace has loops if the lines searched have more commands than their loops by this factor."""


def trace_time(text: str, pim: Pim, file: str = "trace") -> BankTime:
    """Time and energy of a trace, equal to those of its kernel (`read_trace`, `kernel_time`), which is built only if
    the trace has loops, which the clock then skips, or if `flat_time_of` can't time it. Raises InputError, at line and
    column, for a line that is not in the device's format."""
    found = None if has_loops(text, pim) else flat_time_of(text, pim)
    return found or kernel_time(read_trace(text, pim, file), pim)


def flat_time_of(text: str, pim: Pim) -> BankTime | None:
    """Time and energy of a trace without a kernel; None if only its kernel can be timed: because a line is invalid or
    unusual, because the device checks programs for hazards, or because there are too many kinds of commands."""
    if pim.trace not in FLAT or pim.checked:
        return None
    trace = FLAT[pim.trace](text, pim)
    if trace is None or len(trace.kinds) > MOST_KINDS:
        return None
    try:
        with without_collection():
            return flat_time(trace.program(), pim)
    except InputError:  # which `kernel_time` reports at its line
        return None


def has_loops(text: str, pim: Pim) -> bool:
    """True if loops are found in samples of a trace's lines, or if it is short: a guess, which decides how the trace is
    timed, but not the time."""
    if pim.trace not in FLAT or text.count("\n", 0, 64 * SHORTEST) < SHORTEST:
        return True
    commands = loops = 0
    for place in PLACES:
        start = text.find("\n", int(place * len(text))) + 1
        lines = text[start : start + 80 * WINDOW].split("\n")[:-1][:WINDOW]
        end = ENDS.get(pim.trace, "")
        sample = "".join(f"{line}\n" for line in lines if line != end.rstrip())
        if sample and (trace := FLAT[pim.trace](sample + end, pim)) is not None:
            commands += len(trace.codes)
            loops += sum(map(_leaves, roll(trace.codes, trace.numbers)))
    return REGULAR * loops < commands


def _leaves(tree: Tree) -> int:
    """The number of commands in a tree's text."""
    return sum(map(_leaves, tree.body)) if isinstance(tree, RolledLoop) else 1
