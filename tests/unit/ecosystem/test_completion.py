"""Tests of the completion of command lines: a real bash asks ndpir's commands for words."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ndpir.cli.completion.shells import TOOLS, script

pytest.importorskip("argcomplete", reason="argcomplete is not installed (extra completion)")
ROOT = Path(__file__).resolve().parents[3]
BASH = shutil.which("bash")
MODULES = {"ndp-opt": "opt", "ndp-sweep": "sweep", "ndp-profile": "profile", "ndp-calibrate": "calibrate"}


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with our commands, which run this checkout."""
    folder = tmp_path_factory.mktemp("commands")
    for tool, function in MODULES.items():
        code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from ndpir.cli.command import {function}; {function}()"
        (folder / tool).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c {shlex.quote(code)} "$@"\n')
        (folder / tool).chmod(0o755)
    (folder / "bash.sh").write_text(script("bash"), encoding="utf-8")
    return folder


def offered(line: str, commands: Path, folder: Path) -> list[str]:
    """The words with which bash would complete the incomplete command line `line`."""
    code = f"source {shlex.quote(str(commands / 'bash.sh'))}\n_python_argcomplete {line.split()[0]}\n"
    code += 'printf "%s\\n" "${COMPREPLY[@]}"'
    # Bash sets these only for an interactive completion.
    asked = {"COMP_LINE": line, "COMP_POINT": str(len(line)), "COMP_TYPE": "9", "COMP_WORDBREAKS": " \t\n\"'><=;|&(:"}
    path = f"{commands}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", code], cwd=folder, env=os.environ | asked | {"PATH": path}, capture_output=True, text=True
    )
    return [word.strip() for word in done.stdout.splitlines()]


needs_bash = pytest.mark.skipif(BASH is None or os.name == "nt", reason="needs bash")


@pytest.mark.slow
@needs_bash
@pytest.mark.parametrize(
    ("line", "expected", "rest"),
    [
        ("ndp-opt x.mlir --list-dev", {"--list-devices"}, False),
        ("ndp-opt x.mlir -p off", {"offload"}, False),
        ("ndp-opt x.mlir -p inline,canon", {"inline,canonicalize"}, True),
        ("ndp-opt x.mlir -p 'place{pol", {"place{policy="}, False),
        ("ndp-opt x.mlir -p 'fuse,place{policy=gre", {"fuse,place{policy=greedy"}, False),
        ("ndp-opt x.mlir -t summ", {"summary"}, False),
        ("ndp-opt x.mlir --machine a100-", {"a100-newton", "a100-aim"}, True),
        ("ndp-opt example:mobilenet", {"mobilenet_v2"}, False),
        ("ndp-opt --show-device newton_a", {"newton_artifact"}, False),
        ("ndp-opt --list-ops graph.soft", {"graph.softmax"}, False),
        ("ndp-opt example:gpt2_decode_kv255 --dim c", {"cache="}, False),
        ("ndp-opt x.mlir --sweep ba", {"batch="}, False),
        ("ndp-sweep --des", {"--design"}, False),
        ("ndp-profile --machine a100-new", {"a100-newton"}, False),
        ("ndp-opt x.mlir --library trtllm_", {"trtllm_1_3_rc10"}, False),
        ("ndp-calibrate --device a1", {"a100"}, True),
        ("ndp-calibrate --as-library sg", {"sglang", "sglang_triton"}, False),
    ],
)
def test_bash_offers_names(line: str, expected: set[str], rest: bool, commands: Path, tmp_path: Path) -> None:
    found = {word.rstrip("' ").lstrip("'") for word in offered(line, commands, tmp_path)}
    assert (expected <= found) if rest else (expected == found)


@pytest.mark.slow
@needs_bash
def test_bash_offers_names_of_given_plugins_and_sheets(commands: Path, tmp_path: Path) -> None:
    plugin = ROOT / "examples/plugin"
    assert offered(f"ndp-opt --plugin {plugin}/mine.py x.mlir -p lower-mi", commands, tmp_path) == ["lower-mine"]
    assert offered(f"ndp-opt --sheets {plugin}/sheets x.mlir --machine a100-f", commands, tmp_path) == ["a100-fast"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_are_valid_in_their_shell(shell: str) -> None:
    text = script(shell)  # pyright: ignore[reportArgumentType]
    assert all(tool in text for tool in TOOLS)
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    assert subprocess.run([shell, "-n"], input=text, capture_output=True, text=True).returncode == 0
