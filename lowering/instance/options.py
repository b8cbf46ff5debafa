"""The options of placement policies.

Each class holds the options that some policies read, and lowering/optimise/policies.py registers for each policy the
classes that it reads. All of them are options of the pass `place`, which refuses one that its policy does not read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal, get_args

from lowering.words import number, one_of

Accounting = Literal["full", "published"]
"""The time that policies for near-data units minimise: that of the timeline, or the published one."""


WITHOUT = ("devices", "moves", "stages")
"""The decisions that a plan may leave out (option `without`)."""
EFFORTS = (1, 2, 3)
"""The efforts of the search for the shortest makespan, from little to much work."""


@dataclass(frozen=True)
class Mode:
    """The kinds of steps that a PIMFlow policy allows in addition to unpartitioned layers on one device: `splits` of a
    layer, and `pipelines` of several."""

    splits: bool = False
    pipelines: bool = False


MODES: Mapping[str, Mode] = {
    "newton": Mode(),  # Newton+ or Newton++, depending on the machine's PIM
    "pipeline": Mode(pipelines=True),
    "mddp": Mode(splits=True),
    "pimflow": Mode(splits=True, pipelines=True),
}


@dataclass(frozen=True)
class PimflowOptions:
    """Options of PIMFlow's search."""

    mode: str = one_of(lambda: MODES, default="pimflow")
    """The part of PIMFlow's space to search: `newton`: unpartitioned layers, which is Newton++, or Newton+ on a PIM
    such as newton_plus; `mddp`: splits by rows; `pipeline`: two halves as pipeline stages; `pimflow`: all."""


@dataclass(frozen=True)
class PriorityOptions:
    """Options of a list of devices."""

    devices: tuple[str, ...] = ()
    """An op runs on the first of these devices that can run it."""


@dataclass(frozen=True)
class SerialOptions:
    """Options of the search for the least serial time."""

    width: int = number(1 << 20, least=1)
    """The entries of the largest table of an exact search for the least serial time."""


@dataclass(frozen=True)
class SearchOptions(SerialOptions):
    """Options of the search for the shortest makespan."""

    effort: int = number(2, least=EFFORTS[0], most=EFFORTS[-1])
    """The work of the search: 1: rules, moves, and for small programs an exact search, all without splits; 2: the plans
    of all rules, the best order and devices, splits and pipelines; 3: longer, and splits and pipelines are decided
    together with devices and order."""
    limit: float = number(0.0, least=0)
    """The time limit of the search, in seconds; 0: it is limited by counted work, so that the plan is the same on every
    computer."""
    gap: float = number(0.0, least=0)
    """The search stops when the makespan is at most this fraction above the lower bound."""
    without: tuple[str, ...] = ()
    """The decisions that the plan leaves out, to see what they are worth: `devices`: all but the primary device and its
    memories; `moves`: moves between memories and repeated runs, so that the program must fit; `stages`: pipelined
    kernels, so that products on GPUs take as long as by kernels of thread blocks whose buffers have one stage."""


@dataclass(frozen=True)
class FormOptions:
    """Options on the ways in which a device runs an op."""

    split: bool = False
    """If a device has several ways to run an op, each is a choice: near-data units may store each result in a phase of
    its own, if that is faster."""


@dataclass(frozen=True)
class OverlapOptions:
    """Options of policies for near-data units."""

    accounting: str = one_of(lambda: get_args(Accounting), default="full")
    """The time that is minimised: `full` is the timeline; `published` is the time of all kernels on the primary device
    plus the time of other kernels that is not hidden behind these."""


@dataclass(frozen=True)
class PolicyOptions(OverlapOptions, FormOptions, SearchOptions, PriorityOptions, PimflowOptions):
    """The options of all policies; those of the last base come first. A policy that tries others passes its options on
    to them."""

    def changed(self) -> dict[str, object]:
        """The options whose values are not the defaults, by name."""
        every = {field.name: (getattr(self, field.name), field.default) for field in fields(PolicyOptions)}
        return {name: value for name, (value, default) in every.items() if value != default}


@dataclass(frozen=True)
class Options(PolicyOptions):
    """The options with which a problem is placed."""

    behind: bool = False
    """True if the memory tiers behind the primary device count as its own memory."""

    @property
    def long(self) -> int:
        """The factor by which searches do more work than with the default effort."""
        return 4 if self.effort > 2 else 1
