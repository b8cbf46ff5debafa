"""Data sheets by name or path: the search for their files, the merging of a variant with the sheets from which it
derives, and the cache of loaded records."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import isfinite
from pathlib import Path

from xdsl.ir import Operation

from dialects.diagnostics import InputError, note
from dialects.files import decoded, digest_of, exists, is_file, open_regular, read_regular, reason_of, why_not_read
from dialects.locations import place_of
from dialects.text.printable import clipped, cut
from dialects.text.suggestions import hint
from interp.figures import first_of
from interp.machine.device import Device
from interp.machine.engine import Engine
from interp.machine.records import Gpu, Link, Pim, Scope
from interp.machine.sheets.fields import KINDLESS, KINDS, REFRESHED_ROWS, Field, Kind, Record, full_path
from interp.machine.sheets.language import read_blocks, read_expression
from interp.machine.sheets.making import Maker
from interp.machine.sheets.named_files import PROFILE, folder_of, written_paths
from interp.machine.sheets.profiles import with_profile
from interp.machine.sheets.search import (
    SHIPPED,
    added_folders,
    check_link,
    contents_of_companions,
    files_in,
    folders,
    is_library,
    library_files,
)
from interp.machine.sheets.statements import (
    Block,
    FieldStatement,
    Number,
    RefreshStatement,
    SheetPlace,
    Statement,
    VariantStatement,
    VerbStatement,
)
from interp.machine.sheets.values import near, units_in
from interp.units import PURE, UNITS

_LARGEST = 1 << 20
_ADVICE = "a sheet is a short text file"
_LARGEST_MACHINE = 1 << 16
"""The size in bytes above which an .mlir file is taken for a program without being read."""
_LIBRARY = "library"
"""The key of the statement that names a GPU's library."""
_reported: set[str | None] = set()
"""Places of errors in sheets that have already been reported, so that each is reported once."""

_read: dict[tuple[str, str], dict[str, Block]] = {}
_made: dict[tuple[object, ...], Record] = {}
_with_companions: dict[tuple[Device, tuple[str, ...]], Device] = {}

Change = int | float | str
"""A changed value of a sheet: a number, in the unit that the sheet uses there, or text as a sheet writes it (`"1
GHz"`)."""


def load(reference: str, changes: Mapping[str, Change], at: Operation | str | None = None) -> Record:
    """The record of a sheet, by name, path, or `path:name`, with single numbers changed.

    Raises InputError: at a place in the sheet for an error there, at `at` for an unknown name or invalid change.
    """
    where = place_of(at) if isinstance(at, Operation) else at
    if PROFILE in changes:
        others = {name: change for name, change in changes.items() if name != PROFILE}
        return with_profile(load(reference, others, at), changes[PROFILE], folder_of(where), where)
    lineage = lineage_of(*find(reference, None, where, search_folder=folder_of(where)))
    key = (tuple(changes.items()), *((str(path), _digest(path), block.name) for block, path in lineage))
    if key not in _made:
        kind, statements, description = added_up(lineage)
        block = lineage[-1][0]
        inherited = added_up(lineage[:-1])[1] if lineage[:-1] else {}
        if changes:
            statements = with_changes(block.name, kind, statements, changes, where)
        bases = tuple(base.name for base, _ in lineage[-2::-1])
        own = {key for key, statement in statements.items() if inherited.get(key) != statement}
        made = Maker(block.name, kind, description, statements, block.place, bases, own).record()
        _made[key] = _as_written(made, lineage)
        _report_missing_ranges(made, block.place)
    try:
        return _identified(_made[key])
    except UnknownLibraryError as error:
        _, statements, _ = added_up(lineage)
        here = where if _LIBRARY in changes else str(statements[_LIBRARY].place)
        raise UnknownLibraryError(error.message, here) from None


def sheet_of(
    reference: str, changes: Mapping[str, Change], at: Operation | str | None = None
) -> tuple[str, str, Mapping[str, Statement]]:
    """The name, the kind and the statements by key of a sheet, with single numbers changed. Raises InputError as `load`
    does."""
    where = place_of(at) if isinstance(at, Operation) else at
    lineage = lineage_of(*find(reference, None, where, search_folder=folder_of(where)))
    kind, statements, _ = added_up(lineage)
    name = lineage[-1][0].name
    return name, kind, with_changes(name, kind, statements, changes, where) if changes else statements


