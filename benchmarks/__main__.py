"""All benchmarks by name: `python -m benchmarks` lists them, `python -m benchmarks NAME …` runs one."""

from __future__ import annotations

import ast
import runpy
import sys
from difflib import get_close_matches
from pathlib import Path

HERE = Path(__file__).parent


def known() -> dict[str, str]:
    """The first line of each benchmark's docstring, by the benchmark's name."""
    files = (path for path in sorted(HERE.glob("*.py")) if not path.stem.startswith("_"))
    documents = {path.stem: ast.get_docstring(ast.parse(path.read_text())) or "" for path in files}
    return {name: text.partition("\n")[0] for name, text in documents.items()}


def main() -> None:
    names = known()
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print("usage: python -m benchmarks NAME [WORD …]\n")
        print("\n".join(f"  {name:18} {line}" for name, line in names.items()))
        return
    name = sys.argv[1]
    if name not in names:
        near = get_close_matches(name, names, 1)
        sys.exit(f"there is no benchmark `{name}`{f'; did you mean `{near[0]}`?' if near else ''} (see --help)")
    sys.argv = [f"python -m benchmarks {name}", *sys.argv[2:]]
    runpy.run_path(str(HERE / f"{name}.py"), run_name="__main__")


if __name__ == "__main__":
    main()
