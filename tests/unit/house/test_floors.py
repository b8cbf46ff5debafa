"""Checks of the project's layers: imports go only down, from ndpir to lowering, interp, dialects and xdsl."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FLOORS = ("dialects", "interp", "lowering", "ndpir")  # from the lowest layer up
FORBIDDEN = {"utils", "common", "helpers", "core", "base"}


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports_of(nodes: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    """Yield line and module of every import among the nodes of a file, also inside functions."""
    for node in nodes:
        match node:
            case ast.Import():
                yield from ((node.lineno, alias.name) for alias in node.names)
            case ast.ImportFrom() if node.level == 0 and node.module:
                yield node.lineno, node.module
            case ast.Call(
                func=ast.Name(id=called) | ast.Attribute(attr=called), args=[ast.Constant(value=str(name)), *_]
            ) if called.endswith("import_module"):
                yield node.lineno, name
            case _:
                pass


def wrong_imports(path: Path, floor: str) -> list[str]:
    """Return a sentence for each import from a higher layer."""
    above = FLOORS[FLOORS.index(floor) + 1 :]
    return [
        f"{path.relative_to(ROOT)}:{line} imports `{module}`, but layer {floor} is below {module.partition('.')[0]}"
        for line, module in imports_of(ast.walk(tree_of(path)))
        if module.partition(".")[0] in above
    ]


@pytest.mark.slow
@pytest.mark.parametrize("floor", FLOORS)
def test_imports_are_from_lower_layers(floor: str) -> None:
    wrong = [sentence for path in sorted((ROOT / floor).rglob("*.py")) for sentence in wrong_imports(path, floor)]
    assert not wrong, "\n".join(wrong)


def test_an_import_from_a_higher_layer_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    bad = tmp_path / "dialects" / "task.py"
    bad.parent.mkdir()
    bad.write_text("def late():\n    from interp.kinds.clock import Clock\n")
    assert wrong_imports(bad, "dialects") == [
        "dialects/task.py:2 imports `interp.kinds.clock`, but layer dialects is below interp"
    ]


def folders_imported(folder: Path) -> set[Path]:
    """The folders of the same package whose modules the files of a folder import, except for folders inside of it and
    around it, which count as one with it."""
    top, found = folder.relative_to(ROOT).parts[0], set[Path]()
    for path in folder.glob("*.py"):
        for node in ast.walk(tree_of(path)):
            for _, module in imports_of([node]):
                if module.partition(".")[0] == top:
                    named = ROOT.joinpath(*module.split("."))
                    found.add(named if named.is_dir() else named.parent)
    return {each for each in found if not each.is_relative_to(folder) and not folder.is_relative_to(each)}


def circle_of_folders() -> str | None:
    """A sentence on folders of one package that import each other in a circle; None if there are none."""
    folders = {path.parent for floor in FLOORS for path in (ROOT / floor).rglob("*.py")}
    try:
        TopologicalSorter({folder: folders_imported(folder) for folder in folders}).prepare()
    except CycleError as error:
        names = (str(folder.relative_to(ROOT)) for folder in error.args[1])
        return f"folders import each other in a circle: {' <- '.join(names)}"
    return None


@pytest.mark.slow
def test_folders_do_not_import_each_other_in_a_circle() -> None:
    assert circle_of_folders() is None


def test_a_circle_of_folders_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    for name, line in (("low/a", "import interp.high.b"), ("high/b", "def late():\n    from interp.low import a")):
        path = (tmp_path / "interp" / name).with_suffix(".py")
        path.parent.mkdir(parents=True)
        path.write_text(f"{line}\n")
    assert "interp/low <- interp/high" in str(circle_of_folders())


def test_no_folder_or_file_is_named_util_or_common() -> None:
    names = [path for floor in FLOORS for path in (ROOT / floor).rglob("*") if path.stem in FORBIDDEN]
    assert not names


def test_folders_are_small_and_names_do_not_repeat() -> None:
    """A folder has at most 20 files, and no file's name begins with its folder's name."""
    rooms: dict[Path, list[Path]] = {}
    for floor in (*FLOORS, "tests", "benchmarks"):
        for path in (ROOT / floor).rglob("*.py"):
            rooms.setdefault(path.parent, []).append(path)
    crowded = {str(room.relative_to(ROOT)): len(files) for room, files in rooms.items() if len(files) > 20}
    assert not crowded
    twice = [path for files in rooms.values() for path in files if path.stem.startswith(f"{path.parent.name}_")]
    assert not twice


@pytest.mark.slow
def test_every_file_has_a_docstring() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for floor in FLOORS
        for path in (ROOT / floor).rglob("*.py")
        if path.stat().st_size and not ast.get_docstring(tree_of(path))
    ]
    assert not silent


def modules_imported(path: Path, known: Mapping[str, Path]) -> set[str]:
    """Return the modules among `known` that a file imports, also by `from PACKAGE import FILE`."""
    nodes = list(ast.walk(tree_of(path)))
    found = {module for _, module in imports_of(nodes)}
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names} & set(known)
            found |= inner
            if len(inner) == len(node.names):
                found.discard(node.module)
    return found & set(known)


@pytest.mark.slow
def test_imports_have_no_cycle() -> None:
    """Imports inside functions and imports for type checkers count, too. Only `import ndpir`, the package that contains
    the file itself, does not count."""
    paths = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for floor in FLOORS
        for path in (ROOT / floor).rglob("*.py")
    }
    graph = {name: modules_imported(path, paths) - {*FLOORS, name} for name, path in paths.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(f"imports form a cycle: {' <- '.join(error.args[1])}") from None