class UnknownLibraryError(InputError):
    """Raised for the name of a library of which there is no calibration."""


def _identified(record: Record) -> Record:
    """The record of a device with the contents of its companions; the same record as long as these are unchanged.
    Raises UnknownLibraryError."""
    if not isinstance(record, Device) or not (beside := contents_of_companions(record)):
        return record
    if (record, beside) not in _with_companions:
        if isinstance(record, Gpu):
            _check_library(record)
        _with_companions[record, beside] = replace(record, beside=beside)
    return _with_companions[record, beside]


def _check_library(gpu: Gpu) -> None:
    if gpu.library and not is_library(gpu, gpu.library):
        raise UnknownLibraryError(no_library(gpu.library, gpu.file))


def no_library(name: str, sheet: str = "") -> str:
    """The error for the name of a library of which there is no calibration. `sheet`: the path of the GPU's sheet."""
    known = sorted(library_files(sheet))
    return f"there is no library `{clipped(name)}` (known are {', '.join(known)}){hint(name, known)}"


def _report_missing_ranges(record: Record, place: SheetPlace) -> None:
    if record.unranged and (key := f"ranges of {place}") not in _reported:
        _reported.add(key)
        names = first_of([f"`{name}`" for name in record.unranged], 4)
        verb = "is" if len(record.unranged) == 1 else "are"
        note(
            f"{record.name}: {names} {verb} assumed without a range, so that summaries can't report the effect "
            'of the assumption; state a range behind the value (`assumed 0 to 10 us "…"`, or as factors `0.5 to 2 '
            "times`)",
            str(place),
        )


def _as_written(record: Record, lineage: Sequence[tuple[Block, Path]]) -> Record:
    """A timing variant, with the verbs that programs written for its original device use; a record that is no timing
    variant, unchanged. Raises InputError if there is no sheet of the original device."""
    for block, path in reversed(lineage):
        variant = block.statements.get("variant")
        if isinstance(record, Pim) and isinstance(variant, VariantStatement):
            _, statements, _ = added_up(lineage_of(*find(variant.of.text, path, str(variant.of.place), block.name)))
            return written_as(record, statements)
    return record


def written_as(record: Pim, device: Mapping[str, Statement]) -> Pim:
    """A timing variant `record` with its programs restricted to those verbs and scopes that the original device also
    has; `device`: the statements of the original device."""
    able: dict[str, tuple[Scope, ...]] = {}
    for statement in device.values():
        if isinstance(statement, VerbStatement) and (verb := record.verbs.get(statement.verb.text)) is not None:
            scopes = [scope.text for form in statement.forms for scope in form.scopes]
            able[verb.name] = tuple(sorted(set(verb.scopes) & set(scopes), key=scopes.index))
    refresh = device.get("refresh")
    reopens = not isinstance(refresh, RefreshStatement) or refresh.then is None or REFRESHED_ROWS[refresh.then.text]
    return replace(record, written={verb: scopes for verb, scopes in able.items() if scopes}, written_reopens=reopens)


