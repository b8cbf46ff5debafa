"""Facts of an op's class that passes ask for: its part in a kernel of several ops, and its freedom of layout."""

from __future__ import annotations

from enum import Enum, auto

from xdsl.traits import OpTrait


class FusionRole(Enum):
    """The part that an op plays in a kernel of several; operators are told apart as by Chen et al. (TVM, 2018)."""

    OPAQUE = auto()
    """Runs alone."""
    CONTRACTION = auto()
    """Multiplies and accumulates; ops that follow element by element join its kernel."""
    REDUCTION = auto()
    """Reads each element once: what makes it element by element may be computed on the way in."""
    WINDOWED = auto()
    """A reduction that reads each element several times."""
    POINTWISE = auto()
    """An element of the result depends on elements at its own place alone."""
    CONVERSION = auto()
    """Pointwise, and computing it again costs nothing to speak of."""
    MOVEMENT = auto()
    """Moves elements: where one lies is an index to compute."""
    VIEW = auto()
    """Moves no byte."""

    @property
    def anchors(self) -> bool:
        """True for an op that a kernel is built around; a kernel has one such op."""
        return self in (FusionRole.CONTRACTION, FusionRole.REDUCTION, FusionRole.WINDOWED)

    @property
    def reduces(self) -> bool:
        """True for an op that makes one element of several, without multiply-accumulates."""
        return self in (FusionRole.REDUCTION, FusionRole.WINDOWED)

    @property
    def is_pointwise(self) -> bool:
        """True for an op whose result elements depend on operand elements at their own place alone."""
        return self in (FusionRole.POINTWISE, FusionRole.CONVERSION)

    @property
    def is_free(self) -> bool:
        """True for an op whose elements may be computed again at next to no cost."""
        return self in (FusionRole.CONVERSION, FusionRole.MOVEMENT, FusionRole.VIEW)


class AnyLayout(OpTrait):
    """The op's kernels read images in any order of their axes and write them in any: an index is theirs to work out.
    Ops without this trait take and make them row-major."""
