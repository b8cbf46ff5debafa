"""Plans of tasks on near-data units: the choice to store several results in one phase, or each in a separate phase."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

OUTPUTS = "ndp.outputs"

FORMS = ("together", "split")


@irdl_attr_definition
class OutputsAttr(ParametrizedAttribute):
    """The way to store several results of one phase: `#ndp.outputs<together>` stores them all in this phase;
    `#ndp.outputs<split>` stores each in a separate phase, wherever that takes less time."""

    name = "ndp.outputs"
    form: StringAttr

    @staticmethod
    def of(form: str) -> OutputsAttr:
        return OutputsAttr(StringAttr(form))

    def verify(self) -> None:
        if self.form.data not in FORMS:
            raise VerifyException(f"ndp.outputs: results are stored {' or '.join(FORMS)}, not `{self.form.data}`")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            start = parser.pos
            if (word := parser.parse_identifier()) not in FORMS:
                parser.raise_error(
                    f"ndp.outputs: {' or '.join(FORMS)} is expected here, not `{word}`", start, parser.pos
                )
            return [StringAttr(word)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.form.data)


TOGETHER, SPLIT = map(OutputsAttr.of, FORMS)
