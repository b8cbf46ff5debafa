"""Attentions that `fuse{attention=true}` finds in modules of JAX, with the effect on time and memory of a GPU.

    python -m benchmarks.stablehlo.attention DIR [WORD…] [--machine a100]      (DIR contains modules, `*.mlir`)

`WORD`: run only modules whose names contain one of the words.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

import ndpir

PASSES = "inline,canonicalize,fuse{attention=%s},layout,place{policy=gpu}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--machine", default="a100")
    options = parser.parse_args(arguments)
    table = Table("module", "attention", "gradient", "ms before", "after", "GB before", "after")
    for file in sorted(options.folder.glob("*.mlir")):
        if options.words and not any(word in file.stem for word in options.words):
            continue
        found, times, memory = Counter[str](), list[str](), list[str]()
        for wanted in ("false", "true"):
            program = ndpir.compile(ndpir.read(file), PASSES % wanted, machine=options.machine)
            timeline = ndpir.simulate(program)
            times.append(f"{timeline.makespan_ns / 1e6:.3f}")
            memory.append(f"{max(use.total for use in timeline.memory.values()) / 1e9:.3f}")
        for event, iterations, _ in timeline.tasks():
            if "attention" in event.name:
                found["gradient" if event.name.endswith("_grad") else "forward"] += iterations
        table.add_row(file.stem, str(found["forward"]), str(found["gradient"]), *times, *memory)
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
