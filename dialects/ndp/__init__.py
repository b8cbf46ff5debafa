"""The dialect `ndp`: what near-data units are told. A program streams the elements of memories through arithmetic, one
phase after the other; graph ops in it are that arithmetic."""

from xdsl.ir import Dialect

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
)
