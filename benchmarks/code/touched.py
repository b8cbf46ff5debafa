"""Files and functions of the four packages that a step of a run touches: parsing and printing a program, or placing and
timing it.

A profiler hook records each code object that runs. A file is imported if its module is executed, and entered if one of
its functions is called; a function is a code object other than that of a module or class body, or a comprehension.
Each step runs in a process of its own, by the functions of package `ndpir`. With
`--list`, the files follow, each with the number of its functions that are called.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("dialects", "interp", "lowering", "ndpir")
STEPS = {
    "parse and print": "ndpir.write(ndpir.read(PROGRAM))",
    "place and time": "ndpir.simulate(ndpir.compile(PROGRAM, 'place{effort=1}'))",
}
"""The steps that are counted, as Python expressions."""

_COUNTED = """
import json, sys
from types import CodeType, FrameType

seen: dict[CodeType, None] = {}

def note(frame: FrameType, event: str, _: object) -> None:
    if event == "call":
        seen[frame.f_code] = None

PROGRAM = "examples/mlp.mlir"
sys.setprofile(note)
import ndpir
eval(sys.argv[1])
sys.setprofile(None)
BODY = 0x2  # CO_NEWLOCALS: not set for bodies of modules and classes
found = [(code.co_filename, code.co_qualname, bool(code.co_flags & BODY)) for code in seen]
print(json.dumps(found), file=sys.stderr)
"""


def counted(step: str) -> tuple[set[str], set[str], set[tuple[str, str]]]:
    """Return the files that a step imports, the files that it enters, and the functions that it calls."""
    made = subprocess.run([sys.executable, "-c", _COUNTED, step], check=True, capture_output=True, text=True, cwd=ROOT)
    imported, entered, functions = set[str](), set[str](), set[tuple[str, str]]()
    for path, name, is_function in json.loads(made.stderr.splitlines()[-1]):
        if not any(Path(path).is_relative_to(ROOT / package) for package in PACKAGES):
            continue
        file = str(Path(path).relative_to(ROOT))
        if name == "<module>":
            imported.add(file)
        elif is_function and not name.endswith(("comp>", "<genexpr>", "<lambda>")):
            entered.add(file)
            functions.add((file, name))
    return imported, entered, functions


def main() -> None:
    for name, step in STEPS.items():
        imported, entered, functions = counted(step)
        print(f"{name}: {len(imported)} files imported, {len(entered)} entered, {len(functions)} functions called")
        if "--list" in sys.argv:
            print("\n".join(f"  {file} {sum(each == file for each, _ in functions)}" for file in sorted(entered)))
            print("\n".join(f"  (imported only) {file}" for file in sorted(imported - entered)))


if __name__ == "__main__":
    main()
