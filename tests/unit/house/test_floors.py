"""Imports run down only: ndpir, lowering, interp, dialects, xdsl; and the floors share one owner a fact."""

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FLOORS = ("dialects", "interp", "lowering", "ndpir")  # from the ground up
FORBIDDEN = {"utils", "common", "helpers", "core", "base"}


def imports_of(path: Path) -> Iterator[tuple[int, str]]:
    """Line and module of every import of a file, those inside functions too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import():
                yield from ((node.lineno, alias.name) for alias in node.names)
            case ast.ImportFrom() if node.level == 0 and node.module:
                yield node.lineno, node.module
            case ast.Call(args=[ast.Constant(value=str(name)), *_]) if ast.unparse(node.func).endswith("import_module"):
                yield node.lineno, name
            case _:
                pass


def wrong_imports(path: Path, floor: str) -> list[str]:
    """A sentence for each import that runs up."""
    above = FLOORS[FLOORS.index(floor) + 1 :]
    return [
        f"{path.relative_to(ROOT)}:{line} imports `{module}`, but {floor} stands below {module.partition('.')[0]}"
        for line, module in imports_of(path)
        if module.partition(".")[0] in above
    ]


@pytest.mark.slow
@pytest.mark.parametrize("floor", FLOORS)
def test_imports_run_down_only(floor: str) -> None:
    wrong = [sentence for path in sorted((ROOT / floor).rglob("*.py")) for sentence in wrong_imports(path, floor)]
    assert not wrong, "\n".join(wrong)


def test_an_import_that_runs_up_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    bad = tmp_path / "dialects" / "task.py"
    bad.parent.mkdir()
    bad.write_text("def late():\n    from interp.cost.clock import Clock\n")
    assert wrong_imports(bad, "dialects") == [
        "dialects/task.py:2 imports `interp.cost.clock`, but dialects stands below interp"
    ]


def test_no_room_is_a_lumber_room() -> None:
    names = [path for floor in FLOORS for path in (ROOT / floor).rglob("*") if path.stem in FORBIDDEN]
    assert not names


def test_rooms_are_small_and_not_named_twice() -> None:
    """At most 20 files side by side, and no file's name begins with its folder's."""
    rooms: dict[Path, list[Path]] = {}
    for floor in (*FLOORS, "tests", "benchmarks"):
        for path in (ROOT / floor).rglob("*.py"):
            rooms.setdefault(path.parent, []).append(path)
    crowded = {str(room.relative_to(ROOT)): len(files) for room, files in rooms.items() if len(files) > 20}
    assert not crowded
    twice = [path for files in rooms.values() for path in files if path.stem.startswith(f"{path.parent.name}_")]
    assert not twice


@pytest.mark.slow
def test_every_file_says_what_it_is() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for floor in FLOORS
        for path in (ROOT / floor).rglob("*.py")
        if path.stat().st_size and not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not silent


def modules_imported(path: Path, known: Mapping[str, Path]) -> set[str]:
    """The files of ours that a file imports, `from PACKAGE import FILE` too."""
    found = {module for _, module in imports_of(path)}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names} & set(known)
            found |= inner
            if len(inner) == len(node.names):
                found.discard(node.module)
    return found & set(known)


@pytest.mark.slow
def test_imports_run_in_no_circle() -> None:
    """Imports inside functions and for type checkers count too; `import ndpir`, the package that holds a file, does
    not."""
    paths = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for floor in FLOORS
        for path in (ROOT / floor).rglob("*.py")
    }
    graph = {name: modules_imported(path, paths) - {*FLOORS, name} for name, path in paths.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(f"imports run in a circle: {' <- '.join(error.args[1])}") from None
