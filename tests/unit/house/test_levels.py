"""Tests that levels are extensible: a plugin can add a level, and no code outside of a level's folders imports its
ops."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest
from xdsl.ir import Operation

import dialects.ndp
import dialects.pim
import dialects.tile
from interp.walk import level as levels
from ndpir.cli.opt import main

ROOT = Path(__file__).parents[3]
PLUGIN = ROOT / "examples" / "plugin"
ROOMS = {
    "pim": ("dialects/pim/", "interp/kinds/pim/", "lowering/banks/", "ndpir/reports/banks/", "ndpir/traces/"),
    "ndp": ("dialects/ndp/", "interp/kinds/ndp/", "lowering/ndp/", "ndpir/reports/near_data/"),
    "tile": ("dialects/tile/", "interp/tile/", "lowering/tile/", "ndpir/writers/triton/"),
}
"""The folders of each level, one per layer of the project."""
OPS = {
    level: {name for name, value in vars(dialect).items() if inspect.isclass(value) and issubclass(value, Operation)}
    for level, dialect in (("pim", dialects.pim), ("ndp", dialects.ndp), ("tile", dialects.tile))
}


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    """Remove the plugin's additions after a test."""
    before = dict(levels.LEVELS)
    yield
    for name in set(levels.LEVELS) - set(before):
        del levels.LEVELS[name]


def named(tree: ast.AST, level: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of each op of a level that the code imports from the level's folder in `dialects`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"dialects.{level}"):
            yield from ((node.lineno, alias.name) for alias in node.names if alias.name in OPS[level])


@pytest.mark.parametrize("level", ROOMS)
def test_no_code_outside_names_ops_of_a_level(level: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line} ({name})"
        for floor in ("dialects", "interp", "lowering", "ndpir")
        for path in (ROOT / floor).rglob("*.py")
        if not path.relative_to(ROOT).as_posix().startswith(ROOMS[level])
        for line, name in named(ast.parse(path.read_text(encoding="utf-8")), level)
    ]
    assert not found, "use the interface of levels (interp/walk/level.py): " + ", ".join(found)


@pytest.mark.parametrize(
    ("level", "text"),
    [
        ("pim", "from dialects.pim import KernelOp"),
        ("pim", "from dialects.pim.kernel import LaunchOp"),
        ("ndp", "from dialects.ndp.program import LaunchOp"),
        ("tile", "from dialects.tile.kernel import LaunchOp"),
    ],
)
def test_a_name_is_found(level: str, text: str) -> None:
    assert list(named(ast.parse(text), level))


LOWERED = "fuse,place{policy=gpu},to-strip"


def ran(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    status = main([*arguments, "--plugin", str(PLUGIN / "strip.py")])
    out, err = capsys.readouterr()
    assert status == 0, err
    return out, err


def test_a_plugins_level_keeps_results(capsys: pytest.CaptureFixture[str]) -> None:
    _, err = ran(capsys, str(PLUGIN / "strips.mlir"), "-p", LOWERED, "--check")
    assert "check: to-strip: 2 results equal" in err


def test_programs_of_a_plugins_level_take_time(capsys: pytest.CaptureFixture[str]) -> None:
    # 256 elements are 8 strips; each takes 3 loads, 3 instructions and a store, or 2, 1 and a store; a cycle is 1 ns, a
    # launch 1 us. The second program follows the first.
    out, _ = ran(capsys, str(PLUGIN / "strips.mlir"), "-p", LOWERED, "-t", "timeline")
    first, second = (line.split() for line in out.splitlines()[1:3])
    assert first[4:9] == ["1.056", "us", "gpu", "@fused_0", "instructions"]
    assert second[4:9] == ["1.032", "us", "gpu", "@sub_1", "instructions"]


def test_a_plugins_level_has_a_summary(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = ran(capsys, str(PLUGIN / "strips.mlir"), "-p", LOWERED, "--summary")
    assert "makespan   2.088 us" in out + err


def test_programs_of_a_plugins_level_are_read_back(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text, _ = ran(capsys, str(PLUGIN / "strips.mlir"), "-p", LOWERED)
    file = tmp_path / "lowered.mlir"
    file.write_text(text, encoding="utf-8")
    assert ran(capsys, str(file))[0] == text
    values = ran(capsys, str(file), "-t", "values")[0]
    assert values == ran(capsys, str(PLUGIN / "strips.mlir"), "-t", "values")[0]


def test_a_plugins_level_checks_programs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text, _ = ran(capsys, str(PLUGIN / "strips.mlir"), "-p", LOWERED)
    file = tmp_path / "wide.mlir"
    file.write_text(text.replace("vector<32xf32>", "vector<64xf32>").replace("strips 8", "strips 4"), encoding="utf-8")
    for target in ("timeline", "values"):
        assert main([str(file), "--plugin", str(PLUGIN / "strip.py"), "-t", target]) == 1
        assert "met a strip of 64 elements; vectors of toy_gpu have 32" in capsys.readouterr().err


def test_only_levels_are_accepted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text("LEVELS = {'mine': 3}\n", encoding="utf-8")
    assert main([str(PLUGIN / "strips.mlir"), "--plugin", str(file)])
    assert "LEVELS of the plugin contains a int, but Levels are expected" in capsys.readouterr().err
