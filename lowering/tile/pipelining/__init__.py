"""Pipelining of the copies that fill shared memory and registers: while a thread block computes on one stage of a
buffer, copies to other stages are in flight (Huang et al., ALCOP, MLSys 2023, transformation of section 3).

Seven passes run in this order; the result of each can be printed (S is the number of stages):

    detect-pipelines    decide which buffers can be pipelined, and their numbers of stages
    coalesce-nests      merge perfect nests into one loop, so that pipelines do not drain within them
    enlarge-buffers     give each of these buffers a slot for each stage
    shift-copies        copy, in each iteration, the data that is used S - 1 iterations later
    wrap-indices        wrap slots and iterations of copies; the last S - 1 iterations then copy data that is not used
    copy-first-stages   copy the data of the first S - 1 iterations before the loop
    wait-for-stages     commit each stage, and wait only for the oldest one

Two optional passes follow:

    peel-last-turns     peel the last S - 1 iterations, and remove their copies
    copy-in-bulk        let one thread request a full box (on GPUs with a unit for this)
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
"""Passes of pipelining, in order."""
PEELED = (*PASSES, PeelLastTurnsPass)
"""Passes of pipelining, followed by the pass that peels the last iterations."""
