"""A case of the fuzzer: a command line and the file that it reads; as a seed, one file that holds both."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

SEEDS = Path(__file__).parent / "seeds"
"""A folder a kind, a file a case."""
SUFFIX = ".case"
ROOT = Path(__file__).parents[2]
ROOT_WORD = "$ROOT"
"""Stands for the project's folder in a command line."""


@dataclass(frozen=True)
class Case:
    """`words`: a tool and its arguments. `file`: the name of the file that is written with `data` before it runs."""

    words: tuple[str, ...]
    file: str
    data: bytes

    def to_bytes(self) -> bytes:
        """The case as a seed: a line of JSON, then the data as they are."""
        return json.dumps({"words": self.words, "file": self.file}).encode() + b"\n" + self.data

    @classmethod
    def of_bytes(cls, seed: bytes) -> Case:
        """The case that a seed holds."""
        head, _, data = seed.partition(b"\n")
        said = json.loads(head)
        return cls(tuple(said["words"]), said["file"], data)

    def arguments(self) -> list[str]:
        """The words after the tool's name, as the tool is given them."""
        return [word.replace(ROOT_WORD, str(ROOT)) for word in self.words[1:]]


def seeds() -> list[Path]:
    """All kept cases."""
    return sorted(SEEDS.glob(f"*/*{SUFFIX}"))
