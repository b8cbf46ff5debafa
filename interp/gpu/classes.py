"""All classes of kernels by name."""

from __future__ import annotations

from interp.gpu.attention import ATTENTION_CLASSES
from interp.gpu.conv import CONV_CLASSES
from interp.gpu.gemm import GEMM
from interp.gpu.kernel_class import KernelClass
from interp.gpu.vector import VECTOR_CLASSES

CLASSES: dict[str, KernelClass] = {
    found.name: found for found in (GEMM, *CONV_CLASSES, *VECTOR_CLASSES, *ATTENTION_CLASSES)
}
