"""The base class of targets that write an answer, as text or as JSON; and the option `json` for targets that write
files of other formats."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from io import StringIO
from typing import IO, Any, ClassVar, Generic, TypeVar, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from dialects.text.printable import printable

A = TypeVar("A")
_SEQUENCES = frozenset((list, tuple))
_NUMBERS = frozenset(("int", "float", "bool", "int | None", "float | None", "bool | None"))
"""The annotations of fields that hold no text."""


def printable_answer(answer: A) -> A:
    """The answer, or a copy of it in which the hidden characters of all texts are escapes (`printable`)."""
    return cast(A, _shown(answer))


def _shown(value: Any) -> Any:
    """A value with escapes; the value itself if it has no hidden characters."""
    kind = cast(Any, type(value))
    if kind is str:
        return printable(value)
    if kind in _SEQUENCES:
        made = kind(_shown(part) for part in value)
        return value if _same(made, value) else made
    if kind is dict:
        pairs = {_shown(key): _shown(part) for key, part in value.items()}
        return value if _same([*pairs, *pairs.values()], [*value, *value.values()]) else pairs
    if not is_dataclass(kind):
        return value
    parts = {name: getattr(value, name) for name in _fields(kind)}
    changed = {name: new for name, part in parts.items() if (new := _shown(part)) is not part}
    return replace(value, **changed) if changed else value


def _same(parts: Sequence[Any], others: Sequence[Any]) -> bool:
    return len(parts) == len(others) and all(part is other for part, other in zip(parts, others, strict=True))


@cache
def _fields(cls: type[Any]) -> tuple[str, ...]:
    """The names of a dataclass's fields that may hold text."""
    return tuple(each.name for each in fields(cls) if each.init and each.type not in _NUMBERS)


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
