"""Plugins: files and packages that add names; messages for invalid ones; ndpir's names in xDSL's own tools."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import ndpir.registry.plugins
from dialects.diagnostics import InputError
from ndpir.cli.opt import BAD_USAGE, DONE, main
from ndpir.registry.names import Registry
from ndpir.registry.plugins import load_file

ROOT = Path(__file__).parents[3]
EXAMPLE = str(ROOT / "examples" / "plugin" / "mine.py")


def test_example_plugin_adds_its_names() -> None:
    registry = Registry()
    load_file(EXAMPLE).join(registry)
    assert registry.load_pass("lower-mine").name == "lower-mine"
    assert registry.dialects["mine"]().name == "mine"
    assert registry.pipelines["mine"][0][0] == "lower-mine"
    from interp.machine.sheets import load_device
    from lowering.optimise.policies import POLICIES

    assert "intensity" in POLICIES
    assert load_device("newton_fast").kind == "pim"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = (", ":1:5: error: the plugin is not valid Python: '(' was never closed"),
        ("import nosuchmodule", ":1:1: error: the plugin fails when it is loaded: ModuleNotFoundError"),
        ("\n\n1 / 0\n", ":3:1: error: the plugin fails when it is loaded: ZeroDivisionError"),
        (
            "x = 1",
            ": error: this plugin defines none of UNIVERSE, PIPELINES, POLICIES, PATTERNS, KINDS, LEVELS, SHEETS",
        ),
        ("UNIVERSE = 3", ": error: UNIVERSE of the plugin is of the wrong type, int"),
        ("SHEETS = 'nosuch'", "/nosuch: error: there is no folder of data sheets at this path"),
        (
            "PATTERNS = {'order': []}",
            ": error: pass `order` takes no patterns; PATTERNS may name",
        ),
        (
            "PATTERNS = {'fuse': [3]}",
            ": error: PATTERNS of `fuse` contains a int, but xDSL's RewritePattern",
        ),
        ("PIPELINES = {'offload': (('cse', 'why'),)}", ": error: the pipeline `offload` exists already"),
    ],
)
def test_invalid_plugins(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str) -> None:
    path = tmp_path / "plugin.py"
    path.write_text(text)
    assert main(["--plugin", str(path), "--list-pipelines"]) == BAD_USAGE
    err = capsys.readouterr().err
    assert message in err.splitlines()[0]
    assert "Traceback" not in err


def _installed(monkeypatch: pytest.MonkeyPatch, *points: EntryPoint) -> None:
    def found(*, group: str) -> tuple[EntryPoint, ...]:
        return tuple(point for point in points if point.group == group)

    monkeypatch.setattr(ndpir.registry.plugins, "entry_points", found)


def test_an_installed_package_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    # The names that it adds are forgotten at the end: other tests load the same plugin as a file.
    from lowering.optimise.policies import POLICIES

    monkeypatch.setattr(
        "lowering.optimise.policies.POLICIES", {name: each for name, each in POLICIES.items() if name != "intensity"}
    )
    monkeypatch.setattr(ndpir.registry.plugins, "_origins", {})
    monkeypatch.setattr(sys, "path", [str(ROOT / "examples" / "plugin"), *sys.path])
    monkeypatch.delitem(sys.modules, "mine", raising=False)  # another test's module of this name
    _installed(monkeypatch, EntryPoint("mine", "mine", "ndpir.plugins"))
    assert Registry().load_pass("lower-mine").name == "lower-mine"
    _installed(monkeypatch, EntryPoint("mine", "mine:UNIVERSE", "xdsl.universe"))
    assert Registry().load_pass("lower-mine").name == "lower-mine"


def test_broken_package_is_skipped_with_a_note(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _installed(monkeypatch, EntryPoint("bad", "nosuchmodule", "ndpir.plugins"))
    assert main(["--list-pipelines"]) == DONE
    assert "note: the installed plugin bad (nosuchmodule) is skipped: ModuleNotFoundError" in capsys.readouterr().err


def test_unknown_pass_suggests_a_similar_name() -> None:
    with pytest.raises(InputError, match="unknown pass `canonicalise`; did you mean `canonicalize`"):
        Registry().load_pass("canonicalise")


@pytest.mark.slow
def test_xdsl_opt_finds_our_dialects_and_passes(tmp_path: Path) -> None:
    path = tmp_path / "p.mlir"
    path.write_text(
        'hw.device @gpu = "a100"\n'
        "func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> {\n"
        "  %y = graph.relu %x : tensor<4xf16>\n  func.return %y : tensor<4xf16>\n}\n"
        'hw.module @circt() {\n  "hw.output"() : () -> ()\n}\n'
    )
    tool = Path(sys.executable).with_name("xdsl-opt")
    done = subprocess.run([tool, path, "-p", "ndp-canonicalize,canonicalize"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for text in ('hw.device @gpu = "a100"', "%y = graph.relu %x : tensor<4xf16>", "hw.module"):
        assert text in done.stdout


@pytest.mark.parametrize("first", ["ndpir.registry.universe", "xdsl.universe"])
def test_universes_merge_in_either_order(first: str) -> None:
    code = f"""
import importlib.metadata as metadata, sys
points = list(metadata.entry_points(group="xdsl.universe"))
points.sort(key=lambda point: not point.value.startswith({first!r}))
metadata.entry_points = lambda group: points
from xdsl.universe import Universe
everything = Universe.get_multiverse()
names = [op.name for op in everything.all_dialects["hw"]().operations]
print("hw.device" in names and "hw.module" in names, "ndp-place" in everything.all_passes)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "True True\n", done.stderr


@pytest.mark.parametrize("name", ["greedy", "optimal", "cost"])
def test_plugin_policy_does_not_replace_ours(name: str, tmp_path: Path) -> None:
    """Neither a policy of a problem, nor one that splits ops, nor a former name."""
    file = tmp_path / "mine.py"
    file.write_text(f"def mine(problem):\n    return problem\n\n\nPOLICIES = {{'{name}': mine}}\n")
    with pytest.raises(InputError, match=f"the policy `{name}` exists already"):
        load_file(str(file)).join(Registry())
