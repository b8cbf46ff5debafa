"""Timing variants of a device: the timing rules of its specification, those of a published simulator, and the list of
their differences, each with the lines of the simulator's sheet."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

from xdsl.ir import Operation

from dialects.diagnostics import InputError
from dialects.files import read_regular
from dialects.locations import place_of
from interp.machine.records import Pim
from interp.machine.sheets.files import (
    Change,
    added_up,
    blocks_in,
    find,
    lineage_of,
    with_changes,
    written_as,
)
from interp.machine.sheets.making import Maker
from interp.machine.sheets.named_files import folder_of
from interp.machine.sheets.search import files_in, folders
from interp.machine.sheets.statements import Block, PartiesStatement, SheetPlace, Statement, VariantStatement


@dataclass(frozen=True)
class Difference:
    """One difference between a simulator and the specification: the lines of the simulator's sheet that state it, and
    its source. `alone`: the specification's device with only this difference, or the error if its sheet would be
    invalid."""

    text: str
    source: str
    alone: Pim | InputError


@dataclass(frozen=True)
class TimingVariant:
    """A device by its specification (`specified`), its timing variant in a simulator (`compatible`), the source of the
    variant, and all differences between the two."""

    specified: Pim
    compatible: Pim
    source: str
    differences: tuple[Difference, ...]


def timing_variants_of(
    reference: str, changes: Mapping[str, Change], at: Operation | str | None = None
) -> list[TimingVariant]:
    """The timing variants of a device, named as in `load_device`, in published simulators; for a device that is itself
    a timing variant, only that one.

    A device whose sheet has no timing variants has those of the nearest sheet that it derives from. `changes` apply to
    the specification's rules and to the simulator's. Raises InputError for invalid sheets.
    """
    where = place_of(at) if isinstance(at, Operation) else at
    lineage = lineage_of(*find(reference, None, where, search_folder=folder_of(where)))
    _, own, _ = added_up(lineage)
    if isinstance(variant := own.get("variant"), VariantStatement):
        return [_variant(lineage[-1], variant, None, changes, where)]
    for block, _ in reversed(lineage):
        if found := [_variant(of, variant, lineage, changes, where) for of, variant in _variants_of(block.name)]:
            return found
    return []


def _variants_of(name: str) -> Iterator[tuple[tuple[Block, Path], VariantStatement]]:
    """The sheets that contain a `variant of` statement for the device `name`: each as its block and file, with that
    statement."""
    for folder in folders():
        for path in files_in(folder, ".sheet"):
            try:
                blocks = blocks_in(path)
            except InputError:  # reported where the sheet is used
                continue
            for block in blocks.values():
                variant = block.statements.get("variant")
                if isinstance(variant, VariantStatement) and variant.of.text == name:
                    yield (block, path), variant


Patch: TypeAlias = Mapping[str, Statement | None]
"""The statements that a difference changes, by key; None for a statement that it removes."""


def _variant(
    read: tuple[Block, Path],
    variant: VariantStatement,
    own: list[tuple[Block, Path]] | None,
    changes: Mapping[str, Change],
    where: str | None,
) -> TimingVariant:
    """The timing variant in the sheet `read`. Its specification is the device with the lineage `own`; if that is None,
    the device that the sheet names."""
    block, path = read
    named = lineage_of(*find(variant.of.text, path, str(variant.of.place), block.name))
    kind, base, _ = added_up(named)
    _, compatible, description = added_up(lineage_of(block, path))
    lineage = own or named
    _, specified, about = added_up(lineage)
    name = lineage[-1][0].name

    def made(statements: Mapping[str, Statement], patch: Patch, called: str = name, text: str = about) -> Pim:
        merged = {key: s for key, s in {**statements, **patch}.items() if s is not None}
        if changes:
            merged = with_changes(called, kind, merged, changes, where)
        record = Maker(called, kind, text, merged, lineage[-1][0].place).record()
        if not isinstance(record, Pim):
            raise InputError(
                f"{variant.of.text} is a {kind}, but only a device of kind pim can have timing variants",
                str(variant.of.place),
            )
        return record

    plain = made(base, {})
    patches = [patch for patch in _patches(base, compatible) if not _repeats(patch, base, plain, made)]
    combined = {key: statement for patch in patches for key, statement in patch.items()}
    return TimingVariant(
        specified=made(specified, {}),
        compatible=written_as(made(specified, {**combined, "variant": variant}, block.name, description), base),
        source=variant.source,
        differences=tuple(
            _difference(patch, base, variant.source, _or_error(partial(made, specified, patch))) for patch in patches
        ),
    )


def _patches(base: Mapping[str, Statement], compatible: Mapping[str, Statement]) -> list[Patch]:
    """The differences of a timing variant's statements (`compatible`) from those of the device (`base`). Statements
    with the same source form one difference, in the order of the sheet; so do all statements of a scheduler, and all
    removed statements."""
    differing = [(key, s) for key, s in compatible.items() if base.get(key) != s and key != "variant"]
    found: dict[str, dict[str, Statement | None]] = {}
    for key, statement in sorted(differing, key=lambda item: (item[1].place.file, item[1].place.line)):
        of_scheduler = key.startswith("scheduler.") or isinstance(statement, PartiesStatement)
        found.setdefault("scheduler" if of_scheduler else statement.source, {})[key] = statement
    if left := {key: None for key in base if key not in compatible}:
        return [*found.values(), left]
    return list(found.values())


def _repeats(patch: Patch, base: Mapping[str, Statement], plain: Pim, made: Callable[..., Pim]) -> bool:
    """True if a patch only replaces statements of `base` by other wordings of them, so that the device with the patch
    equals `plain`."""
    if not all(key in base for key in patch):
        return False
    alone = _or_error(partial(made, base, patch))
    return isinstance(alone, Pim) and _same(alone, plain)


def _difference(patch: Patch, base: Mapping[str, Statement], source: str, alone: Pim | InputError) -> Difference:
    changed = [(statement or base[key], statement is None) for key, statement in patch.items()]
    lines = dict.fromkeys(("without " if removed else "") + _line(statement.place) for statement, removed in changed)
    sources = dict.fromkeys(source if removed else statement.source for statement, removed in changed)
    return Difference("; ".join(lines), "; ".join(sources), alone)


def _same(one: Pim | InputError, other: Pim) -> bool:
    """True if two devices are equal except for names and places."""
    ignored = ("name", "description", "sources", "places", "formulas", "file")
    return isinstance(one, Pim) and all(
        vars(one)[key] == value for key, value in vars(other).items() if key not in ignored
    )


def _line(place: SheetPlace) -> str:
    """The text of the sheet's line at a place, without the source at its end."""
    line = read_regular(place.file, "a sheet is a short text file").decode().splitlines()[place.line - 1]
    return " ".join(re.sub(r'(\s+assumed)?\s*("[^"]*"|#).*', "", line).split())


def _or_error(make: Callable[[], Pim]) -> Pim | InputError:
    try:
        return make()
    except InputError as error:
        return error
