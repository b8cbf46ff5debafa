"""All kernel classes by name."""

from __future__ import annotations

from interp.cost.gpu.attention.classes import ATTENTION_CLASSES
from interp.cost.gpu.conv.algorithms import CONV_CLASSES
from interp.cost.gpu.gemm.model import GEMM
from interp.cost.gpu.kernel_class import KernelClass
from interp.cost.gpu.vector import VECTOR_CLASSES

CLASSES: dict[str, KernelClass] = {
    found.name: found for found in (GEMM, *CONV_CLASSES, *VECTOR_CLASSES, *ATTENTION_CLASSES)
}
