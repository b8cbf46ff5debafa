"""A plugin with passes that change results on purpose, to test `--check`."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.universe import Universe

from dialects.graph import AddOp, CosOp, SinOp, SubOp


@dataclass(frozen=True)
class AddsWronglyPass(ModulePass):
    """A wrong pass that replaces sums by differences."""

    name = "adds-wrongly"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in list(op.walk()):
            if isinstance(each, AddOp):
                Rewriter.replace_op(each, SubOp(each.a, each.b))


@dataclass(frozen=True)
class SinesWronglyPass(ModulePass):
    """A wrong pass that replaces sines by cosines."""

    name = "sines-wrongly"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in list(op.walk()):
            if isinstance(each, SinOp):
                Rewriter.replace_op(each, CosOp(each.x))


UNIVERSE = Universe(
    all_passes={"adds-wrongly": lambda: AddsWronglyPass, "sines-wrongly": lambda: SinesWronglyPass},
)
