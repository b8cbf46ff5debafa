"""`pim`: what each bank is told. Kernels of commands in loops, in the engineer's verbs; nothing is unrolled."""

from xdsl.ir import Dialect

from dialects.pim.bank_commands import ActOp, MacOp, PreOp
from dialects.pim.command import COMMANDS, ColumnsOp, Command, CommandOp, HostOp, ScopedOp, Space
from dialects.pim.host_commands import DrainOp, LoadOp, ReadOp, WriteOp
from dialects.pim.kernel import HOST, KernelOp, LaunchOp, memref_of
from dialects.pim.lane_commands import (
    AddColumnsOp,
    BinaryLaneOp,
    LaneOp,
    MulColumnsOp,
    ReluColumnsOp,
    SubColumnsOp,
    UnaryLaneOp,
)
from dialects.pim.linear import Index, Linear, Subscript
from dialects.pim.loops import ChannelsOp, ForOp

__all__ = [
    "COMMANDS",
    "HOST",
    "ActOp",
    "AddColumnsOp",
    "BinaryLaneOp",
    "ChannelsOp",
    "ColumnsOp",
    "Command",
    "CommandOp",
    "DrainOp",
    "ForOp",
    "HostOp",
    "Index",
    "KernelOp",
    "LaneOp",
    "LaunchOp",
    "Linear",
    "LoadOp",
    "MacOp",
    "MulColumnsOp",
    "PreOp",
    "ReadOp",
    "ReluColumnsOp",
    "ScopedOp",
    "Space",
    "SubColumnsOp",
    "Subscript",
    "UnaryLaneOp",
    "WriteOp",
    "memref_of",
]

Pim = Dialect(
    "pim",
    [
        KernelOp,
        LaunchOp,
        ChannelsOp,
        ForOp,
        LoadOp,
        ActOp,
        MacOp,
        DrainOp,
        PreOp,
        WriteOp,
        ReadOp,
        AddColumnsOp,
        SubColumnsOp,
        MulColumnsOp,
        ReluColumnsOp,
    ],
)
