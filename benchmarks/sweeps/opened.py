"""Check that changing any file which a point of a sweep opens, as system calls show, makes the sweep compute it again.

    python -m benchmarks opened [--keep FOLDER]         needs strace

Runs one point under strace, of a program with a machine, sheets, a calibration, a law, a profile, a plan of moves, and
a plugin that imports a module and reads a table. Then each file that was opened is changed, alone, and the journal is
asked whether it still holds the result. ndpir runs from a copy, so that its own files can be changed, too. Files of
Python, of installed packages and of the operating system are counted but not changed: Python and packages count by
their versions and by files that were changed after their installation (ndpir/sweep/code.py).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("dialects", "interp", "lowering", "ndpir")
PROGRAM = """\
func.func @main(%x: tensor<50000xf32>) -> tensor<50000xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<50000xf32>
  %v = graph.weight "v" = uniform(-1.0, 1.0, 2) : tensor<50000xf32>
  %a = graph.mul %x, %w : tensor<50000xf32>, tensor<50000xf32>
  %b = graph.mul %a, %v : tensor<50000xf32>, tensor<50000xf32>
  func.return %b : tensor<50000xf32>
}
"""
MACHINE = """\
// A GPU with little memory, beside near-data units and a host.
hw.device @gpu = "mine" {memory = "700 kB"}
hw.device @ndp = "sheets/units.sheet"
hw.device @host = "host_memory"
hw.link @gpu to @ndp = "expander_link"
hw.link @gpu to @host = "pcie4_copies"
"""
PROFILE = {
    "format": "ndpir-profile-1",
    "copies": [{"source": "gpu", "target": "host", "bytes": 200000, "times_ns": [20000]}],
}
PLUGIN = """\
import swept_helper

PIPELINES = {"swept": (("canonicalize", "why"), (f"place{{policy={swept_helper.POLICY}}}", "why"))}
SHEETS = "more"
"""
HELPER = """\
import json
from pathlib import Path

