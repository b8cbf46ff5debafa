"""`graph`: the computation, as tensors and operators, without placement and schedule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DenseArrayBase, f64, i64
from xdsl.ir import Dialect, Operation

from dialects.annotations import Annotation, Annotations
from dialects.graph.binary import BINARY_OPS
from dialects.graph.binary import AddOp as AddOp
from dialects.graph.binary import AndOp as AndOp
from dialects.graph.binary import Atan2Op as Atan2Op
from dialects.graph.binary import CompareOp as CompareOp
from dialects.graph.binary import DivOp as DivOp
from dialects.graph.binary import MaxOp as MaxOp
from dialects.graph.binary import MinOp as MinOp
from dialects.graph.binary import MulOp as MulOp
from dialects.graph.binary import OrOp as OrOp
from dialects.graph.binary import PowOp as PowOp
from dialects.graph.binary import RemOp as RemOp
from dialects.graph.binary import SelectOp as SelectOp
from dialects.graph.binary import ShiftOp as ShiftOp
from dialects.graph.binary import SubOp as SubOp
from dialects.graph.binary import XorOp as XorOp
from dialects.graph.broadcasting import ElementwiseOp as ElementwiseOp
from dialects.graph.broadcasting import broadcast_shapes as broadcast_shapes
from dialects.graph.constant import CONSTANT_ATTRS, CONSTANT_OPS
from dialects.graph.constant import ConstantOp as ConstantOp
from dialects.graph.constant import FileAttr as FileAttr
from dialects.graph.constant import Held as Held
from dialects.graph.constant import HeldAttr as HeldAttr
from dialects.graph.constant import LiteralAttr as LiteralAttr
from dialects.graph.constant import NumbersAttr as NumbersAttr
from dialects.graph.constant import OnnxAttr as OnnxAttr
from dialects.graph.constant import SafetensorsAttr as SafetensorsAttr
from dialects.graph.constant import UniformAttr as UniformAttr
from dialects.graph.constant import WeightOp as WeightOp
from dialects.graph.constant import WeightSource as WeightSource
from dialects.graph.contraction import CONTRACTION_OPS
from dialects.graph.contraction import AttentionOp as AttentionOp
from dialects.graph.contraction import ConvOp as ConvOp
from dialects.graph.contraction import GroupedMatmulOp as GroupedMatmulOp
from dialects.graph.contraction import Im2colOp as Im2colOp
from dialects.graph.contraction import MatmulOp as MatmulOp
from dialects.graph.contraction import RaggedMatmulOp as RaggedMatmulOp
from dialects.graph.fused import ATTENTIONS as ATTENTIONS
from dialects.graph.fused import FUSED_OPS
from dialects.graph.fused import FusedOp as FusedOp
from dialects.graph.fused import YieldOp as YieldOp
from dialects.graph.fused import opaque_in as opaque_in
from dialects.graph.indexing import INDEXING_OPS
from dialects.graph.indexing import ArgsortOp as ArgsortOp
from dialects.graph.indexing import DynamicSliceOp as DynamicSliceOp
from dialects.graph.indexing import DynamicUpdateSliceOp as DynamicUpdateSliceOp
from dialects.graph.indexing import GatherElementsOp as GatherElementsOp
from dialects.graph.indexing import GatherNdOp as GatherNdOp
from dialects.graph.indexing import GatherOp as GatherOp
from dialects.graph.indexing import OverwritingOp as OverwritingOp
from dialects.graph.indexing import ScatterElementsOp as ScatterElementsOp
from dialects.graph.indexing import ScatterNdOp as ScatterNdOp
from dialects.graph.indexing import ScatterOp as ScatterOp
from dialects.graph.indexing import is_overwritten as is_overwritten
from dialects.graph.op import Canonical
from dialects.graph.op import GraphOp as GraphOp
from dialects.graph.op import Tensor as Tensor
from dialects.graph.op import integer as integer
from dialects.graph.op import ints as ints
from dialects.graph.op import real as real
from dialects.graph.op import shape_of as shape_of
from dialects.graph.op import tensor_of as tensor_of
from dialects.graph.opaque import OPAQUE_OPS
from dialects.graph.opaque import OpaqueOp as OpaqueOp
from dialects.graph.quantized import QUANTIZED_OPS
from dialects.graph.quantized import DequantizeOp as DequantizeOp
from dialects.graph.quantized import QconvOp as QconvOp
from dialects.graph.quantized import QmatmulOp as QmatmulOp
from dialects.graph.quantized import QuantizeOp as QuantizeOp
from dialects.graph.reduction import REDUCTION_OPS
from dialects.graph.reduction import BatchNormOp as BatchNormOp
from dialects.graph.reduction import CumsumOp as CumsumOp
from dialects.graph.reduction import LayerNormOp as LayerNormOp
from dialects.graph.reduction import LrnOp as LrnOp
from dialects.graph.reduction import PoolOp as PoolOp
from dialects.graph.reduction import ReduceOp as ReduceOp
from dialects.graph.reduction import RmsNormOp as RmsNormOp
from dialects.graph.reduction import SoftmaxOp as SoftmaxOp
from dialects.graph.repeat import RepeatOp as RepeatOp
from dialects.graph.shape import SHAPE_OPS
from dialects.graph.shape import BitcastOp as BitcastOp
from dialects.graph.shape import BroadcastOp as BroadcastOp
from dialects.graph.shape import ConcatOp as ConcatOp
from dialects.graph.shape import PadOp as PadOp
from dialects.graph.shape import ReshapeOp as ReshapeOp
from dialects.graph.shape import SliceOp as SliceOp
from dialects.graph.shape import TransposeOp as TransposeOp
from dialects.graph.shape import appends as appends
from dialects.graph.unary import UNARY_OPS
from dialects.graph.unary import AbsOp as AbsOp
from dialects.graph.unary import CastOp as CastOp
from dialects.graph.unary import CbrtOp as CbrtOp
from dialects.graph.unary import CeilOp as CeilOp
from dialects.graph.unary import ClipOp as ClipOp
from dialects.graph.unary import CosOp as CosOp
from dialects.graph.unary import ErfcOp as ErfcOp
from dialects.graph.unary import ErfOp as ErfOp
from dialects.graph.unary import Expm1Op as Expm1Op
from dialects.graph.unary import ExpOp as ExpOp
from dialects.graph.unary import FloorOp as FloorOp
from dialects.graph.unary import GeluOp as GeluOp
from dialects.graph.unary import IsFiniteOp as IsFiniteOp
from dialects.graph.unary import IsNanOp as IsNanOp
from dialects.graph.unary import Log1pOp as Log1pOp
from dialects.graph.unary import LogOp as LogOp
from dialects.graph.unary import NegOp as NegOp
from dialects.graph.unary import NotOp as NotOp
from dialects.graph.unary import ReciprocalOp as ReciprocalOp
from dialects.graph.unary import ReluOp as ReluOp
from dialects.graph.unary import RoundOp as RoundOp
from dialects.graph.unary import RsqrtOp as RsqrtOp
from dialects.graph.unary import SigmoidOp as SigmoidOp
from dialects.graph.unary import SignOp as SignOp
from dialects.graph.unary import SiluOp as SiluOp
from dialects.graph.unary import SinOp as SinOp
from dialects.graph.unary import SqrtOp as SqrtOp
from dialects.graph.unary import TanhOp as TanhOp
from dialects.graph.unary import TanOp as TanOp

if TYPE_CHECKING:
    from xdsl.pattern_rewriter import RewritePattern


FILL = "graph.fill"


def _canonical_patterns(op: type[Operation]) -> tuple[RewritePattern, ...]:
    from dialects.graph.patterns import canonical_patterns

    return canonical_patterns(op)


Canonical.source = _canonical_patterns

Graph = Dialect(
    "graph",
    [
        *CONSTANT_OPS,
        *UNARY_OPS,
        *BINARY_OPS,
        *CONTRACTION_OPS,
        *QUANTIZED_OPS,
        *REDUCTION_OPS,
        *SHAPE_OPS,
        *INDEXING_OPS,
        *FUSED_OPS,
        *OPAQUE_OPS,
        RepeatOp,
    ],
    [*CONSTANT_ATTRS],
    [
        Annotations(
            Annotation(
                FILL,
                "the interval from which random numbers for the argument are drawn: i64 for integers",
                "arguments of functions",
                on_arguments=True,
                kinds=(DenseArrayBase.constr(f64), DenseArrayBase.constr(i64)),
                example="array<f64: 0.0, 1.0>",
                words="range interval uniform random values init",
            )
        )
    ],
)
