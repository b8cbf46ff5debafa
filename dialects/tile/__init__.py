"""Dialect `tile`: the program of a GPU's thread blocks. It has buffers with a scope, loops over tiles, synchronous and
asynchronous copies, matrix instructions, and barriers and waits that synchronise threads.
"""

from xdsl.ir import Dialect

from dialects.annotations import Annotations
from dialects.launching import memref_of
from dialects.tile.accesses import Access, AccessingOp
from dialects.tile.annotations import ANNOTATIONS, GROUP, PEEL, WHY
from dialects.tile.boxes import Box
from dialects.tile.compute import MmaOp
from dialects.tile.iota import IotaOp
from dialects.tile.kernel import KernelOp, LaunchOp
from dialects.tile.loops import BlocksOp, ForOp, WhenOp
from dialects.tile.memory import BufferOp, CopyOp, FillOp, ReadOp, WriteOp, bytes_in, scope_of
from dialects.tile.synchronisation import BarrierOp, CommitOp, WaitOp
from dialects.tile.views import ViewOp, viewed

__all__ = [
    "GROUP",
    "PEEL",
    "WHY",
    "Access",
    "AccessingOp",
    "BarrierOp",
    "BlocksOp",
    "Box",
    "BufferOp",
    "CommitOp",
    "CopyOp",
    "FillOp",
    "ForOp",
    "IotaOp",
    "KernelOp",
    "LaunchOp",
    "MmaOp",
    "ReadOp",
    "Tile",
    "ViewOp",
    "WaitOp",
    "WhenOp",
    "WriteOp",
    "bytes_in",
    "memref_of",
    "scope_of",
    "viewed",
]

Tile = Dialect(
    "tile",
    [
        KernelOp,
        LaunchOp,
        ViewOp,
        BlocksOp,
        ForOp,
        WhenOp,
        BufferOp,
        CopyOp,
        FillOp,
        ReadOp,
        WriteOp,
        IotaOp,
        MmaOp,
        CommitOp,
        WaitOp,
        BarrierOp,
    ],
    [],
    [Annotations(*ANNOTATIONS)],
)
