"""The expected makespan of a placement: a note of `place` on the function, for summaries to hold the simulation
against."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import FloatAttr, StringAttr, f64
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from dialects.task.baseline import figure


@irdl_attr_definition
class PlanAttr(ParametrizedAttribute):
    """The makespan that the policy expected, and a lower bound on any placement, on the machine of this
    digest: `#task.plan<"cost", ns = 1003.4, bound = 1003.4 "load of gpu", machine = "1f2e3d4c">`.

    The policy stands with the options that it was given. No placement of the program's ops ends before `bound`, in any
    order, for the reason behind it; a policy that cuts ops in parts may, and has none. On a machine with other numbers
    it is not used.
    """

    name = "task.plan"
    policy: StringAttr
    ns: FloatAttr
    bound: FloatAttr
    because: StringAttr
    machine: StringAttr

    @staticmethod
    def of(policy: str, ns: float, bound: float, because: str, machine: str) -> PlanAttr:
        """Times are kept to nine digits. A `bound` of 0 is none."""
        return PlanAttr(
            StringAttr(policy),
            FloatAttr(float(f"{ns:.9g}"), f64),
            FloatAttr(float(f"{bound:.9g}"), f64),
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
