"""Memory of complete modules of JAX on a GPU, compared with XLA's report for the same modules on the CPU.

XLA's figure is the sum of arguments, results and temporaries, minus aliased buffers.

    python -m benchmarks.stablehlo.memory MODULE.mlir …      (needs jax)
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import ndpir
from interp.figures import size
from tests.stablehlo_random import Xla

MACHINE = "b200_sxm"
"""A GPU with enough memory for all modules."""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("modules", type=Path, nargs="+", metavar="MODULE.mlir")
    xla = Xla(optimised=True)
    for path in parser.parse_args(arguments).modules:
        options = xla.compiled(path.read_text(encoding="utf-8")).get_compiled_memory_stats()
        theirs = options.argument_size_in_bytes + options.output_size_in_bytes + options.temp_size_in_bytes
        theirs -= options.alias_size_in_bytes
        placed = ndpir.compile(ndpir.read(path), "gpu-only", machine=MACHINE)
        ours = ndpir.simulate(placed).memory["gpu"].total
        print(f"{path.stem:36} {size(ours):>12}  XLA {size(theirs):>12}  {ours / theirs:.2f}", flush=True)


if __name__ == "__main__":
    main()
