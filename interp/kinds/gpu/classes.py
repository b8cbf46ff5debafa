"""All kernel classes by name."""

from __future__ import annotations

from interp.kinds.gpu.attention.classes import ATTENTION_CLASSES
from interp.kinds.gpu.conv.algorithms import CONV_CLASSES
from interp.kinds.gpu.experts import EXPERT_CLASSES
from interp.kinds.gpu.gemm.model import GEMM_CLASSES
from interp.kinds.gpu.kernel_class import KernelClass
from interp.kinds.gpu.vector import VECTOR_CLASSES

CLASSES: dict[str, KernelClass] = {
    found.name: found for found in (*GEMM_CLASSES, *CONV_CLASSES, *VECTOR_CLASSES, *ATTENTION_CLASSES, *EXPERT_CLASSES)
}
