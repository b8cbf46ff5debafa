"""The baseline of a placed program: an attribute that `place` puts on the function, from which summaries compute
speed-ups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr, IntegerAttr, StringAttr, i1, i64
from xdsl.irdl import irdl_attr_definition

from dialects.task.entries import COUNT, FIGURE, TEXT, TRUTH, EntriesAttr, Entry, Mark, by_name, figure_attr, figures

_SIX = figures(6, "an assumption in #task.baseline has six numbers")


@irdl_attr_definition
class BaselineAttr(EntriesAttr):
    """Time and energy of the original program on the primary device alone, valid for the machine with this digest:
    `#task.baseline<ns = 2003.68, nj = 20040.612, flops = {gpu = 4, pim = 128}, machine = "1f2e3d4c">`.

    `nj` is energy by component, idle power included; `board = …` follows if the energy of calibrated boards differs,
    `oversized` if the program exceeds the primary device's memory, `bound = …` (ns) if the planner found a lower bound
    with splits, `in = "f16, attention fused"` the form of the program, if it is not the one that was read, and `types =
    "f16"` the element types that it might have been converted to, separated by semicolons. `ends =
    {"launch" = [ns, nj, board, ns, nj, board]}` are the same figures at the low and at the high end of each assumption
    of the primary device's sheet. `flops` are those of each device as placed, which can't be derived from bank
    programs. The attribute depends only on what is computed: a pass that changes a function's meaning drops it, and so
    should manual edits of a placed program. It is ignored on a machine with another digest.
    """

    name = "task.baseline"
    ns: FloatAttr
    nj: FloatAttr
    board: FloatAttr
    fits: IntegerAttr
    bound: FloatAttr
    form: StringAttr
    types: StringAttr
    ends: DictionaryAttr
    flops: DictionaryAttr
    machine: StringAttr
    ENTRIES: ClassVar[tuple[Entry, ...]] = (
        Entry("ns", (FIGURE,)),
        Entry("nj", (FIGURE,)),
        Entry("board", (FIGURE,), omitted=lambda before: (before[1],)),
        Mark("oversized", (TRUTH,), omitted=lambda before: (IntegerAttr(1, i1),)),
        Entry("bound", (FIGURE,), omitted=lambda before: (figure_attr(0.0),)),
        Entry("in", (TEXT,), omitted=lambda before: (StringAttr(""),)),
        Entry("types", (TEXT,), omitted=lambda before: (StringAttr(""),)),
        Entry("ends", (by_name(_SIX),), omitted=lambda before: (DictionaryAttr({}),)),
        Entry("flops", (by_name(COUNT),)),
        Entry("machine", (TEXT,)),
    )

    @staticmethod
    def of(
        ns: float,
        nj: float,
        board: float,
        fits: bool,
        flops: Mapping[str, int],
        machine: str,
        bound: float = 0.0,
        form: str = "",
        ends: Mapping[str, Sequence[float]] | None = None,
        types: Sequence[str] = (),
    ) -> BaselineAttr:
        """The attribute with these figures; times and energies are rounded to nine digits. `fits`: False if the program
        exceeds the primary device's memory. `bound` = 0 means that no bound is known."""
        return BaselineAttr(
            figure_attr(ns),
            figure_attr(nj),
            figure_attr(board),
            IntegerAttr(int(fits), i1),
            figure_attr(bound),
            StringAttr(form),
            StringAttr("; ".join(types)),
            DictionaryAttr(
                {name: ArrayAttr([figure_attr(number) for number in six]) for name, six in (ends or {}).items()}
            ),
            DictionaryAttr({name: IntegerAttr(number, i64) for name, number in flops.items()}),
            StringAttr(machine),
        )

    @property
    def figures_at_ends(self) -> dict[str, list[float]]:
        """For each assumption, by name, six figures: time, energy by component and energy of boards, at the low and at
        the high end of its range."""
        return {
            name: [each.value.data for each in six.data if isinstance(each, FloatAttr)]  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            for name, six in self.ends.data.items()
            if isinstance(six, ArrayAttr)
        }

    @property
    def conversions(self) -> tuple[str, ...]:
        """The element types to which the program might have been converted."""
        return tuple(self.types.data.split("; ")) if self.types.data else ()

    @property
    def flops_by_device(self) -> dict[str, int]:
        return {name: each.value.data for name, each in self.flops.data.items() if isinstance(each, IntegerAttr)}