def find(
    reference: str, referrer: Path | None, at: str | None, skip: str | None = None, search_folder: Path | None = None
) -> tuple[Block, Path]:
    """The block (device or link) that a reference names, and the path of its file.

    `referrer`: the file of the sheet that contains the reference; its other blocks are searched first; `skip`: the name
    of the block that contains the reference, which is not found. `search_folder`: a folder (of the referring file, or
    of a program) whose sheets are searched next, before the known folders; relative paths start there or in the current
    folder. Raises InputError at `at` if nothing is found, and for a file that the referring sheet must not choose:
    sheets beside a program come from its author, as the names of files in it do.
    """
    search_folder = referrer.parent if referrer is not None else search_folder
    for path, name in written_paths(reference, search_folder):
        if exists(path):
            if referrer is not None and (why := why_not_read(str(path), str(referrer), added_folders())):
                raise InputError(f"`{path}` {why}", at)
            return _one_of(blocks_in(path), name, path, at), path
    if "/" in reference or reference.endswith(".sheet"):
        raise InputError(f"there is no file `{reference}`; a sheet is found by name (--list-devices) or path", at)
    broken: InputError | None = None
    for path in _candidates(reference, referrer, search_folder):
        if path != referrer:
            check_link(str(path), str(path.parent), at)
        try:
            found = blocks_in(path).get(reference)
        except InputError as error:
            if path.stem == reference:
                raise
            broken = broken or error  # a file of another name: a later file may hold the block
            continue
        if found is not None and (path != referrer or reference != skip):
            if broken is not None:
                _report_broken(broken, reference, path)
            _report_hidden(reference, path)
            return found, path
    if broken is not None:
        raise broken
    if reference == skip:
        raise InputError(f"{reference} is a variant of itself; name the sheet it derives from", at)
    searched = folders() if search_folder is None else [search_folder, *folders()]
    names = {name for folder in searched for path in files_in(folder, ".sheet") for name in _headings(path)}
    raise InputError(f"there is no data sheet `{cut(reference, 59, 57)}`{near(reference, names)}", at)


def is_sheet_name(name: str) -> bool:
    """True if a sheet in the known folders has a block with this name in its heading; no sheet is parsed for this
    test."""
    return next(_candidates(name, None, None), None) is not None


def _report_broken(error: InputError, name: str, taken: Path) -> None:
    if error.place not in _reported:
        _reported.add(error.place)
        note(f"{error.message}; this sheet is not used, and `{name}` is read from {taken} instead", error.place)


def _report_hidden(name: str, taken: Path) -> None:
    """Print a note if a sheet in the file `taken`, next to a program, hides a shipped sheet of the same name, which may
    be unintended."""
    if taken.parent == SHIPPED or taken.resolve().parent == SHIPPED or (key := f"{name} in {taken}") in _reported:
        return
    if any(name in blocks_in(path) for path in files_in(SHIPPED, ".sheet") if name in _headings(path)):
        _reported.add(key)
        note(f"`{name}` is read from this file instead of the sheet of the same name that ndpir ships", str(taken))


def _one_of(blocks: dict[str, Block], name: str | None, path: Path, at: str | None) -> Block:
    if name is None and len(blocks) == 1:
        return next(iter(blocks.values()))
    wanted = path.stem if name is None else name
    if wanted in blocks:
        return blocks[wanted]
    if name is None:
        raise InputError(f"{path} holds {', '.join(blocks)}; select one, as `{path}:{next(iter(blocks))}`", at)
    raise InputError(f"{path} holds no `{wanted}`{near(wanted, blocks)}", at)


def _candidates(name: str, referrer: Path | None, search_folder: Path | None) -> Iterator[Path]:
    """Files that may contain a block of this name, in the order in which they are searched."""
    if referrer is not None:
        yield referrer
    for folder in [search_folder, *folders()] if search_folder is not None else folders():
        sheets = sorted(files_in(folder, ".sheet"), key=lambda path: path.name != f"{name}.sheet")
        yield from (path for path in sheets if path != referrer and name in _headings(path))


_HEADING = re.compile(rb"^[ \t]*(?:device|link|engine)[ \t]+(\w+)", re.MULTILINE)
_headed: dict[tuple[str, str], frozenset[str]] = {}


def _headings(path: Path) -> frozenset[str]:
    """The names in headings of a file's blocks, without parsing the file; empty if the file can't be read."""
    try:
        key = (str(path), digest_of(path, _ADVICE, _LARGEST))
        if key not in _headed:
            names = _HEADING.findall(read_regular(path, _ADVICE, _LARGEST))
            _headed[key] = frozenset(name.decode("utf-8", "replace") for name in names)
        return _headed[key]
    except (OSError, InputError):
        return frozenset()


