"""Tests of the installed commands as processes: Ctrl-C during imports, closed or full standard streams, and the modules
that entry points import."""

from __future__ import annotations

import signal
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FULL = "<stdout>: error: can't be written: no space left on device\n"
NO_INPUT = "<stdin>: error: can't be read: it is closed\n"
NO_OUTPUT = "<stdout>: error: can't be written: it is closed; redirect it to a file or a pipe\n"
TOOLS = {
    "ndp-opt": "opt",
    "ndp-profile": "profile",
    "ndp-calibrate": "calibrate",
    "ndp-sweep": "sweep",
    "ndp-serve": "serve",
}


def start(tool: str, words: Sequence[str]) -> list[str]:
    """The command line that starts a tool as its installed script does."""
    return [
        sys.executable,
        "-c",
        f"import sys; from ndpir.cli.command import {TOOLS[tool]} as run; sys.exit(run())",
        *words,
    ]


def test_scripts_use_the_light_entry_point() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert scripts == {tool: f"ndpir.cli.command:{name}" for tool, name in TOOLS.items()}
    loaded = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; old = set(sys.modules); import ndpir.cli.command; print(*set(sys.modules) - old)",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert not {name.partition(".")[0] for name in loaded} & {"xdsl", "numpy", "argparse", "typing", "dialects"}


SLOW = """\
import sys, time
class Slow:
    def find_spec(self, name, *_):
        if name == "xdsl":
            print("loading", flush=True)
            try:
                time.sleep(30)
            except KeyboardInterrupt:
                raise ImportError("turned into something else, as numpy does") from None
sys.meta_path.insert(0, Slow())
"""
INSTALLED = "from ndpir.cli.command import {} as run; sys.exit(run())"
AS_MODULE = "import runpy; runpy.run_module('{}', run_name='__main__')"


@pytest.mark.parametrize(
    ("tool", "started"),
    [(tool, INSTALLED.format(name)) for tool, name in TOOLS.items()]
    + [
        ("ndp-opt", AS_MODULE.format("ndpir")),
        ("ndp-profile", AS_MODULE.format("ndpir.cli.profile")),
        ("ndp-calibrate", AS_MODULE.format("ndpir.cli.calibrate")),
    ],
)
def test_interrupt_during_imports(tool: str, started: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW + started],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "loading\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, f"{tool}: interrupted\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tool", "words", "closed", "status", "expected"),
    [
        ("ndp-opt", "-", "<&-", 1, NO_INPUT),
        ("ndp-opt", "--version", ">&-", 1, NO_OUTPUT),
        ("ndp-opt", "--help", ">/dev/full", 1, FULL),
        ("ndp-opt", "--nosuch", "2>&-", 2, ""),
        ("ndp-profile", "-", "<&-", 1, NO_INPUT),
        ("ndp-profile", "--help", ">&-", 1, NO_OUTPUT),
        ("ndp-calibrate", "- --device a100 -o -", "<&-", 1, NO_INPUT),
        (
            "ndp-calibrate",
            "--list-classes",
            ">/dev/full",
            1,
            FULL,
        ),
    ],
)
def test_unusable_standard_streams(tool: str, words: str, closed: str, status: int, expected: str) -> None:
    script = f'exec "$@" {closed}'
    done = subprocess.run(
        ["bash", "-c", script, "bash", *start(tool, words.split())], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (status, expected)


@pytest.mark.slow
def test_closed_stdout_does_not_become_a_file(tmp_path: Path) -> None:
    """If stdout is closed, the next file that is opened gets its descriptor, and printed text would be written into
    this file; the command must prevent this."""
    out = tmp_path / "out.mlir"
    script = 'exec "$@" >&- <&- 2>&-'
    words = start("ndp-opt", [str(ROOT / "examples" / "mlp.mlir"), "-p", "place", "--summary", "-o", str(out)])
    assert subprocess.run(["bash", "-c", script, "bash", *words], cwd=ROOT).returncode == 1
    assert not out.exists() or out.read_text().startswith("builtin.module")
