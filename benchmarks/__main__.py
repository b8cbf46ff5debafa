"""List of all benchmarks (`python -m benchmarks`), and start of a benchmark by its name (`python -m benchmarks NAME
…`)."""

from __future__ import annotations

import ast
import runpy
import sys
from difflib import get_close_matches
from pathlib import Path

HERE = Path(__file__).parent


def known() -> dict[str, Path]:
    """Return the file of each benchmark by its name: all files in this folder and below that run as programs."""
    files = (path for path in HERE.rglob("*.py") if not path.stem.startswith("_"))
    return {path.stem: path for path in sorted(files, key=lambda path: path.stem) if _GUARD in path.read_text()}


_GUARD = '\nif __name__ == "__main__":\n'


def _title(path: Path) -> str:
    """Return the first line of a benchmark's docstring."""
    return (ast.get_docstring(ast.parse(path.read_text())) or "").partition("\n")[0]


def main() -> None:
    files = known()
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print("usage: python -m benchmarks NAME [WORD …]\n")
        print("\n".join(f"  {name:18} {_title(path)}" for name, path in files.items()))
        return
    name = sys.argv[1]
    if name not in files:
        near = get_close_matches(name, files, 1)
        sys.exit(f"no benchmark is named `{name}`{f'; did you mean `{near[0]}`?' if near else ''} (see --help)")
    sys.argv = [f"python -m benchmarks {name}", *sys.argv[2:]]
    runpy.run_path(str(files[name]), run_name="__main__")


if __name__ == "__main__":
    main()
