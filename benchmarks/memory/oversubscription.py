"""Programs larger than GPU memory: policies, lower bounds and published results.

python -m benchmarks oversubscription SECTION [WORD …]      (SECTION --help lists its options)
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

SECTIONS = {
    "g10": "benchmarks.memory.g10",
    "plans": "benchmarks.memory.plans",
    "pump": "benchmarks.memory.pump",
    "recompute": "benchmarks.memory.recomputing",
}
"""The module of each section; its `main` takes the section's arguments, and returns the exit status."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the section that the first argument names; return the exit status."""
    section, *rest = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if section not in SECTIONS:
        print(f"usage: python -m benchmarks oversubscription {{{','.join(SECTIONS)}}} [WORD …]")
        return 0 if section in ("-h", "--help") else 2
    return import_module(SECTIONS[section]).main(rest)


if __name__ == "__main__":
    sys.exit(main())
