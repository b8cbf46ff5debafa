"""Annotations of the dialect `tile`: requests to its passes, and the reasons for their decisions."""

from __future__ import annotations

from xdsl.dialects.builtin import FloatAttr, StringAttr

from dialects.annotations import INTEGER, Annotation
from dialects.graph import FusedOp, GraphOp
from dialects.tile.kernel import LAUNCH_SCALE, SCALE, KernelOp
from dialects.tile.memory import BufferOp

WHY = "tile.why"
PEEL = "tile.peel"
GROUP = "tile.group"

ANNOTATIONS = (
    Annotation(
        WHY,
        "the reason why the loop of a buffer with stages is not pipelined, or why a product on a GPU has no kernel of "
        "thread blocks (`to-tile`)",
        "tile.buffer and graph ops",
        (BufferOp, GraphOp, FusedOp),
        kinds=(StringAttr,),
        example='"…"',
    ),
    Annotation(
        PEEL,
        "request to peel the last iterations of the pipelined loop that fills the buffer (`peel-last-turns`)",
        "tile.buffer",
        (BufferOp,),
    ),
    Annotation(
        GROUP,
        "the number of the buffer's group among the groups of copies that each iteration commits, 0 without it",
        "tile.buffer",
        (BufferOp,),
        kinds=(INTEGER,),
        example="1",
    ),
    Annotation(
        SCALE,
        "the factor of the time of the kernel's grids, by which `to-tile` adapts it to the kernels of the library",
        "tile.kernel",
        (KernelOp,),
        kinds=(FloatAttr,),
        example="1.25 : f64",
    ),
    Annotation(
        LAUNCH_SCALE,
        "the factor of the time of the kernel's launch, 1 without it, where the library's kernel was measured and "
        "takes no longer than a launch (`to-tile`)",
        "tile.kernel",
        (KernelOp,),
        kinds=(FloatAttr,),
        example="0.25 : f64",
    ),
)
