"""Pipelining of what fills shared memory and registers: while a thread block computes on one stage of a buffer, copies
to others are on their way (Huang et al., ALCOP, MLSys 2023, transformation of section 3).

Seven passes, in this order, each of which can be printed and run alone:

    detect-pipelines    decide which buffers can be pipelined, and how many stages they get
    coalesce-nests      make one loop of perfect nests, so that pipelines do not drain within them
    enlarge-buffers     give each of them that many slots
    shift-copies        let a turn copy what S - 1 turns later will use
    wrap-indices        keep slots within the buffer, and what is copied within the loop (the last turns copy in vain)
    copy-first-stages   copy before the loop what its first S - 1 turns use
    wait-for-stages     commit each stage, and wait for the oldest one only

and, where they pay,

    peel-last-turns     write out the last S - 1 turns without copies
    copy-in-bulk        let one thread ask for a whole box (on GPUs that can)
"""

from __future__ import annotations

from xdsl.passes import ModulePass

from lowering.tile.pipelining.detection import DetectPipelinesPass
from lowering.tile.pipelining.epilogue import PeelLastTurnsPass
from lowering.tile.pipelining.nests import CoalesceNestsPass
from lowering.tile.pipelining.prologue import CopyFirstStagesPass
from lowering.tile.pipelining.slots import EnlargeBuffersPass, ShiftCopiesPass, WrapIndicesPass
from lowering.tile.pipelining.synchronisation import WaitForStagesPass

PASSES: tuple[type[ModulePass], ...] = (
    DetectPipelinesPass,
    CoalesceNestsPass,
    EnlargeBuffersPass,
    ShiftCopiesPass,
    WrapIndicesPass,
    CopyFirstStagesPass,
    WaitForStagesPass,
)
"""The passes of pipelining, in order."""
PEELED = (*PASSES, PeelLastTurnsPass)
"""The same, without copies in vain."""
