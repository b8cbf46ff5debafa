"""Decisions on kernels that may be offloaded from the primary device: an attribute that `place` sets on tasks, which
does not change their meaning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, TypeAlias, get_args

from xdsl.dialects.builtin import DictionaryAttr, FloatAttr, StringAttr
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.exceptions import VerifyException

from dialects.task.entries import FIGURE, TEXT, EntriesAttr, Entry, by_name, figure_attr

Word: TypeAlias = Literal["parallel", "fly-write", "fly-read", "sequential", "gpu"]
"""The decision on a kernel: `parallel`, offloaded and overlapped with independent kernels; `fly-write` or `fly-read`,
computed on the fly while the kernel's operands are written or its results are read; `sequential`, offloaded without
overlap; `gpu`, kept on the primary device."""
DECISION = "task.decision"
"""The name of the attribute on a task."""
NEAR = 1e-6
"""The relative tolerance of time comparisons: times are stored with nine digits."""


@irdl_attr_definition
class DecisionAttr(EntriesAttr):
    """The decision on a kernel that may be offloaded from the primary device, and the kernels that overlap with it,
    with times in ns: `#task.decision<"parallel", primary = 2000.0, away = 1500.0, beside = {"matmul" = 1200.0},
    "why">`.

    `primary`: the kernel's time on the primary device, 0 if it can't run there; `away`: its time on the other device;
    `beside`: for each kernel on the primary device that overlaps with it, the time of overlap; empty if the decision is
    to keep the kernel (`gpu`) or to run it without overlap (`sequential`).
    """

    name = "task.decision"
    word: StringAttr
    primary: FloatAttr
    away: FloatAttr
    beside: DictionaryAttr
    why: StringAttr
    ENTRIES: ClassVar[tuple[Entry, ...]] = (
        Entry("", (TEXT,)),
        Entry("primary", (FIGURE,), former="home"),
        Entry("away", (FIGURE,)),
        Entry("beside", (by_name(FIGURE, quoted=True),), omitted=lambda before: (DictionaryAttr({}),)),
        Entry("", (TEXT,)),
    )

    @staticmethod
    def of(word: Word, primary: float, away: float, beside: Mapping[str, float], why: str) -> DecisionAttr:
        """The attribute with this decision (`word`) and its reason (`why`); times are rounded to nine digits."""
        shares = DictionaryAttr({name: figure_attr(ns) for name, ns in beside.items()})
        return DecisionAttr(StringAttr(word), figure_attr(primary), figure_attr(away), shares, StringAttr(why))

    @property
    def shares(self) -> dict[str, float]:
        """The overlapped kernels on the primary device, each with the time of overlap."""
        return {name: ns.value.data for name, ns in self.beside.data.items() if isinstance(ns, FloatAttr)}

    @property
    def hidden_ns(self) -> float:
        """The time in ns during which the kernel overlaps with kernels on the primary device."""
        return sum(self.shares.values())

    @property
    def exposed_ns(self) -> float:
        """The kernel's time on the other device, in ns, without the time during which it overlaps with kernels on the
        primary device."""
        left = self.away.value.data - self.hidden_ns
        return left if self.word.data != "gpu" and left > self.away.value.data * NEAR else 0.0

    def verify(self) -> None:
        word, shares = self.word.data, self.shares
        if word not in get_args(Word):
            raise VerifyException(f"task.decision: a decision must be one of {', '.join(get_args(Word))}, not {word}")
        if not all(ns >= 0 for ns in (self.primary.value.data, self.away.value.data, *shares.values())):
            raise VerifyException(
                "task.decision: times must be at least 0 ns, but one is "
                f"{min(self.primary.value.data, self.away.value.data, *shares.values()):.9g} ns"
            )
        if bool(shares) == (word in ("gpu", "sequential")):
            met = (
                "runs without overlap, but `beside` names kernels that overlap with it; remove `beside`"
                if shares
                else "overlaps with kernels on the primary device, but none is named; add `beside` with their names "
                "and times of overlap"
            )
            raise VerifyException(f"task.decision: a kernel with the decision `{word}` {met}")
        if self.hidden_ns > self.away.value.data * (1 + NEAR):
            raise VerifyException(
                f"task.decision: kernels overlap for {self.hidden_ns:.9g} ns, but the op takes only "
                f"{self.away.value.data:.9g} ns on the other device; the overlap can't be longer"
            )


@irdl_attr_definition
class PublishedAttr(EntriesAttr):
    """The time of a function as the published model adds it up, i.e. the sum of the times of kernels on the primary
    device and of the exposed times of offloaded kernels, in ns, on the machine with this digest: `#task.published<ns
    = 1003.4, alone = 1400.0, bound = 980.0, machine = "1f2e3d4c">`.

    `alone`: the time if all kernels run on the primary device; `bound`: a lower bound on `ns` over all choices of
    offloaded kernels; 0 if unknown. The attribute is ignored on a machine with another digest.
    """

    name = "task.published"
    ns: FloatAttr
    alone: FloatAttr
    bound: FloatAttr
    machine: StringAttr
    ENTRIES: ClassVar[tuple[Entry, ...]] = (
        *(Entry(name, (FIGURE,)) for name in ("ns", "alone", "bound")),
        Entry("machine", (TEXT,)),
    )

    @staticmethod
    def of(ns: float, alone: float, bound: float, machine: str) -> PublishedAttr:
        """The attribute with these times, rounded to nine digits; `machine`: the machine's digest."""
        return PublishedAttr(figure_attr(ns), figure_attr(alone), figure_attr(bound), StringAttr(machine))
