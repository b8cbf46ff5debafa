"""`-t json`: all answers of a program in one JSON document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from ndpir.answers.document import document_of_answer
from ndpir.answers.everything import SECTIONS, Everything, everything_answer
from ndpir.answers.run import Run
from ndpir.targets.answer import AnswerTarget


@dataclass(frozen=True)
class JsonTarget(AnswerTarget[Everything]):
    """All answers of a program in one JSON document: timeline, summary, bank programs, placement, plan, residency,
    assumptions, decisions and near-data programs. A section that does not apply to the program is null, with the
    reason. docs/json.md describes the document.

    `sections`: the names of the sections to compute (default: all). `entry`: the function; default: `main`, or else the
    first function.
    """

    name: ClassVar[str] = "json"
    sections: tuple[str, ...] = ()
    entry: str | None = None

    def __post_init__(self) -> None:
        for name in self.sections:
            if name not in SECTIONS:
                raise ValueError(f"json has no section `{name}`; it has {', '.join(SECTIONS)}")

    def answer(self, module: ModuleOp) -> Everything:
        return everything_answer(Run.of(module, self.entry), self.sections)

    def text(self, answer: Everything) -> str:
        return document_of_answer(self.name, answer)
