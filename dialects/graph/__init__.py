"""`graph`: what to compute, as tensors and operators; no word about where or when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.ir import Dialect, Operation

from dialects.graph.binary import (
    BINARY_OPS,
    AddOp,
    AndOp,
    Atan2Op,
    CompareOp,
    DivOp,
    MaxOp,
    MinOp,
    MulOp,
    OrOp,
    PowOp,
    RemOp,
    SelectOp,
    ShiftOp,
    SubOp,
    XorOp,
)
from dialects.graph.broadcasting import ElementwiseOp, broadcast_shapes
from dialects.graph.constant import (
    CONSTANT_ATTRS,
    CONSTANT_OPS,
    ConstantOp,
    FileAttr,
    NumbersAttr,
    OnnxAttr,
    UniformAttr,
    WeightOp,
    WeightSource,
)
from dialects.graph.contraction import CONTRACTION_OPS, AttentionOp, ConvOp, Im2colOp, MatmulOp
from dialects.graph.fused import FUSED_OPS, FusedOp, YieldOp
from dialects.graph.indexing import (
    INDEXING_OPS,
    ArgsortOp,
    DynamicSliceOp,
    DynamicUpdateSliceOp,
    GatherElementsOp,
    GatherNdOp,
    GatherOp,
    ScatterElementsOp,
    ScatterNdOp,
)
from dialects.graph.op import Canonical, GraphOp, Tensor, integer, ints, real, shape_of, tensor_of
from dialects.graph.reduction import (
    REDUCTION_OPS,
    BatchNormOp,
    CumsumOp,
    LayerNormOp,
    LrnOp,
    PoolOp,
    ReduceOp,
    RmsNormOp,
    SoftmaxOp,
)
from dialects.graph.shape import SHAPE_OPS, BitcastOp, BroadcastOp, ConcatOp, PadOp, ReshapeOp, SliceOp, TransposeOp
from dialects.graph.unary import (
    UNARY_OPS,
    AbsOp,
    CastOp,
    CbrtOp,
    CeilOp,
    ClipOp,
    CosOp,
    ErfOp,
    Expm1Op,
    ExpOp,
    FloorOp,
    GeluOp,
    IsFiniteOp,
    IsNanOp,
    Log1pOp,
    LogOp,
    NegOp,
    NotOp,
    ReciprocalOp,
    ReluOp,
    RoundOp,
    RsqrtOp,
    SigmoidOp,
    SignOp,
    SiluOp,
    SinOp,
    SqrtOp,
    TanhOp,
    TanOp,
)

if TYPE_CHECKING:
    from xdsl.pattern_rewriter import RewritePattern


def _canonical_patterns(op: type[Operation]) -> tuple[RewritePattern, ...]:
    from dialects.graph.patterns import canonical_patterns

    return canonical_patterns(op)


Canonical.source = _canonical_patterns

Graph = Dialect(
    "graph",
    [*CONSTANT_OPS, *UNARY_OPS, *BINARY_OPS, *CONTRACTION_OPS, *REDUCTION_OPS, *SHAPE_OPS, *INDEXING_OPS, *FUSED_OPS],
    [*CONSTANT_ATTRS],
)

__all__ = [
    "AbsOp",
    "AddOp",
    "AndOp",
    "ArgsortOp",
    "Atan2Op",
    "AttentionOp",
    "BatchNormOp",
    "BitcastOp",
    "BroadcastOp",
    "CastOp",
    "CbrtOp",
    "CeilOp",
    "ClipOp",
    "CompareOp",
    "ConcatOp",
    "ConstantOp",
    "ConvOp",
    "CosOp",
    "CumsumOp",
    "DivOp",
    "DynamicSliceOp",
    "DynamicUpdateSliceOp",
    "ElementwiseOp",
    "ErfOp",
    "ExpOp",
    "Expm1Op",
    "FileAttr",
    "FloorOp",
    "FusedOp",
    "GatherElementsOp",
    "GatherNdOp",
    "GatherOp",
    "GeluOp",
    "Graph",
    "GraphOp",
    "Im2colOp",
    "IsFiniteOp",
    "IsNanOp",
    "LayerNormOp",
    "Log1pOp",
    "LogOp",
    "LrnOp",
    "MatmulOp",
    "MaxOp",
    "MinOp",
    "MulOp",
    "NegOp",
    "NotOp",
    "NumbersAttr",
    "OnnxAttr",
    "OrOp",
    "PadOp",
    "PoolOp",
    "PowOp",
    "ReciprocalOp",
    "ReduceOp",
    "ReluOp",
    "RemOp",
    "ReshapeOp",
    "RmsNormOp",
    "RoundOp",
    "RsqrtOp",
    "ScatterElementsOp",
    "ScatterNdOp",
    "SelectOp",
    "ShiftOp",
    "SigmoidOp",
    "SignOp",
    "SiluOp",
    "SinOp",
    "SliceOp",
    "SoftmaxOp",
    "SqrtOp",
    "SubOp",
    "TanOp",
    "TanhOp",
    "Tensor",
    "TransposeOp",
    "UniformAttr",
    "WeightOp",
    "WeightSource",
    "XorOp",
    "YieldOp",
    "broadcast_shapes",
    "integer",
    "ints",
    "real",
    "shape_of",
    "tensor_of",
]