def blocks_in(path: Path) -> dict[str, Block]:
    """The devices, links and engines of one file, by name. Raises InputError if it can't be parsed."""
    key = (str(path), _digest(path))
    if key not in _read:
        blocks: dict[str, Block] = {}
        for block in read_blocks(_text(path), str(path)):
            if block.name in blocks:
                line = blocks[block.name].place.line
                raise InputError(
                    f"`{block.name}` appears twice in this file, first in line {line}; rename one", str(block.place)
                )
            blocks[block.name] = block
        if not blocks:
            raise InputError(
                'the sheet holds no device, link or engine; start with `device NAME : pim "…"`', f"{path}:1:1"
            )
        _read[key] = blocks
    return _read[key]


def _digest(path: Path) -> str:
    try:
        return digest_of(path, _ADVICE, _LARGEST)
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: OSError) -> InputError:
    if exists(path) and not is_file(path):
        return InputError(f"`{path}` is not a file; a sheet is a text file (NAME.sheet)", None)
    return InputError(f"can't read `{path}`: {reason_of(error)}", None)


def _text(path: Path) -> str:
    try:
        data = read_regular(path, _ADVICE, _LARGEST)
    except OSError as error:
        raise _unreadable(path, error) from None
    met = "met the byte {}, but a sheet is UTF-8 text; save it in UTF-8"
    return decoded(data, path, met).replace("\r\n", "\n")


def lineage_of(block: Block, path: Path) -> list[tuple[Block, Path]]:
    """A block with all blocks that it derives from, directly or indirectly, each with its file: first the block that
    derives from no other block, the given block last."""
    lineage = [(block, path)]
    while (base := block.base) is not None:
        if len(lineage) > 30:
            raise InputError(
                f"{block.name} derives from more than 30 variants, one from another; derive it from an earlier sheet",
                str(block.place),
            )
        block, path = find(base.text, path, str(base.place), block.name)
        names = [earlier.name for earlier, _ in lineage]
        if any(earlier is block for earlier, _ in lineage):
            trail = " = ".join([*names[names.index(block.name) :], block.name])
            raise InputError(
                f"{block.name} is a variant of itself ({trail}); state one of these devices without a base",
                str(block.place),
            )
        lineage.append((block, path))
    return lineage[::-1]


def added_up(lineage: Sequence[tuple[Block, Path]]) -> tuple[str, dict[str, Statement], str]:
    """The kind, the statements by key, and the description of the last block in a lineage; statements of a later block
    replace those of the same key in earlier blocks."""
    root = lineage[0][0]
    kind, statements, description = _own_kind(root), dict[str, Statement](), ""
    for block, _ in lineage:
        word = kind if kind in KINDLESS else "device"
        if word != block.word and block.base is not None:
            raise InputError(
                f"{block.base.text} is {_a(kind)}, so its variant must be one, too; write `{word} {block.name} = "
                f"{block.base.text}`",
                str(block.base.place),
            )
        inherited = f"{description}; a variant of {block.base.text}" if block.base is not None else ""
        description = block.description or inherited
        statements |= _canonical(block, kind, statements)
    return kind, statements, description


def _own_kind(block: Block) -> str:
    kinds = [kind for kind in KINDS if kind not in KINDLESS]
    if (word := block.word) in KINDLESS:
        if block.kind is not None:
            raise InputError(f'{_a(word)} can\'t state a kind; write `{word} {block.name} "…"`', str(block.kind.place))
        return word
    if block.kind is None:
        raise InputError(
            f"{block.name} has no kind; write `device {block.name} : pim` ({', '.join(kinds)})", str(block.place)
        )
    if block.kind.text not in kinds:
        raise InputError(
            f"a device is a {', a '.join(kinds)}, not a `{block.kind.text}`; a plugin may add a kind (--plugin FILE)",
            str(block.kind.place),
        )
    return block.kind.text


