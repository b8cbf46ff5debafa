"""`graph`: what to compute, as tensors and operators; no word about where or when."""

from xdsl.ir import Dialect

from dialects.graph.constant import CONSTANT_ATTRS, CONSTANT_OPS
from dialects.graph.contraction import CONTRACTION_OPS
from dialects.graph.elementwise import ELEMENTWISE_OPS
from dialects.graph.fused import FUSED_OPS
from dialects.graph.indexing import INDEXING_OPS
from dialects.graph.reduction import REDUCTION_OPS
from dialects.graph.shape import SHAPE_OPS

Graph = Dialect(
    "graph",
    [*CONSTANT_OPS, *ELEMENTWISE_OPS, *CONTRACTION_OPS, *REDUCTION_OPS, *SHAPE_OPS, *INDEXING_OPS, *FUSED_OPS],
    [*CONSTANT_ATTRS],
)
