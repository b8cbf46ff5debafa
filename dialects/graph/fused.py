"""Fusion: several ops that run as one kernel, so that values between them stay in the device's registers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Self

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    opt_prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from dialects.binding import EndsBody, YieldingOp, parse_bindings, print_bindings, type_list
from dialects.braces import BracedOp, parse_braces
from dialects.element_types import byte_count
from dialects.graph.boxes import Box, PartOperands, full_box, hull
from dialects.graph.constant import WeightOp
from dialects.graph.contraction import GroupedMatmulOp, RaggedMatmulOp
from dialects.graph.op import TENSOR, Canonical, GraphOp, shape_of, tensor_of, tensor_problem
from dialects.graph.opaque import OpaqueOp
from dialects.graph.quantized import DequantizeOp
from dialects.graph.roles import FusionRole
from dialects.graph.shape import ReshapeOp, SliceOp
from dialects.work import Work

ATTENTIONS = ("attention", "attention_grad", "causal_attention", "causal_attention_grad")
"""The keywords of fused groups whose kernels recompute values that separate kernels would store and load, so that
running the group's ops separately is not faster."""


@irdl_op_definition
class YieldOp(YieldingOp):
    """Terminator with the results of the body of a `graph.fused`, or of one iteration of a `graph.repeat`.

    ```mlir
    %y = graph.fused (%a = %x) {
      %0 = graph.relu %a : tensor<2x3xf32>
      graph.yield %0
    }
    ```
    """

    name = "graph.yield"
    traits = traits_def(IsTerminator(), EndsBody(("graph.fused", "graph.repeat")), Pure())


@irdl_op_definition
class FusedOp(BracedOp):
    """Ops that run as one kernel: the body computes as written (each op rounds once), but only operands and results
    cause memory traffic. A keyword before the operands (`adam`, `softmax_grad`) names the pattern that was recognised.

    (C1) the body holds graph ops and ends in `graph.yield`; it is isolated from above, so weights are operands too.
    (C2) its arguments have the types of the operands. (C3) results have the yielded types.

    ```mlir
    %y = graph.fused (%a = %x, %f = %w) {
      %0 = graph.conv %a, %f : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>
      %1 = graph.relu %0 : tensor<1x4x6x6xf32>
      graph.yield %1
    }
    ```
    """

    name = "graph.fused"
    kind = opt_prop_def(StringAttr)
    inputs = var_operand_def(TENSOR)
    body = region_def("single_block")
    outputs = var_result_def(TENSOR)
    traits = traits_def(Pure(), IsolatedFromAbove(), Canonical())

    def __init__(self, inputs: Sequence[SSAValue], body: Region, kind: str | StringAttr | None = None) -> None:
        """`body` is a block with one argument per input, ended by `graph.yield`. `kind`: the recognised pattern, if
        any."""
        last = body.block.last_op
        assert isinstance(last, YieldOp)
        super().__init__(
            operands=[inputs],
            result_types=[[value.type for value in last.values]],
            regions=[body],
            properties={"kind": StringAttr(kind) if isinstance(kind, str) else kind},
        )

    @property
    def ops(self) -> tuple[Operation, ...]:
        """The ops of the body, without the yield."""
        ops = tuple(self.body.block.ops)
        return ops[:-1] if ops and isinstance(ops[-1], YieldOp) else ops

    @property
    def yielded(self) -> tuple[SSAValue, ...]:
        """The values inside the body that become the results."""
        last = self.body.block.last_op
        return tuple(last.operands) if isinstance(last, YieldOp) else ()

    def work(self) -> Work:
        """The flops of the body, and the bytes of operands and results, without values between ops of the body; for an
        operand that the body only slices, the bytes of the slices, and for experts' matrices, also where the body
        dequantizes them, the bytes and flops of the experts that rows are expected to choose."""
        inner = [work for _, work in self.works()]
        read: dict[SSAValue, int] = {}
        for value, argument in zip(self.inputs, self.body.block.args, strict=True):
            whole = _viewed(value)
            read[whole] = min(read.get(whole, 0) + _bytes_read(argument), byte_count(tensor_of(whole)))
        written = sum(byte_count(tensor_of(value)) for value in self.outputs)
        return Work(sum(w.flops for w in inner), sum(read.values()), written, sum(w.macs for w in inner))

    def works(self) -> list[tuple[GraphOp, Work]]:
        """Each graph op of the body with its work, of which the bytes are those of its own operands and results.
        Experts' matrices are converted where rows are expected to choose them."""
        found: list[tuple[GraphOp, Work]] = []
        for op in self.ops:
            if isinstance(op, GraphOp):
                work = op.work()
                share = _share_read(op.results[0]) if op.FUSION is FusionRole.CONVERSION else 1.0
                found.append((op, replace(work, flops=round(share * work.flops)) if share < 1 else work))
        return found

    def part(self, box: Box) -> PartOperands | None:
        """The parts of operands (None: not needed) from which a part of all results is computed; the results must have
        the same shape. None if the part can't be computed separately."""
        boxes = self.boxes(box)
        return None if boxes is None else PartOperands(tuple(map(boxes.get, self.body.block.args)))

    def boxes(self, box: Box) -> dict[SSAValue, Box] | None:
        """The box of each value of the body that is needed to compute a box of the results: the smallest box that
        contains the boxes that its users need. Values that are not needed are omitted. None if an op of the body
        can't compute its part separately."""
        if any(shape_of(value) != shape_of(self.results[0]) for value in self.results):
            return None
        boxes: dict[SSAValue, Box] = dict.fromkeys(self.yielded, box)
        for op in reversed(self.ops):
            value = op.results[0]
            if value not in boxes:
                continue
            if not op.operands:
                boxes[value] = full_box(value)
                continue
            assert isinstance(op, GraphOp)
            part = op.part(boxes[value])
            if part is None:
                return None
            for operand, need in zip(op.operands, part.needs, strict=True):
                if need is not None:
                    boxes[operand] = hull(boxes[operand], need) if operand in boxes else need
        return boxes

    def verify_(self) -> None:
        last = self.body.block.last_op
        if not isinstance(last, YieldOp):  # (C1)
            raise VerifyException("graph.fused: the body must end in graph.yield")
        for op in self.ops:
            if not isinstance(op, GraphOp) or isinstance(op, WeightOp):  # (C1)
                raise VerifyException(
                    f"graph.fused holds graph ops, not {op.name}; move it before the group "
                    "and pass its result as an operand"
                )
        inner, outer = [arg.type for arg in self.body.block.args], [value.type for value in self.inputs]
        if inner != outer:  # (C2)
            raise VerifyException(
                f"graph.fused: the body's arguments have types {type_list(inner)}, but the operands have types "
                f"{type_list(outer)}; they must be equal"
            )
        yielded, results = [value.type for value in last.values], [value.type for value in self.outputs]
        if yielded != results:  # (C3)
            raise VerifyException(
                f"graph.fused: the results have types {type_list(results)}, but the yielded values have types "
                f"{type_list(yielded)}; they must be equal"
            )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        def same(type_: Attribute) -> Attribute:
            if (wrong := tensor_problem(type_)) is not None:
                raise VerifyException(wrong)
            return type_

        start = parser.pos
        kind = parser.parse_optional_identifier()
        inputs, body = parse_bindings(parser, same)
        properties, attributes = parse_braces(parser, cls, () if kind is None else ("kind",), keyword=True)
        if not isinstance(body.block.last_op, YieldOp):
            parser.raise_error("graph.fused: the body must end in graph.yield", start, parser.pos)
        op = cls(inputs, body, kind)
        op.properties |= properties
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" " if self.kind is None else f" {self.kind.data} ")
        print_bindings(printer, self.inputs, self.body)
        printer.print_op_attributes(self.attributes, print_keyword=True)