POLICY = json.loads((Path(__file__).parent / "table.json").read_text())["policy"]
"""
PLAN = """\
at 1 prefetch v [93504 to 200000]
at 2 evict w [93504 to 200000] to host
at 3 evict v [93504 to 200000] to host
at 3 prefetch w [93504 to 200000]
"""
FLAGS = ["m.mlir", "--machine", "machine.mlir", "--plugin", "plugin/swept_plugin.py", "--profile", "profile.json"]
PASSES = ["-p", 'swept,prefetch{policy=replay file="moves.plan"}']
NAMED = (
    *("m.mlir", "machine.mlir", "mine.sheet", "mine.calibration", "sheets/units.sheet", "sheets/units.law"),
    *("profile.json", "moves.plan", "plugin/swept_plugin.py", "plugin/swept_helper.py", "plugin/table.json"),
    "plugin/more/other.sheet",
)
"""The files of the project, each of which a point opens."""


def write_project(folder: Path) -> None:
    """Write the program, and all files that its compilation reads, to a folder."""
    law = (ROOT / "interp" / "devices" / "calibrations" / "ndpx.law").read_text()
    texts = {
        "m.mlir": PROGRAM,
        "machine.mlir": MACHINE,
        "mine.sheet": 'device mine = a100_80_sxm "a variant" with launch 4 us\n',
        "mine.calibration": 'calibration gpu mine "made up"\n',
        "sheets/units.sheet": 'device units = ndpx "a variant" with units 4\n',
        "sheets/units.law": law,
        "profile.json": json.dumps(PROFILE),
        "moves.plan": PLAN,
        "plugin/swept_plugin.py": PLUGIN,
        "plugin/swept_helper.py": HELPER,
        "plugin/table.json": '{"policy": "gpu"}',
        "plugin/more/other.sheet": 'device other = a100_80_sxm "not used" with launch 5 us\n',
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def changed(path: Path) -> bytes:
    """Change a file without a change of its meaning where that is easy; returns its contents before."""
    before = path.read_bytes()
    path.write_bytes(before + b"\n")
    return before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--keep", metavar="FOLDER", type=Path, help="keep the project, the copy and the trace here")
    args = parser.parse_args()
    if shutil.which("strace") is None:
        sys.exit("this benchmark needs strace; install it (apt-get install strace)")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(args.keep or temporary).resolve()
        folder.mkdir(exist_ok=True)
        own = folder / "own"
        for package in PACKAGES:
            shutil.copytree(ROOT / package, own / package, ignore=shutil.ignore_patterns("__pycache__"))
        project = folder / "project"
        project.mkdir()
        write_project(project)
        environment = {**os.environ, "PYTHONPATH": str(own)}
        trace = folder / "trace.txt"
        command = [sys.executable, "-m", "ndpir.cli.exploring.sweep", *FLAGS, *PASSES, "--sweep", "gpu.launch=2"]
        strace = ["strace", "-f", "-e", "trace=open,openat,openat2", "-o", str(trace)]
        words = [*strace, *command, "--jobs", "1", "-o", "r.sqlite"]
        subprocess.run(words, cwd=project, env=environment, check=True)
        # The check runs in a process of the copy, which reads the copy's files.
        check = [sys.executable, str(Path(__file__)), "--check", str(trace)]
        sys.exit(subprocess.run(check, cwd=project, env=environment).returncode)


def opened(trace: str, project: Path) -> list[Path]:
    """The files that a trace shows as opened for reading, without folders, in order."""
    found: dict[str, None] = {}
    for path, flags, result in re.findall(r'open(?:at2?)?\((?:AT_FDCWD, )?"([^"]+)", (.*?)\)? += (-?\d+)', trace):
        if int(result) >= 0 and "O_DIRECTORY" not in flags and "O_RDONLY" in flags:
            found[os.path.normpath(project / path)] = None
    return [Path(path) for path in found if Path(path).is_file()]


def check(trace: Path) -> int:
    """Change each opened file and report those whose change goes unnoticed; returns the exit status. Runs in the folder
    of the project, with ndpir's copy."""
    from dialects.dependencies import is_installed
    from ndpir.sweep import code
    from ndpir.sweep.journal import Journal

    project, own = Path.cwd(), Path(code.__file__).parents[2]
    assert own != ROOT, "the copy is not used"
    files = opened(trace.read_text(), project)
    kinds: Counter[str] = Counter()
    missed: list[Path] = []
    system: list[Path] = []

    def held(states: Mapping[str, str]) -> bool:
        with Journal("r.sqlite") as journal:
            questions = [str(row[0]) for row in journal._file.execute("select question from answers")]  # pyright: ignore[reportPrivateUsage]
            return bool(journal.held(questions, dict(states)))

    before = dict(code.states_of_code())
    assert held(before), "the result is not held although nothing changed"
    for path, kind in classified(files, project, own, is_installed):
        kinds[kind] += 1
        system += [path] if kind == SYSTEM else []
        if kind not in (OF_PROJECT, DATA, CODE):
            continue
        content = changed(path)
        try:
            states = {**before, code.OURS: code._own_digest()} if kind == CODE else before  # pyright: ignore[reportPrivateUsage]
            if held(states):
                missed.append(path)
        finally:
            path.write_bytes(content)
    for kind, count in kinds.items():
        print(f"{count:5} {kind}")
    print("of the operating system:", *system)
    unopened = [name for name in NAMED if project / name not in files]
    for name in unopened:
        print(f"not opened: {name}")
    for path in missed:
        print(f"a change goes unnoticed: {path}")
    print(f"{sum(kinds[kind] for kind in (OF_PROJECT, DATA, CODE))} files changed, {len(missed)} changes unnoticed")
    return 1 if missed or unopened else 0


SYSTEM = "files of the operating system"
OF_PROJECT, DATA, CODE = "files of the project: changed", "ndpir's data: changed", "ndpir's code: changed"


def classified(
    files: Sequence[Path], project: Path, own: Path, is_installed: Callable[[str], bool]
) -> Iterator[tuple[Path, str]]:
    """Yield each file with its kind."""
    for path in files:
        if "__pycache__" in path.parts:
            kind = "byte code and tables of parsers: made from files that count"
        elif path.name.startswith("r.sqlite"):
            kind = "the journal"
        elif path.is_relative_to(own):
            kind = CODE if path.suffix in (".py", ".lark") else DATA
        elif path.is_relative_to(project):
            kind = OF_PROJECT
        elif is_installed(str(path)) or "site-packages" in path.parts:
            kind = "Python and installed packages: by version, and by changes after their installation"
        else:
            kind = SYSTEM
        yield path, kind


if __name__ == "__main__":
    sys.exit(check(Path(sys.argv[2])) if sys.argv[1:2] == ["--check"] else main())
