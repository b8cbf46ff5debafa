"""Memory management of a function's primary device: an attribute of the function, set by `prefetch` or a user, which
the simulation obeys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, get_args

from xdsl.dialects.builtin import DictionaryAttr, FloatAttr, IntegerAttr, StringAttr, i1, i64
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialects.task.entries import EXACT, INTEGER, TEXT, TRUTH, Kind, figure_attr

Mode: TypeAlias = Literal["move", "copy"]
"""`move`: evicted bytes are transferred out and in; `copy`: bytes with a valid copy in a tier are dropped at no
cost."""
MEMORY = "task.memory"
AT = "task.at"
_KINDS: Mapping[str, Kind] = {
    "mode": TEXT,
    "faults": TRUTH,
    "reuse": TRUTH,
    "runahead": INTEGER,
    "bound": EXACT,
    "ideal": EXACT,
    "machine": TEXT,
}
"""The entries in the order in which they are written, each with the kind of its value."""


@irdl_attr_definition
class MemoryAttr(ParametrizedAttribute):
    """The rules by which a device's memory is managed: `#task.memory<"pump factor=80", faults = true, runahead = 64>`;
    with a lower bound of all plans on the machine with a digest: `#task.memory<"plan", mode = "copy", bound = 1003.4
    "link to host", ideal = 980.2, machine = "1f2e3d4c">`.

    `mode`: `copy` (bytes with a valid copy in a tier are dropped at no cost, and writing back may begin after the last
    write) or `move` (evicted bytes are transferred out and in). `faults`: a task fetches absent operands by page
    faults; default: if the machine's sheets describe faults. `reuse`: memory of dead values is reused (default true).
    `runahead`: the number of tasks that the launching processor runs ahead (default: all). `bound` in ns; it is ignored
    on a machine with another digest, and unless the program takes `ideal` ns with enough memory for everything: then
    its tasks are those for which the bound was computed.
    """

    name = "task.memory"
    policy: StringAttr
    options: DictionaryAttr
    because: StringAttr

    @staticmethod
    def of(
        policy: str,
        *,
        mode: Mode | None = None,
        faults: bool | None = None,
        reuse: bool | None = None,
        runahead: int | None = None,
        bound: float | None = None,
        ideal: float | None = None,
        because: str = "",
        machine: str = "",
    ) -> MemoryAttr:
        """The attribute with these entries; None omits an entry. `because`: the reason for the bound; `machine`: the
        digest of the machine for which the bound holds. Times are rounded to nine digits."""
        options: dict[str, Attribute | None] = {
            "mode": None if mode is None else StringAttr(mode),
            "faults": None if faults is None else IntegerAttr(int(faults), i1),
            "reuse": None if reuse is None else IntegerAttr(int(reuse), i1),
            "runahead": None if runahead is None else IntegerAttr(runahead, i64),
            "bound": None if bound is None else figure_attr(bound),
            "ideal": None if ideal is None else figure_attr(ideal),
            "machine": StringAttr(machine) if machine else None,
        }
        stated = {word: value for word, value in options.items() if value is not None}
        return MemoryAttr(StringAttr(policy), DictionaryAttr(stated), StringAttr(because))

    @property
    def mode(self) -> Mode | None:
        """The mode, `move` or `copy`; None if omitted."""
        return next((mode for mode in get_args(Mode) if mode == self._text("mode")), None)

    @property
    def faults(self) -> bool | None:
        """True if a task fetches absent operands by page faults; None if omitted."""
        return self._flag("faults")

    @property
    def reuse(self) -> bool | None:
        """True if memory of dead values is reused; None if omitted."""
        return self._flag("reuse")

    @property
    def runahead(self) -> int | None:
        """The number of tasks that the launching processor runs ahead; None if all tasks are launched at once."""
        options = self.options.data.get("runahead")
        return options.value.data if isinstance(options, IntegerAttr) else None

    @property
    def bound_ns(self) -> float | None:
        """The lower bound of all plans, in ns; None if no bound is known."""
        return self._ns("bound")

    @property
    def ideal_ns(self) -> float | None:
        """The time of the program with enough memory for everything, in ns, for which the bound was computed; None if
        it is not known."""
        return self._ns("ideal")

    @property
    def machine(self) -> str:
        """The digest of the machine for which the bound holds; empty if there is none."""
        return self._text("machine")

    def _ns(self, name: str) -> float | None:
        options = self.options.data.get(name)
        return options.value.data if isinstance(options, FloatAttr) else None

    def _text(self, name: str) -> str:
        options = self.options.data.get(name)
        return options.data if isinstance(options, StringAttr) else ""

    def _flag(self, name: str) -> bool | None:
        options = self.options.data.get(name)
        return bool(options.value.data) if isinstance(options, IntegerAttr) else None

    def verify(self) -> None:
        if "mode" in self.options.data and self.mode is None:
            raise VerifyException(
                f"task.memory: the mode must be {' or '.join(get_args(Mode))}, not {self._text('mode')}"
            )
        if self.runahead is not None and self.runahead < 0:
            raise VerifyException(
                f"task.memory: `runahead` must be a number of tasks of at least 0, not {self.runahead}"
            )
        for name in ("bound", "ideal"):
            if (ns := self._ns(name)) is not None and not ns >= 0:
                raise VerifyException(f"task.memory: `{name}` must be a time of at least 0 ns, not {ns}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        options: dict[str, Attribute] = {}
        because = ""
        with parser.in_angle_brackets():
            policy = parser.parse_str_literal()
            while parser.parse_optional_punctuation(","):
                start = parser.pos
                word = parser.parse_identifier()
                if word not in _KINDS or word in options:
                    problem = (
                        "is given twice"
                        if word in options
                        else f"is unknown here; expected is one of {', '.join(_KINDS)}"
                    )
                    parser.raise_error(f"task.memory: `{word}` {problem}", start, parser.pos)
                parser.parse_punctuation("=")
                options[word] = _KINDS[word].read(parser)
                if word == "bound":
                    because = parser.parse_optional_str_literal() or ""
        return StringAttr(policy), DictionaryAttr(options), StringAttr(because)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.policy.data)
            for word, kind in _KINDS.items():
                if (value := self.options.data.get(word)) is None:
                    continue
                printer.print_string(f", {word} = ")
                kind.write(printer, value)
                if self.because.data and word == "bound":
                    printer.print_string(" ")
                    printer.print_string_literal(self.because.data)