def _canonical(block: Block, kind: str, others: Mapping[str, Statement]) -> dict[str, Statement]:
    """A block's statements by their full keys, each with a source. `others`: the statements of the blocks that it
    derives from. Raises InputError for a statement without a source, or a key that is stated twice."""
    found: dict[str, Statement] = {}
    for statement in block.statements.values():
        key = statement.key
        if isinstance(statement, FieldStatement):
            key = full_path(KINDS[kind], key, {**others, **found}, statement.place)
        if key in found:
            raise InputError(
                f"{block.name} states `{key}` twice, first in line {found[key].place.line}; keep one",
                str(statement.place),
            )
        source = statement.source
        if not source and block.base is None:
            raise InputError(
                f'`{key}` has no source; add one in quotes behind it, or `source "…"` above several statements',
                str(statement.place),
            )
        found[key] = replace(statement, key=key, source=source or f"set in {block.name}, a variant ({statement.place})")
    return found


def with_changes(
    name: str, kind: str, statements: Mapping[str, Statement], changes: Mapping[str, Change], at: str | None
) -> dict[str, Statement]:
    """The statements by key, with the values in `changes` instead of their own. A changed number without a unit has the
    unit of the value that it replaces."""
    result = dict(statements)
    place = SheetPlace(at or "", 0, 0)
    for word, value in changes.items():
        key = full_path(KINDS[kind], word, statements, place, name)
        field = KINDS[kind].field(key)
        if value in ("yes", "no") and (not isinstance(field, Field) or field.words is None):
            met = "true" if value == "yes" else "false"
            raise InputError(f"`{key}` must be a number, not {met} (`{value}`)", str(place))
        if isinstance(value, str):
            expression = read_expression(value, place, isinstance(field, Field) and field.unit == "ops")
        else:
            expression = _number(value, key, result.get(key), KINDS[kind], place)
        source = f"set to {value} where {name} is used"
        result[key] = FieldStatement(key=key, source=source, place=place, value=expression, text=str(value))
    return result


def _number(value: float, key: str, earlier: Statement | None, kind: Kind, place: SheetPlace) -> Number:
    """A changed number without a unit, with the unit of the value that it replaces (`earlier`). Raises InputError, at
    `place`, if the unit is not certain, or if the number is not finite."""
    units = units_in(earlier.value) if isinstance(earlier, FieldStatement) else set[str]()
    field = kind.field(key)
    wanted = field.unit if field is not None else ""
    if len(units) > 1 or (not units and wanted in UNITS and UNITS[wanted].dimension != PURE):
        raise InputError(f'`{key}` needs a unit; write the value as text, for instance "{value} {wanted}"', str(place))
    if wanted == "cycles" and units - {"cycles"}:
        stated = next(iter(units))
        raise InputError(
            f'`{key}` must be stated in {stated}; write "{value} cycles" or "{value} {stated}"', str(place)
        )
    if not isfinite(value):
        raise InputError(f"`{key}` must be a finite number, not {value}", str(place))
    return Number(Fraction(str(value)), next(iter(units), None), place)


def list_devices() -> list[tuple[str, str, str]]:
    """Name, kind and description of all devices, links, engines and machines that can be found by name; kind `error`
    for a file that can't be read."""
    rows: dict[str, tuple[str, str, str]] = {}
    for folder in folders():
        for path in files_in(folder, ".sheet"):
            for row in _listed_in(path):
                rows.setdefault(row[0], row)
        for path in files_in(folder, ".mlir"):
            if (about := _about_machine(path)) is not None:
                rows.setdefault(path.stem, (path.stem, "machine", about))
    order = ["machine", *KINDS, "error"]
    return sorted(rows.values(), key=lambda row: (order.index(row[1]), row[0]))


def _listed_in(path: Path) -> Iterator[tuple[str, str, str]]:
    try:
        for block in blocks_in(path).values():
            kind, _, description = added_up(lineage_of(block, path))
            yield block.name, kind, description
    except InputError as error:
        yield path.stem, "error", f"{error.place or path}: {error.message}"


def _about_machine(path: Path) -> str | None:
    """The first line of a machine file without its comment mark, or an empty text if this line is no comment. None for
    a program: a file with other ops than `hw` ops, or a file that is larger than any machine."""
    try:
        with open_regular(path) as file:
            text = file.read(_LARGEST_MACHINE + 1).decode("utf-8", "replace")
    except OSError:
        return None
    if len(text) > _LARGEST_MACHINE:
        return None
    dialects = {match[1] for match in _OP.finditer(re.sub(r"//.*", "", text))}
    if "hw" not in dialects or dialects - {"hw", "builtin"}:
        return None
    first = text.partition("\n")[0]
    return first.lstrip("/ ").rstrip() if first.startswith("//") else ""


