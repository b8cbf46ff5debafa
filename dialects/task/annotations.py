"""Annotations of the dialect `task`: devices of ops and arguments, decisions of passes, and records for summaries."""

from __future__ import annotations

from xdsl.dialects.builtin import FloatAttr, StringAttr
from xdsl.dialects.func import FuncOp

from dialects.annotations import SYMBOL, Annotation
from dialects.graph import FusedOp, GraphOp
from dialects.graph.op import PLACED
from dialects.launching import LaunchedOp, LaunchingOp
from dialects.task.baseline import BaselineAttr
from dialects.task.decision import DECISION, DecisionAttr, PublishedAttr
from dialects.task.memory import AT, MEMORY, MemoryAttr
from dialects.task.plan import PlanAttr
from dialects.task.run import RunOp
from dialects.task.state import KEEPS, STATE, StateText
from dialects.task.types import OnType

WORK, BY_TRANSFERS = "task.work", "task.by_transfers"
SLOWDOWN = "task.slowdown"

ANNOTATIONS = (
    Annotation(
        PLACED,
        "the device that runs the op under every placement policy, that holds the argument when the program starts, or "
        "the result when it ends",
        "graph ops, groups, launches of kernels, and arguments and results of functions",
        (GraphOp, FusedOp, LaunchingOp),
        on_arguments=True,
        outside={
            FusedOp: "write it on the graph.fused, which runs as one kernel",
            RunOp: "its ops run on the task's device (task.run @DEVICE)",
            LaunchedOp: "its ops run on the program's device",
        },
        on_results=True,
        stated_by=OnType,
        kinds=(SYMBOL,),
        names_device=True,
        example="@pim",
        words="device place placed placement target dev where mark",
    ),
    Annotation(
        SLOWDOWN,
        "the factor of the op's time on devices with multiprocessors, where its kernel is not that of the library "
        "(`place{without=stages}`)",
        "graph ops and groups",
        (GraphOp, FusedOp),
        kinds=(FloatAttr,),
        example="1.25 : f64",
    ),
    Annotation(
        STATE,
        "the argument's memory lives on: which result is its new content, and how it changes: appended, updated, "
        "overwritten; or it is only read, or free for anything after its last read",
        "arguments of functions",
        on_arguments=True,
        kinds=(StateText(),),
        example='"appended, result 1"',
        words="donate donated donation alias aliased inplace reuse keep kept resident cache",
    ),
    Annotation(
        KEEPS,
        'the caller keeps all arguments that state nothing else, as if they had `task.state = "read"`',
        "functions",
        (FuncOp,),
    ),
    Annotation(
        AT,
        "the memory tier that holds the argument when the program starts",
        "arguments of functions",
        on_arguments=True,
        kinds=(SYMBOL,),
        names_device=True,
        example="@host",
        words="tier memory",
    ),
    Annotation(
        MEMORY,
        "the rules by which the primary device's memory is managed (`prefetch`)",
        "functions",
        (FuncOp,),
        kinds=(MemoryAttr,),
        example='#task.memory<"POLICY", …>',
    ),
    Annotation(
        DECISION,
        "the decision on a kernel that may be offloaded from the primary device, and its reason",
        "task.run",
        (RunOp,),
        kinds=(DecisionAttr,),
        example='#task.decision<"parallel", …>',
    ),
    Annotation(
        BY_TRANSFERS,
        "the task takes no time: the transfers that bring its operands write them to their places in a state",
        "task.run",
        (RunOp,),
    ),
    Annotation(
        WORK,
        "the key of the work of a launch, by which a profile states its time",
        "launches of kernels",
        (LaunchingOp,),
        kinds=(StringAttr,),
        example='"…"',
    ),
    *(
        Annotation(each.name, meaning, "functions", (FuncOp,), kinds=(each,), example=f"#{each.name}<…>")
        for each, meaning in (
            (BaselineAttr, "the time of the program on the primary device alone"),
            (PlanAttr, "the makespan that the placement predicts"),
            (PublishedAttr, "the time in the published accounting of kernels that overlap"),
        )
    ),
)
