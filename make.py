#!/usr/bin/env python3
"""All the set-up a fresh machine needs, by Python alone: `python3 make.py demo`, `python3 make.py test`.

demo     make the environment in .venv, then plan, verify and time a real CNN on a GPU with PIM
test     make the environment with the test tools, then run all tests on all cores (further words go to pytest);
         --quick leaves out the slow ones and draws fewer random cases
kernels  run the tests that compute numbers (as the last `test` has noted) as processors with other BLAS kernels would
lint     ruff and pyright (strict)
setup    make the environment with the tools of all of these
lock     write constraints.txt anew from what pyproject.toml allows today
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import venv
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
CONSTRAINTS = ROOT / "constraints.txt"
DEMO = [
    "examples/models/mobilenet_v2.onnx",
    "--machine",
    "pimflow",
    "-p",
    "best",
    "--check",
    "--summary",
    "-t",
    "timeline",
]

EVERY_CORE = ["-n", "auto", "--maxprocesses=8", "--dist=worksteal"]
KERNELS = {"Haswell": False, "Nehalem": True}
"""OpenBLAS's kernels with and without fused multiply-add, and whether numpy does without vector extensions as well."""
PROBE = """
import numpy
print(*numpy.show_config(mode="dicts")["SIMD Extensions"]["found"])
numpy.ones((300, 300)) @ numpy.ones((300, 300))
"""


def run(*command: str | Path) -> None:
    """Run a command in the project's root and end with its exit code if it fails."""
    done = subprocess.run([str(word) for word in command], cwd=ROOT)
    if done.returncode:
        sys.exit(done.returncode)


def environment(extra: str = "") -> None:
    """Make `.venv` and install the project with an extra into it, unless that stands there already."""
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + CONSTRAINTS.read_bytes()).hexdigest()
    stamp = VENV / f".installed{'-' + extra if extra else ''}"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    if not (BIN / "python").exists() and not (BIN / "python.exe").exists():
        print(f"making an environment in {VENV.name}/", file=sys.stderr)
        venv.create(VENV, with_pip=True)
    what = f".[{extra}]" if extra else "."
    run(BIN / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", CONSTRAINTS, "-e", what)
    stamp.write_text(wanted)


def demo(_: Sequence[str]) -> None:
    environment()
    print("$ ndp-opt " + " ".join(DEMO), file=sys.stderr)
    run(BIN / "ndp-opt", *DEMO)
    print("\nMore in README.md. To have ndp-opt on your PATH: . .venv/bin/activate", file=sys.stderr)


def test(words: Sequence[str]) -> None:
    environment("test")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # some thousand processes would each compile every module again
    run(BIN / "python", "-m", "pytest", *pytest_words(words))


def pytest_words(words: Sequence[str]) -> list[str]:
    """The words for pytest: on all cores unless files are named; what a user says comes later and wins."""
    named = any(not word.startswith("-") and (ROOT / word.split("::")[0]).exists() for word in words)
    quiet = ["-q"] if all(word == "--quick" for word in words) else []
    return [*([] if named else EVERY_CORE), *quiet, *words]


def kernels(words: Sequence[str]) -> None:
    environment("test")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for kernel, plain in KERNELS.items():
        chosen = os.environ | {"OPENBLAS_CORETYPE": kernel}
        probed = subprocess.run(
            [BIN / "python", "-c", PROBE], env=chosen | {"OPENBLAS_VERBOSE": "2"}, capture_output=True, text=True
        )
        if probed.returncode or f"Core: {kernel}\n" not in probed.stderr:
            print(f"BLAS kernel {kernel}: left out, since this processor or this numpy lacks it", file=sys.stderr)
            continue
        extensions = probed.stdout.strip() if plain else ""
        print(f"BLAS kernel {kernel}{', numpy without ' + extensions if extensions else ''}", file=sys.stderr)
        os.environ |= {"OPENBLAS_CORETYPE": kernel, "NPY_DISABLE_CPU_FEATURES": extensions}
        run(BIN / "python", "-m", "pytest", "--numbers", *pytest_words(words))


def lint(words: Sequence[str]) -> None:
    setup(words)
    run(BIN / "ruff", "check", ".")
    run(BIN / "ruff", "format", "--check", ".")
    run(BIN / "pyright")


def setup(_: Sequence[str]) -> None:
    environment("test")
    environment("lint")


def lock(_: Sequence[str]) -> None:
    fresh = ROOT / "build" / "lock"
    venv.create(fresh, with_pip=True, clear=True)
    python = fresh / BIN.name / "python"
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", ".[test,lint,plots]")
    freeze = [python, "-m", "pip", "freeze", "--exclude", "ndpir"]
    frozen = subprocess.run(freeze, capture_output=True, text=True, check=True).stdout
    head = "# Versions that the tests were last run with; `python3 make.py lock` writes this file.\n"
    CONSTRAINTS.write_text(head + frozen)


COMMANDS: dict[str, Callable[[Sequence[str]], None]] = {
    "demo": demo,
    "test": test,
    "kernels": kernels,
    "lint": lint,
    "setup": setup,
    "lock": lock,
}


def main() -> None:
    if sys.version_info < (3, 11):  # noqa: UP036 - pip would say the same in ten lines
        sys.exit(f"make.py: ndpir needs Python 3.11 or later, but this is {sys.version.split()[0]}; use python3.11")
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    COMMANDS[sys.argv[1]](sys.argv[2:])


if __name__ == "__main__":
    main()
