"""The dialect `pim`: bank programs, which are kernels of DRAM commands in loops; no loop is unrolled."""

from xdsl.ir import Dialect

from dialects.annotations import Annotations
from dialects.launching import memref_of
from dialects.pim.bank_commands import ActOp, MacOp, PreOp
from dialects.pim.column_commands import BufferedColumnsOp, FetchOp, GroupProductOp, StoreOp
from dialects.pim.command import (
    COMMANDS,
    CONTROLLER,
    MODE,
    PREACT,
    REFRESH,
    SYNC,
    ColumnsOp,
    Command,
    CommandOp,
    HostOp,
    ScopedOp,
    Space,
    Use,
)
from dialects.pim.decoder_commands import BarrierOp, SetOp, StepOp
from dialects.pim.host_commands import DrainOp, LoadOp, ReadOp, TransferOp, WriteOp
from dialects.pim.kernel import HOST, KernelOp, LaunchOp
from dialects.pim.lane_commands import (
    AddColumnsOp,
    BinaryLaneOp,
    LaneOp,
    MulColumnsOp,
    ReluColumnsOp,
    SubColumnsOp,
    UnaryLaneOp,
)
from dialects.pim.loops import ChannelsOp, ForOp
from dialects.pim.plan import ANNOTATIONS, PLAN, LanesAttr, MappingAttr
from dialects.pim.softmax_commands import CollectOp, SoftmaxOp, SpreadOp
from dialects.pim.subscripts import Subscript
from dialects.pim.unit_commands import ActivatedOp, ActivateOp, BiasOp
from dialects.programs.index import Index, Linear

__all__ = [
    "COMMANDS",
    "CONTROLLER",
    "HOST",
    "MODE",
    "PLAN",
    "PREACT",
    "REFRESH",
    "SYNC",
    "ActOp",
    "ActivateOp",
    "ActivatedOp",
    "AddColumnsOp",
    "BarrierOp",
    "BiasOp",
    "BinaryLaneOp",
    "BufferedColumnsOp",
    "ChannelsOp",
    "CollectOp",
    "ColumnsOp",
    "Command",
    "CommandOp",
    "DrainOp",
    "FetchOp",
    "ForOp",
    "GroupProductOp",
    "HostOp",
    "Index",
    "KernelOp",
    "LaneOp",
    "LanesAttr",
    "LaunchOp",
    "Linear",
    "LoadOp",
    "MacOp",
    "MappingAttr",
    "MulColumnsOp",
    "PreOp",
    "ReadOp",
    "ReluColumnsOp",
    "ScopedOp",
    "SetOp",
    "SoftmaxOp",
    "Space",
    "SpreadOp",
    "StepOp",
    "StoreOp",
    "SubColumnsOp",
    "Subscript",
    "TransferOp",
    "UnaryLaneOp",
    "Use",
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
        BiasOp,
        ActivateOp,
        ActivatedOp,
        GroupProductOp,
        FetchOp,
        StoreOp,
        CollectOp,
        SoftmaxOp,
        SpreadOp,
        SetOp,
        BarrierOp,
        StepOp,
    ],
    [LanesAttr, MappingAttr],
    [Annotations(*ANNOTATIONS)],
)
