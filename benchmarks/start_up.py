"""Start-up: wall time of `ndp-opt` on an empty function, divided by that of `xdsl-opt`.

New processes of the two tools alternate.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 15
PROGRAM = "func.func @empty() {\n  func.return\n}\n"


def wall(tool: str, file: str) -> float:
    """Return the wall time of one process of the tool `tool` on a file, s."""
    start = time.perf_counter()
    subprocess.run([str(Path(sys.executable).with_name(tool)), file], check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "empty.mlir"
        file.write_text(PROGRAM)
        pairs = [(wall("ndp-opt", str(file)), wall("xdsl-opt", str(file))) for _ in range(ROUNDS)][1:]
    ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(a / b for a, b in pairs)
    print(f"ndp-opt {ours:.3f} s, xdsl-opt {theirs:.3f} s, median of pairwise ratios {ratio:.2f}x (bar 1.5x)")


if __name__ == "__main__":
    main()
