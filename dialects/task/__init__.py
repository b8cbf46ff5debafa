"""`task`: placement and schedule, at a level where a value's device is part of its type.

Only `task.copy` moves values between devices, and a task's body is graph level: the same ops on plain tensors, with the
same numbers. A device runs one task at a time: tasks of one queue in program order, and among queues the task that is
ready first. Devices and links run in parallel, except for data dependences.
"""

from xdsl.ir import Dialect

from dialects.annotations import Annotations
from dialects.task.annotations import ANNOTATIONS, BY_TRANSFERS, SLOWDOWN, WORK
from dialects.task.baseline import BaselineAttr
from dialects.task.decision import DecisionAttr, PublishedAttr
from dialects.task.memory import AT, MEMORY, MemoryAttr
from dialects.task.plan import PlanAttr
from dialects.task.repeat import RepeatOp
from dialects.task.residency import (
    DiscardOp,
    EvictOp,
    MoveOp,
    OutwardOp,
    Part,
    PrefetchOp,
    ResidencyOp,
    WriteBackOp,
)
from dialects.task.run import RunOp, YieldOp
from dialects.task.schedule import CopyOp, JoinOp, ResidentOp, ScheduledOp
from dialects.task.slices import Slice
from dialects.task.state import STATE, State
from dialects.task.types import ON, OnType, TokenType, placed

Task = Dialect(
    "task",
    [RunOp, RepeatOp, YieldOp, CopyOp, ResidentOp, JoinOp, PrefetchOp, EvictOp, WriteBackOp, DiscardOp],
    [OnType, TokenType, BaselineAttr, PlanAttr, DecisionAttr, PublishedAttr, MemoryAttr],
    [Annotations(*ANNOTATIONS)],
)

__all__ = [
    "AT",
    "BY_TRANSFERS",
    "MEMORY",
    "ON",
    "SLOWDOWN",
    "STATE",
    "WORK",
    "BaselineAttr",
    "CopyOp",
    "DecisionAttr",
    "DiscardOp",
    "EvictOp",
    "JoinOp",
    "MemoryAttr",
    "MoveOp",
    "OnType",
    "OutwardOp",
    "Part",
    "PlanAttr",
    "PrefetchOp",
    "PublishedAttr",
    "RepeatOp",
    "ResidencyOp",
    "ResidentOp",
    "RunOp",
    "ScheduledOp",
    "Slice",
    "State",
    "Task",
    "TokenType",
    "WriteBackOp",
    "YieldOp",
    "placed",
]