_OP = re.compile(r'^[ \t]*(?:%[^=\n]*=[ \t]*)?"?([A-Za-z_]\w*)\.\w', re.MULTILINE)
"""A pattern for the start of a line with an op; its group matches the op's dialect."""


def find_machine(name_or_path: str) -> Path | None:
    """The file of a machine: a path to an .mlir file, or a name in one of the folders; None if there is none. A program
    in the current folder whose file has this name is no machine."""
    path = Path(name_or_path)
    if path.suffix == ".mlir" or "/" in name_or_path:
        return path if path.suffix == ".mlir" else None
    for folder in folders():
        file = folder / f"{name_or_path}.mlir"
        if is_file(file) and (folder != Path() or _about_machine(file) is not None):
            _report_hidden_machine(name_or_path, file)
            return file
    return None


def _report_hidden_machine(name: str, taken: Path) -> None:
    """Print a note if a machine file in the current folder hides a shipped machine of the same name, which may be
    unintended."""
    shipped = SHIPPED / f"{name}.mlir"
    if taken.parent != Path() or not is_file(shipped) or taken.resolve() == shipped.resolve():
        return
    if (key := f"{name} in {taken}") not in _reported:
        _reported.add(key)
        note(f"`{name}` is read from this file instead of the machine of the same name that ndpir ships", str(taken))


def load_device(
    name_or_path: str, changes: Mapping[str, int | float | str] | None = None, at: Operation | str | None = None
) -> Device:
    """The device that a sheet describes, found by name, by path (`my.sheet`), or by both (`my.sheet:name`).

    `changes` replace single values: a number has the unit that the sheet uses there, a text is parsed as in a sheet
    (`{"clock": "1 GHz"}`). Raises InputError, at `at` for a wrong name or change, otherwise at the line of the sheet.
    """
    record = load(name_or_path, changes or {}, at)
    if not isinstance(record, Device):
        raise InputError(f"`{name_or_path}` is {_a(record.kind)}, but a device is expected; {_USES[record.kind]}", at)
    return record


def load_link(
    name_or_path: str, changes: Mapping[str, int | float | str] | None = None, at: Operation | str | None = None
) -> Link:
    """The link that a sheet describes; arguments and errors as for `load_device`."""
    record = load(name_or_path, changes or {}, at)
    if not isinstance(record, Link):
        raise InputError(
            f"`{name_or_path}` is {_a(record.kind)}, but a link is expected (--list-devices shows them)", at
        )
    return record


def load_engine(name_or_path: str, changes: Mapping[str, Change] | None = None) -> Engine:
    """The serving engine that a sheet describes; arguments and errors as for `load_device`."""
    known = [name for name, kind, _ in list_devices() if kind == "engine"]
    if not name_or_path.endswith(".sheet") and ".sheet:" not in name_or_path and name_or_path not in known:
        message = f"there is no engine `{clipped(name_or_path)}` (known are {', '.join(known)})"
        raise InputError(f"{message}{hint(name_or_path, known)}; an engine is a sheet: docs/sheets.md")
    record = load(name_or_path, changes or {})
    if not isinstance(record, Engine):
        raise InputError(f"`{name_or_path}` is {_a(record.kind)}, but an engine is expected")
    return record


_USES = {"link": "links join two devices (hw.link)", "engine": "engines serve models on a machine (ndp-serve --engine)"}
"""The use of records that are no devices, by their kind."""


def _a(kind: str) -> str:
    """A kind with its article: `a link`, `an engine`."""
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def load_gpu(name_or_path: str) -> Gpu:
    """The GPU that a sheet describes; arguments and errors as for `load_device`."""
    record = load_device(name_or_path)
    if not isinstance(record, Gpu) or record.kind != "gpu":
        raise InputError(
            f"`{name_or_path}` is a {record.kind}, but kernels are measured on a gpu (ndp-opt --list-devices)"
        )
    return record
