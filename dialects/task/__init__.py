"""`task`: where and when; a value's place is part of its type.

`task.copy` is the only door between places, and a task's body is level one again: the same graph ops on plain tensors,
with the same numbers. A device runs one task at a time: those of one queue in program order, and of its queues
whichever is ready first. Devices, and links with both, run side by side wherever no value ties them.
"""

from xdsl.ir import Dialect

from dialects.task.baseline import BaselineAttr
from dialects.task.decision import DecisionAttr, PublishedAttr
from dialects.task.plan import PlanAttr
from dialects.task.repeat import RepeatOp
from dialects.task.run import RunOp, YieldOp
from dialects.task.schedule import CopyOp, JoinOp, ResidentOp, ScheduledOp
from dialects.task.types import ON, OnType, TokenType, placed, tensor_on

Task = Dialect(
    "task",
    [RunOp, RepeatOp, YieldOp, CopyOp, ResidentOp, JoinOp],
    [OnType, TokenType, BaselineAttr, PlanAttr, DecisionAttr, PublishedAttr],
)

__all__ = [
    "ON",
    "BaselineAttr",
    "CopyOp",
    "DecisionAttr",
    "JoinOp",
    "OnType",
    "PlanAttr",
    "PublishedAttr",
    "RepeatOp",
    "ResidentOp",
    "RunOp",
    "ScheduledOp",
    "Task",
    "TokenType",
    "YieldOp",
    "placed",
    "tensor_on",
]
