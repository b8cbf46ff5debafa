"""The base class of targets that write an answer, as text or as JSON; and the option `json` for targets that write
files of other formats."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, fields
from functools import cache
from io import StringIO
from typing import IO, Any, ClassVar, Generic, TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from ndpir.reports.texts import printable_answer

A = TypeVar("A")


@dataclass(frozen=True)
class AnswerTarget(Target, Generic[A]):
    """A target that writes an answer (plain data) as text, which may omit some of the data.

    `json`: write the answer as JSON, with all data.
    """

    NEEDS_MACHINE: ClassVar[bool] = True
    json: bool = field(default=False, kw_only=True)

    @abstractmethod
    def answer(self, module: ModuleOp) -> A:
        """The answer of this target for a program."""

    @abstractmethod
    def text(self, answer: A) -> str:
        """The answer, without hidden characters, as text for people to read."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        answer = self.answer(module)
        if not self.json:
            output.write(self.text(printable_answer(answer)))
            return
        from ndpir.reports.document import document_of_answer

        output.write(document_of_answer(self.name, answer))


@cache
def with_json(cls: type[Target]) -> type[Target]:
    """A target's class with the option `json`: `cls` itself if it has that option, or else a subclass that puts the
    text that the target writes into a JSON document."""
    if any(each.name == "json" for each in fields(cls)):
        return cls
    encoding: str = getattr(cls, "ENCODING", "utf-8")

    @dataclass(frozen=True)
    class Wrapping(cls):
        json: bool = field(default=False, kw_only=True)

        def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
            of_file: Any = super()
            if not self.json:
                of_file.emit(ctx, module, output)
                return
            from ndpir.reports.document import document_of_file

            content = StringIO()
            of_file.emit(ctx, module, content)
            text = content.getvalue()
            output.write(document_of_file(self.name, text if encoding == "utf-8" else text.encode(encoding)))

    for name in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(Wrapping, name, getattr(cls, name))
    return Wrapping
