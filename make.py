#!/usr/bin/env python3
"""Set-up, tests and checks of the project on a new machine, with Python alone.

    python3 make.py demo|test|kernels|lint|setup|lock

demo     make the environment in .venv, then plan, verify and time a real CNN on a GPU with PIM
test     make the environment with the test tools, then run all tests on all cores (other arguments go to pytest);
         --quick skips slow tests and draws fewer random cases
kernels  run the tests that compute numbers (recorded by the last `test`) with BLAS kernels of other processors:
         Haswell and Nehalem, or those that are named
lint     run ruff and pyright (strict)
setup    make the environment with the tools of all these commands
lock     write constraints.txt again, with the newest versions that pyproject.toml allows
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
    "optimal",
    "--check",
    "--summary",
    "-t",
    "timeline",
]

EVERY_CORE = ["-n", "auto", "--maxprocesses=8", "--dist=worksteal"]
KERNELS = {"Haswell": False, "Nehalem": True}
"""OpenBLAS kernels to test: with fused multiply-add (Haswell), and without (Nehalem). True: numpy's vector extensions
are disabled, too."""
PROBE = """
import numpy
print(*numpy.show_config(mode="dicts")["SIMD Extensions"]["found"])
numpy.ones((300, 300)) @ numpy.ones((300, 300))
"""


def run(*command: str | Path) -> None:
    """Run a command in the project's root. If it fails, exit with its exit code."""
    done = subprocess.run([str(argument) for argument in command], cwd=ROOT)
    if done.returncode:
        sys.exit(done.returncode)


def environment(*extras: str) -> None:
    """Make `.venv` if it does not exist, and install the project with the given extras into it, unless they are
    installed already."""
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + CONSTRAINTS.read_bytes()).hexdigest()
    stamps = {extra: VENV / f".installed{'-' + extra if extra else ''}" for extra in extras or ("",)}
    missing = [extra for extra, stamp in stamps.items() if not stamp.exists() or stamp.read_text() != wanted]
    if not missing:
        return
    if not (BIN / "python").exists() and not (BIN / "python.exe").exists():
        print(f"making an environment in {VENV.name}/", file=sys.stderr)
        venv.create(VENV, with_pip=True)
    named = ",".join(filter(None, missing))
    # Modules are compiled when they are first imported: most of those of large packages never are.
    flags = ["--quiet", "--no-compile", "--disable-pip-version-check", "-c", CONSTRAINTS]
    run(BIN / "python", "-m", "pip", "install", *flags, "-e", f".[{named}]" if named else ".")
    for extra in missing:
        stamps[extra].write_text(wanted)


def demo(_: Sequence[str]) -> None:
    environment()
    print("$ ndp-opt " + " ".join(DEMO), file=sys.stderr)
    run(BIN / "ndp-opt", *DEMO)
    print("\nMore in README.md. To have ndp-opt on your PATH: . .venv/bin/activate", file=sys.stderr)


def test(arguments: Sequence[str]) -> None:
    environment("test")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # otherwise thousands of processes would compile every module again
    run(BIN / "python", "-m", "pytest", *pytest_arguments(arguments))


def pytest_arguments(arguments: Sequence[str]) -> list[str]:
    """Return the arguments for pytest: the options for all cores (unless files are given), then the user's arguments,
    which take precedence."""
    named = any(not argument.startswith("-") and (ROOT / argument.split("::")[0]).exists() for argument in arguments)
    quiet = ["-q"] if all(argument == "--quick" for argument in arguments) else []
    return [*([] if named else EVERY_CORE), *quiet, *arguments]


def kernels(arguments: Sequence[str]) -> None:
    environment("test")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    named = [argument for argument in arguments if argument in KERNELS]
    arguments = [argument for argument in arguments if argument not in KERNELS]
    for kernel in named or KERNELS:
        chosen = os.environ | {"OPENBLAS_CORETYPE": kernel}
        probed = subprocess.run(
            [BIN / "python", "-c", PROBE], env=chosen | {"OPENBLAS_VERBOSE": "2"}, capture_output=True, text=True
        )
        if probed.returncode or f"Core: {kernel}\n" not in probed.stderr:
            print(
                f"BLAS kernel {kernel}: skipped, since this processor or this numpy does not support it",
                file=sys.stderr,
            )
            continue
        extensions = probed.stdout.strip() if KERNELS[kernel] else ""
        print(f"BLAS kernel {kernel}{', numpy without ' + extensions if extensions else ''}", file=sys.stderr)
        os.environ |= {"OPENBLAS_CORETYPE": kernel, "NPY_DISABLE_CPU_FEATURES": extensions}
        run(BIN / "python", "-m", "pytest", "--numbers", *pytest_arguments(arguments))


def lint(arguments: Sequence[str]) -> None:
    setup(arguments)
    run(BIN / "ruff", "check", ".")
    run(BIN / "ruff", "format", "--check", ".")
    run(BIN / "pyright")


def setup(_: Sequence[str]) -> None:
    environment("test", "lint")


def lock(_: Sequence[str]) -> None:
    fresh = ROOT / "build" / "lock"
    venv.create(fresh, with_pip=True, clear=True)
    python = fresh / BIN.name / "python"
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", ".[test,lint,plots]")
    freeze = [python, "-m", "pip", "freeze", "--all", "--exclude", "pip", "--exclude", "ndpir"]
    frozen = subprocess.run(freeze, capture_output=True, text=True, check=True).stdout
    head = "# Versions that the tests were last run with; `python3 make.py lock` writes this file.\n"
    CONSTRAINTS.write_text(head + "\n".join(sorted(frozen.splitlines(), key=str.lower)) + "\n")


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
