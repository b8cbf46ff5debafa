"""The predicted makespan of a placement: an attribute that `place` puts on the function, compared with the simulation
in summaries."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import FloatAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from dialects.task.baseline import figure, figure_attr


@irdl_attr_definition
class PlanAttr(ParametrizedAttribute):
    """The makespan that the policy predicted, and a lower bound on any placement, on the machine with this digest:
    `#task.plan<"cost", ns = 1003.4, bound = 1003.4 "load of gpu", machine = "1f2e3d4c">`.

    The policy is written with its options. No placement and order of the program's ops ends before `bound`, for the
    stated reason; a policy that splits ops may end earlier, so that it states no bound. The attribute is ignored on a
    machine with another digest.
    """

    name = "task.plan"
    policy: StringAttr
    ns: FloatAttr
    bound: FloatAttr
    because: StringAttr
    machine: StringAttr

    @staticmethod
    def of(policy: str, ns: float, bound: float, because: str, machine: str) -> PlanAttr:
        """The attribute with these times, rounded to nine digits. A `bound` of 0 means unknown; `because`: the reason
        for the bound; `machine`: the machine's digest."""
        return PlanAttr(
            StringAttr(policy),
            figure_attr(ns),
            figure_attr(bound),
            StringAttr(because if bound else ""),
            StringAttr(machine),
        )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        def named(name: str) -> None:
            parser.parse_keyword(name)
            parser.parse_punctuation("=")

        with parser.in_angle_brackets():
            policy = parser.parse_str_literal()
            parser.parse_punctuation(",")
            named("ns")
            ns = float(parser.parse_number(allow_boolean=False))
            parser.parse_punctuation(",")
            bound, because = 0.0, ""
            if parser.parse_optional_keyword("bound") is not None:
                parser.parse_punctuation("=")
                bound = float(parser.parse_number(allow_boolean=False))
                because = parser.parse_str_literal()
                parser.parse_punctuation(",")
            named("machine")
            return cls.of(policy, ns, bound, because, parser.parse_str_literal()).parameters

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.policy.data)
            printer.print_string(f", ns = {figure(self.ns)}, ")
            if self.bound.value.data:
                printer.print_string(f"bound = {figure(self.bound)} ")
                printer.print_string_literal(self.because.data)
                printer.print_string(", ")
            printer.print_string("machine = ")
            printer.print_string_literal(self.machine.data)