def opaque_in(op: Operation) -> list[OpaqueOp]:
    """The opaque ops of a graph op or group: the outputs of one node. Empty for any other op."""
    if isinstance(op, OpaqueOp):
        return [op]
    return [each for each in op.ops if isinstance(each, OpaqueOp)] if isinstance(op, FusedOp) else []


def expands(op: Operation) -> bool:
    """True for an op that makes a larger tensor of small elements: the kernels that read the tensor compute it, so that
    quantized weights stay small in memory."""
    if not isinstance(op, DequantizeOp) or op.stored.value.data:
        return False
    return byte_count(tensor_of(op.y)) > byte_count(tensor_of(op.x))


def is_prepared(value: SSAValue, known: tuple[type[Operation], ...] = (), most: int = sys.maxsize) -> bool:
    """True for a value that depends only on weights, constants and results of ops of the classes `known`, and neither
    on quantized weights that the program dequantizes (`expands`) nor on opaque ops. At most `most` ops are visited; a
    value that depends on more ops counts as not prepared."""
    waiting, met = [value.owner], set[Operation]()
    while waiting:
        owner = waiting.pop()
        if isinstance(owner, known) or owner in met:
            continue
        if not isinstance(owner, GraphOp | FusedOp) or len(met) == most or expands(owner) or opaque_in(owner):
            return False
        met.add(owner)
        waiting += [operand.owner for operand in owner.operands]
    return True


def _viewed(value: SSAValue) -> SSAValue:
    """The value of whose memory another one is a view, in another shape."""
    while isinstance(op := value.owner, ReshapeOp):
        value = op.x
    return value


def _bytes_read(argument: SSAValue) -> int:
    """Bytes of an operand that the body reads: all of them, unless the body only slices it."""
    users = [use.operation for use in argument.uses]
    if all(isinstance(user, SliceOp) for user in users):
        return sum(byte_count(tensor_of(user.results[0])) for user in users)
    return round(_share_read(argument) * byte_count(tensor_of(argument)))


def _share_read(value: SSAValue) -> float:
    """The share of a value that its users read: of experts' matrices and biases, and of the numbers of which a group
    makes them, the experts that rows are expected to choose."""
    share, waiting, met = 0.0, [value], set[SSAValue]()
    while waiting:
        value = waiting.pop()
        if value in met:
            continue
        met.add(value)
        if not value.uses:
            return 1.0
        for use in value.uses:
            user = use.operation
            if isinstance(user, GroupedMatmulOp | RaggedMatmulOp) and use.index in (1, 3):
                share = max(share, user.share_read)
            elif isinstance(user, GraphOp) and user.FUSION in _CARRIES:
                waiting.append(user.results[0])
            else:
                return 1.0
    return share


_CARRIES = (FusionRole.CONVERSION, FusionRole.VIEW, FusionRole.MOVEMENT)
"""The roles of ops that a kernel computes for the elements that it loads."""
FUSED_OPS = (FusedOp, YieldOp)
