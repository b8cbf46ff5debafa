"""The baseline of a placed program: an attribute that `place` puts on the function, from which summaries compute
speed-ups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr, IntegerAttr, StringAttr, f64, i1, i64
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer


@irdl_attr_definition
class BaselineAttr(ParametrizedAttribute):
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

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        def named(name: str) -> None:
            parser.parse_keyword(name)
            parser.parse_punctuation("=")

        def entry() -> tuple[str, int]:
            name = parser.parse_identifier_or_str_literal()
            parser.parse_punctuation("=")
            return name, parser.parse_integer(allow_boolean=False, allow_negative=False)

        def six() -> tuple[str, list[float]]:
            name = parser.parse_identifier_or_str_literal()
            parser.parse_punctuation("=")
            place = parser.pos
            read = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, lambda: float(parser.parse_number(allow_boolean=False))
            )
            if len(read) != 6:
                parser.raise_error(
                    f"an assumption in #task.baseline has six numbers, not {len(read)}", place, parser.pos
                )
            return name, read

        with parser.in_angle_brackets():
            figures: list[float] = []
            for name in ("ns", "nj"):
                named(name)
                figures.append(float(parser.parse_number(allow_boolean=False)))
                parser.parse_punctuation(",")
            board = figures[1]
            if parser.parse_optional_keyword("board") is not None:
                parser.parse_punctuation("=")
                board = float(parser.parse_number(allow_boolean=False))
                parser.parse_punctuation(",")
            fits = parser.parse_optional_keyword("oversized") is None
            if not fits:
                parser.parse_punctuation(",")
            bound = 0.0
            if parser.parse_optional_keyword("bound") is not None:
                parser.parse_punctuation("=")
                bound = float(parser.parse_number(allow_boolean=False))
                parser.parse_punctuation(",")
            form = ""
            if parser.parse_optional_keyword("in") is not None:
                parser.parse_punctuation("=")
                form = parser.parse_str_literal()
                parser.parse_punctuation(",")
            types = ""
            if parser.parse_optional_keyword("types") is not None:
                parser.parse_punctuation("=")
                types = parser.parse_str_literal()
                parser.parse_punctuation(",")
            ends: dict[str, list[float]] = {}
            if parser.parse_optional_keyword("ends") is not None:
                parser.parse_punctuation("=")
                ends = dict(parser.parse_comma_separated_list(parser.Delimiter.BRACES, six))
                parser.parse_punctuation(",")
            named("flops")
            flops = dict(parser.parse_comma_separated_list(parser.Delimiter.BRACES, entry))
            parser.parse_punctuation(",")
            named("machine")
            machine, conversions = parser.parse_str_literal(), types.split("; ") if types else ()
            attribute = cls.of(figures[0], figures[1], board, fits, flops, machine, bound, form, ends, conversions)
            return attribute.parameters

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"ns = {figure(self.ns)}, nj = {figure(self.nj)}, ")
            if self.board != self.nj:
                printer.print_string(f"board = {figure(self.board)}, ")
            if not self.fits.value.data:
                printer.print_string("oversized, ")
            if self.bound.value.data:
                printer.print_string(f"bound = {figure(self.bound)}, ")
            if self.form.data:
                printer.print_string("in = ")
                printer.print_string_literal(self.form.data)
                printer.print_string(", ")
            if self.types.data:
                printer.print_string("types = ")
                printer.print_string_literal(self.types.data)
                printer.print_string(", ")
            if self.ends.data:
                printer.print_string("ends = ")
                with printer.in_braces():
                    printer.print_list(self.ends.data.items(), lambda item: _print_six(printer, *item))
                printer.print_string(", ")
            printer.print_string("flops = ")
            with printer.in_braces():
                printer.print_list(self.flops_by_device.items(), lambda item: _print_entry(printer, *item))
            printer.print_string(", machine = ")
            printer.print_string_literal(self.machine.data)


def _print_six(printer: Printer, name: str, six: Attribute) -> None:
    printer.print_identifier_or_string_literal(name)
    numbers = [figure(each) for each in six.data if isinstance(each, FloatAttr)] if isinstance(six, ArrayAttr) else []  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType, reportUnknownArgumentType]
    printer.print_string(f" = [{', '.join(numbers)}]")


def _print_entry(printer: Printer, name: str, number: int) -> None:
    printer.print_identifier_or_string_literal(name)
    printer.print_string(f" = {number}")


def figure_attr(number: float) -> FloatAttr:
    """A time or energy, rounded to nine digits."""
    return FloatAttr(float(f"{number:.9g}"), f64)


def figure(number: FloatAttr) -> str:
    """The shortest decimal that reads back as the same number; MLIR's floats have a point."""
    text = repr(number.value.data)
    return text.replace("e", ".0e") if "e" in text and "." not in text else text
