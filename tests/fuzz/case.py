"""One case of the fuzzer: a command line and the file that the command reads. A case is stored as a seed, one file with
both."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

SEEDS = Path(__file__).parent / "seeds"
"""The folder of stored cases: one folder per kind, one file per case."""
SUFFIX = ".case"
ROOT = Path(__file__).parents[2]
ROOT_WORD = "$ROOT"
"""The placeholder for the project's folder in a command line."""


@dataclass(frozen=True)
class Case:
    """A command line and its input. `words`: a tool and its arguments. `file`: the name of the file to which `data` is
    written before the tool runs."""

    words: tuple[str, ...]
    file: str
    data: bytes

    def to_bytes(self) -> bytes:
        """The case as a seed: a line of JSON, then the unchanged data."""
        return json.dumps({"words": self.words, "file": self.file}).encode() + b"\n" + self.data

    @classmethod
    def of_bytes(cls, seed: bytes) -> Case:
        """The case that a seed contains."""
        head, _, data = seed.partition(b"\n")
        said = json.loads(head)
        return cls(tuple(said["words"]), said["file"], data)

    def arguments(self) -> list[str]:
        """The arguments passed to the tool, with `ROOT_WORD` replaced."""
        return [word.replace(ROOT_WORD, str(ROOT)) for word in self.words[1:]]


def seeds() -> list[Path]:
    """The files of all stored cases."""
    return sorted(SEEDS.glob(f"*/*{SUFFIX}"))
