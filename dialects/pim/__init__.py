"""`pim`: what each bank is told. Kernels of commands in loops, in the engineer's verbs; nothing is unrolled."""

from xdsl.ir import Dialect

from dialects.pim.command import CommandOp, HostOp, ScopedOp
from dialects.pim.commands import ActOp, DrainOp, LoadOp, MacOp, PreOp
from dialects.pim.kernel import HOST, KernelOp, LaunchOp, memref_of
from dialects.pim.linear import Index, Linear, Subscript
from dialects.pim.loops import ChannelsOp, ForOp

__all__ = [
    "HOST",
    "ActOp",
    "ChannelsOp",
    "CommandOp",
    "DrainOp",
    "ForOp",
    "HostOp",
    "Index",
    "KernelOp",
    "LaunchOp",
    "Linear",
    "LoadOp",
    "MacOp",
    "PreOp",
    "ScopedOp",
    "Subscript",
    "memref_of",
]

Pim = Dialect("pim", [KernelOp, LaunchOp, ChannelsOp, ForOp, LoadOp, ActOp, MacOp, DrainOp, PreOp])
