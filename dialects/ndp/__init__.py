"""The dialect `ndp`: programs of near-data units. A program is a sequence of phases, each of which streams elements of
memories through arithmetic, written as graph ops."""

from xdsl.ir import Dialect

from dialects.annotations import Annotation, Annotations
from dialects.launching import memref_of
from dialects.ndp.instructions import (
    AllocOp,
    BarrierOp,
    CombineOp,
    FilterOp,
    JoinOp,
    LoadOp,
    ReduceOp,
    StoreOp,
)
from dialects.ndp.plan import OUTPUTS, OutputsAttr
from dialects.ndp.program import LaunchOp, ProgramOp
from dialects.task.run import RunOp

__all__ = [
    "OUTPUTS",
    "AllocOp",
    "BarrierOp",
    "CombineOp",
    "FilterOp",
    "JoinOp",
    "LaunchOp",
    "LoadOp",
    "Ndp",
    "OutputsAttr",
    "ProgramOp",
    "ReduceOp",
    "StoreOp",
    "memref_of",
]

Ndp = Dialect(
    "ndp",
    [ProgramOp, LaunchOp, FilterOp, AllocOp, LoadOp, StoreOp, ReduceOp, CombineOp, BarrierOp, JoinOp],
    [OutputsAttr],
    [
        Annotations(
            Annotation(
                OUTPUTS,
                "stores several results in one phase, or each in a phase of its own",
                "task.run and ndp.program",
                (RunOp, ProgramOp),
                kinds=(OutputsAttr,),
                example="#ndp.outputs<together>",
            )
        )
    ],
)
