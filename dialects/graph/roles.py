"""Properties of op classes used by passes: the role of an op in a fused kernel, and its freedom of layout."""

from __future__ import annotations

from enum import Enum, auto

from xdsl.traits import OpTrait


class FusionRole(Enum):
    """The role of an op in a fused kernel; operators are classified as by Chen et al. (TVM, 2018)."""

    OPAQUE = auto()
    """An op that is never fused."""
    CONTRACTION = auto()
    """An op that multiplies and accumulates; element-wise ops on its result can be fused into its kernel."""
    REDUCTION = auto()
    """A reduction that reads each element once: element-wise producers of its operand can be fused into its kernel."""
    WINDOWED = auto()
    """A reduction that reads each element several times."""
    POINTWISE = auto()
    """An op whose result elements depend only on operand elements at their own position."""
    CONVERSION = auto()
    """A pointwise op that is cheap enough to recompute."""
    MOVEMENT = auto()
    """An op that moves elements: it can be fused as an index computation."""
    VIEW = auto()
    """An op that moves no data."""

    @property
    def anchors(self) -> bool:
        """True for a contraction or reduction, which can be the anchor of a fused kernel: the op that its neighbours
        are fused with. A kernel has at most one anchor."""
        return self in (FusionRole.CONTRACTION, FusionRole.REDUCTION, FusionRole.WINDOWED)

    @property
    def reduces(self) -> bool:
        """True for an op that reduces several elements to one, without multiply-accumulates."""
        return self in (FusionRole.REDUCTION, FusionRole.WINDOWED)

    @property
    def is_pointwise(self) -> bool:
        """True for an op whose result elements depend only on operand elements at their own position."""
        return self in (FusionRole.POINTWISE, FusionRole.CONVERSION)

    @property
    def is_free(self) -> bool:
        """True for an op whose elements can be recomputed at almost no cost."""
        return self in (FusionRole.CONVERSION, FusionRole.MOVEMENT, FusionRole.VIEW)


class AnyLayout(OpTrait):
    """Trait of ops whose kernels read and write images with their axes in any order in memory, by index computation.
    Ops without this trait read and write row-major images."""
