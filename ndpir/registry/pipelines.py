"""The named pipelines, used in `-p` like passes: a table."""

from __future__ import annotations

from typing import TypeAlias

Pipeline: TypeAlias = tuple[tuple[str, str], ...]
"""A row a step: a pass as it is written after -p, or a pipeline, and why it stands there."""

# One row a step: the pass as it is written after -p, and why it stands there.
PIPELINES: dict[str, Pipeline] = {
    "pipeline-buffers": (
        ("detect-pipelines", "which buffers of thread blocks can be pipelined, and how deep"),
        ("coalesce-nests", "one loop of perfect nests, so that pipelines do not drain within them"),
        ("enlarge-buffers", "a slot a stage"),
        ("shift-copies", "each turn copies what a later one uses"),
        ("wrap-indices", "slots and tiles within their ends"),
        ("copy-first-stages", "what the first turns use is copied before the loop"),
        ("wait-for-stages", "each turn waits for its own stage alone"),
        ("peel-last-turns{wished=true}", "last turns without copies in vain, where schedules are faster so"),
    ),
    "pipeline-kernels": (
        ("inline", "calls as the ops of what is called"),
        ("canonicalize", "fold what is constant, drop what is dead"),
        ("fuse", "one kernel for what a GPU runs as one"),
        ("to-tile", "products as kernels of thread blocks, in the tiles and stages that their clock finds the fastest"),
        ("fuse", "what is left of groups that are no kernels of thread blocks"),
        ("layout", "slices and concats that are views take no time"),
        ("pipeline-buffers", "the stages that kernels wish for"),
    ),
    "gpu-only": (
        ("inline", "calls as the ops of what is called, so that kernels reach across them"),
        ("canonicalize", "fold what is constant, drop what is dead"),
        ("reduce-precision", "to the element type that the machine's PIM computes in, as all pipelines do"),
        ("fuse", "one kernel for what a GPU runs as one: the baseline must not pay for launches it would not make"),
        ("layout", "slices and concats that are views take no time"),
        ("place{policy=gpu}", "everything on a processor, on the primary device if it can"),
    ),
    "offload": (
        ("inline", "calls as the ops of what is called, so that kernels reach across them"),
        ("canonicalize", "fold what is constant, drop what is dead"),
        (
            "reduce-precision",
            "to the element type that the machine's PIM computes in; else it could take no op of another type",
        ),
        ("fuse", "group into kernels first: what is one kernel on the GPU is weighed as one"),
        ("layout", "slices and concats that are views take no time"),
        (
            "place{policy=cost}",
            "each kernel to where the whole is done first, copies counted; proved for small programs",
        ),
        ("order", "what waits for nothing of each other side by side; place keeps the order of the program"),
        ("to-pim", "what went to a PIM becomes commands for its banks"),
    ),
    "optimal": (
        ("inline", "calls as the ops of what is called, so that kernels reach across them"),
        ("canonicalize", "fold what is constant, drop what is dead"),
        ("reduce-precision", "to the element type that the machine's PIM computes in"),
        ("fuse", "group into kernels first: what is one kernel on the GPU is weighed as one"),
        ("layout", "slices and concats that are views take no time"),
        ("place{policy=optimal}", "where each kernel runs and in which order, with a bound on all placements"),
        ("to-pim", "what went to a PIM becomes commands for its banks"),
    ),
    "swap": (
        ("inline", "calls as the ops of what is called, so that kernels reach across them"),
        ("canonicalize", "fold what is constant, drop what is dead"),
        ("fuse", "kernels first: what one kernel needs at one time is what memory must hold"),
        ("layout", "slices and concats that are views take no memory of their own"),
        ("place{policy=gpu}", "everything on a processor, whatever its memory holds"),
        ("prefetch{policy=plan}", "what moves when between its memory and the one behind it, with a bound on any plan"),
    ),
    "pimflow": (
        ("inline", "calls as the ops of what is called, so that kernels reach across them"),
        ("canonicalize", "fold what is constant, drop what is dead"),
        ("reduce-precision", "to the element type that the machine's PIM computes in"),
        ("fuse", "layers with what is fused to them are what PIMFlow (CGO 2023) splits and pipelines"),
        ("layout", "slices and concats that are views take no time"),
        ("place{policy=pimflow}", "layers split by rows and pipelined in halves, as its search finds"),
        ("to-pim", "what went to a PIM becomes commands for its banks"),
    ),
    "best": (
        ("inline", "calls as the ops of what is called, so that kernels reach across them"),
        ("canonicalize", "fold what is constant, drop what is dead"),
        ("reduce-precision", "to the element type that the machine's PIM computes in"),
        ("fuse", "group into kernels first: what is cut and placed are kernels"),
        ("layout", "slices and concats that are views take no time"),
        (
            "place{policy=best}",
            "the plan that ends first: cuts, pipelines and places, all other policies' among them",
        ),
        ("order", "what waits for nothing of each other side by side; place keeps the order of the program"),
        ("to-pim", "what went to a PIM becomes commands for its banks"),
    ),
    "joint": (
        ("inline", "calls as the ops of what is called, so that kernels reach across them"),
        ("canonicalize", "fold what is constant, drop what is dead"),
        ("reduce-precision", "to the element type that the machine's PIM computes in"),
        ("fuse", "group into kernels first: what is cut and placed are kernels"),
        ("layout", "slices and concats that are views take no time"),
        ("place{policy=joint}", "places, cuts, pipelines and the order of tasks decided in one search"),
        ("order", "what waits for nothing of each other side by side, where that was not decided yet"),
        ("to-pim", "what went to a PIM becomes commands for its banks"),
    ),
}
