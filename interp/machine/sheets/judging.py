"""Evaluation of the numbers and words of a sheet's statements, with checks of units, missing statements and valid
ranges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from dialects.diagnostics import InputError
from dialects.graph import GraphOp
from interp.machine.sheets.fields import ALL, KINDS, Field
from interp.machine.sheets.statements import Expression, FieldStatement, Name, SheetPlace, Statement, Words
from interp.machine.sheets.values import as_float, near, quantity, whole_cycles
from interp.units import UNITS


class Judge:
    """The statements of one device or link, and the evaluation of their values."""

    def __init__(self, name: str, kind: str, statements: Mapping[str, Statement], place: SheetPlace) -> None:
        self.name, self.kind_name, self.kind = name, kind, KINDS[kind]
        self.statements = statements
        self.place = place
        self.clock = Fraction(0)
        self.names: Mapping[str, Fraction] = {}

    def fields(self) -> Iterator[tuple[str, FieldStatement]]:
        return ((key, s) for key, s in self.statements.items() if isinstance(s, FieldStatement))

    def required(self, path: str, example: str) -> FieldStatement:
        statement = self.statements.get(path)
        if not isinstance(statement, FieldStatement):
            raise InputError(
                f"{self.name} does not state `{path.replace('.', ' ')}`; write for instance `{example}`",
                str(self.place),
            )
        return statement

    def held(self, field: Field) -> dict[str, object]:
        """The values of a field in the record, by attribute: a single value, or two if the field may be stated in an
        alternative unit."""
        statement = self.statements.get(field.path)
        if field.other is None or not isinstance(statement, FieldStatement):
            return {field.attribute: self.value(field)}
        unit, attribute = field.other
        met = quantity(statement.value, self.names).dimension
        if met == UNITS[field.unit].dimension:
            return {field.attribute: self.value(field)}
        if met != UNITS[unit].dimension:
            wanted = " or ".join(f"{UNITS[each].dimension} ({each})" for each in (field.unit, unit))
            raise InputError(f"{met} was met, but {wanted} is expected", str(statement.value.place))
        amount = self.amount(statement.value, unit, field.zero)
        return {field.attribute: 0.0, attribute: as_float(amount, statement.value.place)}

    def value(self, field: Field) -> object:
        if field.path not in self.statements and field.default is not None:
            return field.default
        expression = self.required(field.path, field.example).value
        match field.unit:
            case "word":
                return self.word(field, expression)
            case "name":
                if not isinstance(expression, Name):
                    raise InputError(f"`{field.path}` must be a name (`{field.example}`)", str(expression.place))
                return expression.text
            case "ops":
                return self.ops(field, expression)
            case "cycles":
                return self.cycles(expression, field.zero)
            case "threads":
                return 0 if isinstance(expression, Name) and expression.text == ALL else self.count(field, expression)
            case "" | "columns":
                return self.count(field, expression)
            case "factor":
                return as_float(self.amount(expression, "", field.zero), expression.place)
            case "B":
                return int(self.amount(expression, "B", field.zero))
            case unit:
                return as_float(self.amount(expression, unit, field.zero), expression.place)

    def word(self, field: Field, expression: Expression) -> str | bool:
        words = field.words or {}
        met = expression.text if isinstance(expression, Name) else ""
        if met not in words:
            shown = f"`{met}`" if met else "a number"
            statement = field.path.replace("_", " ")
            raise InputError(f"`{statement}` must be one of {', '.join(words)}, not {shown}", str(expression.place))
        return words[met] if isinstance(words[met], bool) else met

    def ops(self, field: Field, expression: Expression) -> tuple[str, ...]:
        """The names of graph ops in an expression, without the dialect. Raises InputError for a name that is no graph
        op's."""
        if not isinstance(expression, Name | Words):
            raise InputError(
                f"`{field.path}` must list graph ops (`{field.example}`), not numbers", str(expression.place)
            )
        words = (expression,) if isinstance(expression, Name) else expression.words
        known = _graph_ops()
        for word in words:
            if word.text not in known:
                raise InputError(f"there is no op `graph.{word.text}`{near(word.text, known)}", str(word.place))
        return tuple(dict.fromkeys(word.text for word in words))

    def cycles(self, expression: Expression, zero: bool) -> int:
        cycles = whole_cycles(expression, self.names, self.clock)
        if cycles == 0 and not zero:
            raise InputError("0 cycles were met, but at least 1 is expected here", str(expression.place))
        return cycles

    def count(self, field: Field, expression: Expression) -> int:
        return self.whole_number(expression, f"`{field.path}` ({field.meaning})")

    def whole_number(self, expression: Expression, counts: str) -> int:
        """The value of an expression that must be a whole number of at least 1. `counts`: a description of the number
        for the error."""
        number = self.amount(expression, "", False)
        if number.denominator != 1:
            raise InputError(f"{counts} must be a whole number, not {float(number):g}", str(expression.place))
        return int(number)

    def amount(self, expression: Expression, unit: str, zero: bool) -> Fraction:
        """The value of an expression in `unit`. Raises InputError for a value of another dimension, a negative number,
        or 0 unless `zero` is True."""
        found = quantity(expression, self.names)
        wanted = UNITS[unit or "cycles"]
        if found.dimension != wanted.dimension:
            shown = f" (in {unit}, say)" if unit else ""
            raise InputError(
                f"{found.dimension} was met, but {wanted.dimension}{shown} is expected", str(expression.place)
            )
        if found.value < 0 or (found.value == 0 and not zero):
            least = "0 or more" if zero else "a number above 0"
            raise InputError(
                f"{_shown(found.value / wanted.scale)} {unit}".rstrip() + f" was met, but {least} is expected",
                str(expression.place),
            )
        return found.value / wanted.scale


class Timings(Mapping[str, Fraction]):
    """Named timing parameters in cycles. Each is evaluated at its first use, since its formula may contain other timing
    parameters."""

    def __init__(self, statements: Mapping[str, FieldStatement], clock: Fraction) -> None:
        self.statements, self.clock = statements, clock
        self.known: dict[str, Fraction] = {}
        self.open: list[str] = []

    def __getitem__(self, name: str) -> Fraction:
        if name not in self.known:
            statement = self.statements[name]
            if name in self.open or len(self.open) > 40:
                trail = " -> ".join([*self.open[-5:], name])
                raise InputError(
                    f"the timing parameter `{name}` depends on itself ({trail}); give one of these parameters a number",
                    str(statement.place),
                )
            self.open.append(name)
            self.known[name] = Fraction(whole_cycles(statement.value, self, self.clock))
            self.open.pop()
        return self.known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.statements)

    def __len__(self) -> int:
        return len(self.statements)


def _graph_ops() -> set[str]:
    """Names of all graph ops, including plug-ins', without the dialect."""
    classes, found = list(GraphOp.__subclasses__()), set[str]()
    while classes:
        each = classes.pop()
        classes += each.__subclasses__()
        if isinstance(name := getattr(each, "name", None), str):
            found.add(name.partition(".")[2])
    return found


def _shown(value: Fraction) -> str:
    try:
        return f"{float(value):g}"
    except OverflowError:
        return "a number that is too large"
