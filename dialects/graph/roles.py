"""What passes ask of an op's class: its part in a kernel of several ops, and whether it takes images in any layout."""

from __future__ import annotations

from enum import Enum, auto

from xdsl.traits import OpTrait


class FusionRole(Enum):
    """What an op is to the others of a kernel (Chen et al., TVM, 2018, tell operators apart in the same way)."""

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
        """Whether a kernel is built around such an op, and has no other one."""
        return self in (FusionRole.CONTRACTION, FusionRole.REDUCTION, FusionRole.WINDOWED)

    @property
    def reduces(self) -> bool:
        """Whether several elements become one without multiply-accumulates."""
        return self in (FusionRole.REDUCTION, FusionRole.WINDOWED)

    @property
    def is_pointwise(self) -> bool:
        """Whether an element of the result depends on elements at its own place alone."""
        return self in (FusionRole.POINTWISE, FusionRole.CONVERSION)

    @property
    def is_free(self) -> bool:
        """Whether computing an element again costs nothing to speak of."""
        return self in (FusionRole.CONVERSION, FusionRole.MOVEMENT, FusionRole.VIEW)


class AnyLayout(OpTrait):
    """The op's kernels read images in any order of their axes and write them in any: an index is theirs to work out.
    Ops without this trait take and make them row-major."""
