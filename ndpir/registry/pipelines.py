"""The table of named pipelines, which `-p` accepts like passes: `plan` is the one for users, all others are published
methods and pieces for researchers."""

from __future__ import annotations

from typing import TypeAlias

Pipeline: TypeAlias = tuple[tuple[str, str], ...]
"""The steps of a pipeline. Each step is a pair: a pass or pipeline with its options, as written after -p, and its
purpose."""

_CANONICALIZE = ("canonicalize", "fold what is constant, drop what is dead")
_STATE = ("state", "find caches and other arguments that change in place")
_START = (("inline", "calls as the ops of what is called, so that kernels reach across them"), _CANONICALIZE, _STATE)
_FORM = (
    "choose element types, and attention as one kernel or several, by the makespan; group ops into kernels, and make "
    "slices and concats views"
)
_VIEWS = ("layout", "make slices and concats views where possible, so that they take no time")
_ORDER = ("order", "reorder tasks so that independent ones overlap; place keeps the order of the program")
_MOVES = (
    "prefetch{short=true}",
    "plan the moves between device memory and the memory behind it, if the program exceeds the former",
)
_TO_PIM = ("to-pim", "lower tasks on a PIM to commands for its banks")
_TO_NDP = (
    ("to-ndp", "lower tasks on near-data units to programs for them"),
    ("forward-stores", "keep what a phase of such a program computes, rather than store and load it"),
    ("number-values", "load and compute each value once"),
)
"""Steps that several pipelines have, and the purpose of `choose-form`."""

PIPELINES: dict[str, Pipeline] = {
    "plan": (
        *_START,
        ("choose-form", _FORM),
        (
            "place",
            "choose devices, order, splits and pipelines of kernels to minimise the makespan, and repeated runs and "
            "moves, if the program exceeds the memory; -O1 and -O3 set the effort",
        ),
        _MOVES,
        _TO_PIM,
        *_TO_NDP,
    ),
    "pipeline-buffers": (
        ("detect-pipelines", "mark buffers of thread blocks that can be pipelined, with their numbers of stages"),
        ("coalesce-nests", "merge perfectly nested loops into one, so that pipelines do not drain between them"),
        ("enlarge-buffers", "give each buffer one slot per stage"),
        ("shift-copies", "let each iteration copy data that a later iteration uses"),
        ("wrap-indices", "keep indices of slots and tiles within their ranges"),
        ("copy-first-stages", "copy the data of the first iterations before the loop"),
        ("wait-for-stages", "let each iteration wait only for its own stage"),
        (
            "peel-last-turns{wished=true}",
            "peel the last iterations, which copy nothing, in loops whose schedule specifies it",
        ),
    ),
    "pipeline-kernels": (
        ("inline", "calls as the ops of what is called"),
        _CANONICALIZE,
        ("fuse", "group ops that a GPU runs as one kernel"),
        (
            "to-tile",
            "turn matrix products into kernels of thread blocks, with the fastest tiles and stages by the model",
        ),
        ("fuse", "group the remaining ops, which are not part of kernels of thread blocks"),
        _VIEWS,
        ("pipeline-buffers", "pipeline the kernels' buffers with the stages that their schedules ask for"),
    ),
    "gpu-only": (
        *_START,
        ("choose-form{devices=primary}", _FORM),
        ("place{policy=gpu}", "place each op on a processor, on the primary device if that can run it"),
    ),
    "offload": (
        *_START,
        ("choose-form", _FORM),
        (
            "place{effort=1}",
            "choose a device for each kernel to minimise the makespan, with copies; optimal for small programs",
        ),
        _ORDER,
        _MOVES,
        _TO_PIM,
    ),
    "optimal": (
        *_START,
        ("choose-form", _FORM),
        ("place", "choose devices, order, splits and pipelines of kernels to minimise the makespan"),
        _MOVES,
        _TO_PIM,
    ),
    "thorough": (
        *_START,
        ("choose-form", _FORM),
        ("place{effort=3}", "the same, with splits and pipelines as alternatives in the search of devices and order"),
        _MOVES,
        _TO_PIM,
    ),
    "swap": (
        *_START,
        ("choose-form{devices=primary}", _FORM),
        (
            "strip-mine",
            "run element-wise kernels on much of the memory strip by strip, so that strips can move one by one, if the "
            "program exceeds the memory",
        ),
        ("place{policy=gpu}", "place each op on a processor, even if the program exceeds its memory"),
        (
            "prefetch{policy=plan}",
            "plan the moves between device memory and the memory behind it, with a lower bound on all plans",
        ),
    ),
    "pimflow": (
        *_START,
        ("reduce-precision", "to the element type that the machine's PIM computes in"),
        ("fuse", "group each layer with the ops fused to it, the units that PIMFlow (CGO 2023) splits and pipelines"),
        _VIEWS,
        ("place{policy=pimflow}", "split layers by rows and pipeline chains in halves, as PIMFlow's search decides"),
        _TO_PIM,
    ),
}
