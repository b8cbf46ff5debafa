"""Kernels of thread blocks from problems and schedules, as naive as they can be typed, and pipelined."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, ModuleOp
from xdsl.ir import Attribute

from dialects.tile import KernelOp
from lowering.tile.matmul import matmul
from lowering.tile.pipelining import PASSES, PEELED
from lowering.tile.schedule import Problem, Schedule

TYPES: dict[str, Attribute] = {"f16": Float16Type(), "bf16": BFloat16Type(), "f32": Float32Type()}


def kernel_of(problem: Problem, schedule: Schedule, name: str = "product", device: str = "gpu") -> KernelOp:
    """The kernel of a problem, whose buffers only wish for stages."""
    if problem.batch > 1 or problem.convolution is not None or problem.epilogue or problem.across:
        raise NotImplementedError("there is a template of plain products alone")
    elements = (TYPES[problem.element], TYPES[problem.result])
    shape = (problem.m, problem.n, problem.k)
    return matmul(name, device, shape, elements, schedule, TYPES[problem.accumulator])


def pipelined_kernel(problem: Problem, schedule: Schedule, name: str = "product", device: str = "gpu") -> KernelOp:
    """The kernel of a problem with the pipelines of its schedule, alone in a module."""
    kernel = kernel_of(problem, schedule, name, device)
    module = ModuleOp([kernel])
    for each in PEELED if schedule.peeled else PASSES:
        each().apply(Context(), module)
    return kernel
