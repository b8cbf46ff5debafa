"""Plugin with a new PIM command: a class with the command's syntax and resources, and its effect on data; see
README.md.

Sheets can then list the command, as `verb_sheets/toy_fold.sheet` does. Kernels with it are parsed and printed, rejected
if a sum that it reads was not computed, timed, shown by `-t banks`, and executed on numbers.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Dialect
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.universe import Universe

from dialects.pim.command import Command, ScopedOp
from dialects.pim.form import IndexPart, ScopePart, TextPart
from dialects.programs.properties import INTS
from interp.kinds.pim.values.memory import ChannelPart
from interp.kinds.pim.values.run import Action, effect
from interp.kinds.pim.values.state import ChannelNumbers, Values
from interp.kinds.pim.values.units import taken


@irdl_op_definition
class FoldOp(ScopedOp):
    """Add accumulator `from` of the addressed banks to accumulator `into` (0) of the same banks, in f32.

    Accumulator `from` is then in the state after a `pim.drain`.

    ```mlir
    verb.fold all from 1 into 0
    ```
    """

    name = "verb.fold"
    COMMAND: ClassVar[Command] = Command("fold", "add one accumulator to another", bound="folds")
    FORM: ClassVar[tuple[TextPart, ...]] = (
        ScopePart(),
        IndexPart("from", "source", "accumulator", "takes", needed=True),
        IndexPart("into", "accumulator", "accumulator", "adds to"),
    )
    source = prop_def(INTS)
    accumulator = prop_def(INTS)


@effect(FoldOp)
def fold(state: ChannelNumbers, op: FoldOp, part: ChannelPart) -> Action:
    banks, source, target = state.banks_of(op), op.linear("source"), op.linear("accumulator")

    def run(values: Values) -> None:
        reached = banks(values)
        into, here = target.at(values), (part.at, reached)
        state.sums[into][here] += taken(state, op, part, source.at(values), reached, state.pim.drain_clears)
        state.holds[into][here] = state.unread[into][here] = True

    return run


UNIVERSE = Universe(all_dialects={"verb": lambda: Dialect("verb", [FoldOp])})
SHEETS = "verb_sheets"
