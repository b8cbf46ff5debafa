"""Construction of the record of a device, link or engine from its statements, with checks."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from typing import cast

from dialects.diagnostics import InputError
from interp.machine.records import Verb
from interp.machine.sheets.commands import CommandTable
from interp.machine.sheets.fields import ISSUED, MODELLED, Field, Record, Section
from interp.machine.sheets.ineffective import check_effective, report_ineffective
from interp.machine.sheets.judging import Judge, Timings
from interp.machine.sheets.ranges import assumptions_of, without_range
from interp.machine.sheets.statements import (
    FieldStatement,
    GapStatement,
    Group,
    Largest,
    Name,
    Number,
    OperatorChain,
    SheetPlace,
    Statement,
)
from interp.machine.sheets.values import as_float, near


class Maker(Judge):
    """The construction of the record of one device, link or engine from its statements."""

    def __init__(
        self,
        name: str,
        kind: str,
        description: str,
        statements: Mapping[str, Statement],
        place: SheetPlace,
        bases: tuple[str, ...] = (),
        own: Container[str] = (),
    ) -> None:
        """`statements`: all statements by key, including those of the sheets that this sheet derives from (`bases`);
        `own`: the keys of statements in this sheet itself, of which those without an effect are reported."""
        super().__init__(name, kind, statements, place)
        self.description = description
        self.bases = bases
        self.own = own

    def record(self) -> Record:
        """The checked record. Raises InputError at the first invalid statement, or at the heading if a statement is
        missing."""
        if any(field.path == "clock" for field in self.kind.fields):
            self.clock = self.amount(self.required("clock", "clock 1 GHz").value, "Hz", False)
        values: dict[str, object] = {}
        self.names = Timings(
            {key.partition(".")[2]: s for key, s in self.fields() if key.startswith("timing.")}, self.clock
        )
        for section in self.kind.sections:
            for name in section.needed:
                self.required(f"{section.path}.{name}", f"{section.path} {name} 1 TFLOP/s")
            if section.attribute:
                values[section.attribute] = dict(self.members(section))
        for field in self.kind.fields:
            values |= self.held(field)
        if values.get("model") == "kernels":
            for path in MODELLED:
                self.required(path, next(field.example for field in self.kind.fields if field.path == path))
        if self.kind.has_commands:
            values |= CommandTable(self).values()
            self.check_levels(values)
            self.check_programs(values)
            check_effective(self, values)
        if "chunk" in values:
            self.check_pages(values)
        self.refuse_other_kinds()
        report_ineffective(self, values, self.own)
        sources = {key: _with_formula(statement) for key, statement in self.statements.items()}
        return self.kind.record(
            name=self.name,
            kind=self.kind_name,
            description=self.description,
            sources=sources,
            assumed=assumptions_of(self.statements, self.kind, self.names, self.clock),
            unranged=without_range(self.statements, self.kind),
            file=self.place.file,
            places={key: _line(statement) for key, statement in self.statements.items()},
            formulas={
                key: " ".join(statement.text.split())
                for key, statement in self.statements.items()
                if isinstance(statement, GapStatement)
            },
            bases=self.bases,
            **values,
        )

    def members(self, section: Section) -> Iterator[tuple[str, float]]:
        for key, statement in self.fields():
            head, _, name = key.partition(".")
            if head == section.path and name and not isinstance(self.kind.field(key), Field):
                if section.keys is not None and name not in section.keys:
                    raise InputError(f"`{head}` has no name `{name}`{near(name, section.keys)}", str(statement.place))
                if section.unit == "cycles":
                    yield name, int(self.names[name])
                else:
                    yield name, as_float(self.amount(statement.value, section.unit, False), statement.value.place)

    def check_levels(self, values: Mapping[str, object]) -> None:
        """Raises InputError if bank groups can't be divided evenly among pseudo-channels and ranks."""
        groups, pseudochannels, ranks = (cast(int, values[name]) for name in ("groups", "pseudochannels", "ranks"))
        if groups % (pseudochannels * ranks):
            raise InputError(
                f"{groups} groups per channel can't be divided among {pseudochannels} "
                f"pseudo-channels of {ranks} ranks; "
                f"the number of groups must be a multiple of {pseudochannels} x {ranks}",
                str(self.required("shape.groups", "shape groups 4").place),
            )

    def check_pages(self, values: Mapping[str, object]) -> None:
        """Raises InputError if a block is not a whole number of pages, or if the number of blocks in a chunk is not a
        power of two."""
        page, block, chunk = (cast(int, values[name]) for name in ("page", "block", "chunk"))
        blocks = chunk // block if block else 0
        tree = f"a chunk is a binary tree of blocks: {block} bytes, twice that, four times that"
        partial, no_tree = block < page or block % page, blocks < 1 or chunk % block or blocks & (blocks - 1)
        for path, wrong, wanted in (
            ("paging.page", page < 1, "a page has a byte at least"),
            ("paging.block", values["demand"] and partial, f"a block is whole pages of {page} bytes"),
            ("paging.chunk", values["demand"] and no_tree, tree),
        ):
            if wrong:
                statement = self.statements.get(path)
                met = values[path.rpartition(".")[2]]
                raise InputError(
                    f"{wanted}, but {met} bytes were met", str(self.place if statement is None else statement.place)
                )

    def check_programs(self, values: Mapping[str, object]) -> None:
        """Raises InputError if a sheet names a published generator of programs without the number of global buffers
        that its programs use, or states that number without a generator; and if the device lacks a command that the
        generator's programs contain."""
        statement, buffers = self.statements.get("programs"), self.statements.get("programs.buffers")
        if isinstance(statement, FieldStatement) and statement.text != "own":
            if buffers is None:
                raise InputError(
                    f"`programs {statement.text}` does not state the number of global buffers; write for instance "
                    f"`programs {statement.text} buffers 4` (in braces: programs.buffers = 4)",
                    str(statement.place),
                )
            self.check_issued(statement, values)
        if statement is None and buffers is not None:
            raise InputError(
                "`programs buffers` has an effect only for programs of a published generator (`programs pimflow "
                "buffers 4`), but this device runs ndpir's own programs; remove the statement",
                str(buffers.place),
            )

    def check_issued(self, statement: FieldStatement, values: Mapping[str, object]) -> None:
        """Raises InputError, at `statement`, if the device lacks a command that programs of the generator named there
        contain."""
        verbs = cast("Mapping[str, Verb]", values["verbs"])
        lacks = [f"`{v} {s}`" for v, s in ISSUED[statement.text] if v not in verbs or s not in verbs[v].forms]
        lacks += ["rows that programs open (`rows by program`)"] if values["rows_by"] != "program" else []
        if lacks:
            raise InputError(
                f"`programs {statement.text}` needs {', '.join(lacks)}, which {self.name} does not have; remove the "
                "statement, or use a device that has what it needs",
                str(statement.place),
            )

    def refuse_other_kinds(self) -> None:
        """Raises InputError for a statement that only sheets of other kinds may contain."""
        for key, statement in self.statements.items():
            if not self.kind.has_commands and not isinstance(statement, FieldStatement):
                raise InputError(
                    f"a sheet of kind {self.kind_name} can't state `{key.split()[0]}`; only a sheet of kind pim can",
                    str(statement.place),
                )


def _line(statement: Statement) -> str:
    place = statement.place
    return f"{Path(place.file).name}:{place.line}" if place.line else place.file


def _with_formula(statement: Statement) -> str:
    """A statement's source, preceded by the formula of its value unless the value is written as a plain number of
    cycles."""
    match statement:
        case FieldStatement(value=Number(unit=str()), key=key) if key.startswith("timing."):
            return f"= {statement.text}; {statement.source}"
        case GapStatement(cycles=Number(unit=str())):
            return f"= {statement.text}; {statement.source}"
        case (
            FieldStatement(value=OperatorChain() | Group() | Largest())
            | GapStatement(cycles=OperatorChain() | Group() | Largest() | Name())
        ):
            return f"= {statement.text}; {statement.source}"
        case _:
            return statement.source
