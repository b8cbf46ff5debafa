"""Programs larger than GPU memory: policies beside each other, bounds, and published results.

python -m benchmarks oversubscription SECTION [WORD …]      (a section's own words: SECTION --help)
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
"""The module of each section: its `main` takes the words behind the section's name, and returns the exit status."""


def main(words: Sequence[str] | None = None) -> int:
    """Run a section."""
    section, *rest = list(sys.argv[1:] if words is None else words) or ["--help"]
    if section not in SECTIONS:
        print(f"usage: python -m benchmarks oversubscription {{{','.join(SECTIONS)}}} [WORD …]")
        return 0 if section in ("-h", "--help") else 2
    return import_module(SECTIONS[section]).main(rest)


if __name__ == "__main__":
    sys.exit(main())
