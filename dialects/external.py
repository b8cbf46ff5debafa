"""External interfaces: what a floor above the dialects knows of op classes, attached to them from there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from xdsl.ir import Operation

Answer = TypeVar("Answer")
AnswerT = TypeVar("AnswerT")


class ExternalInterface(Generic[Answer]):
    """An interface of op classes that another floor answers, or a plugin, as MLIR's external models do. An answer holds
    for a class and its subclasses, but for those that have one of their own.

        meaning = ExternalInterface[Callable[..., Array]]()

        @meaning.of(ReluOp)
        def relu(op, x): ...

        meaning.find(type(op))
    """

    def __init__(self) -> None:
        self._attached: dict[type[Operation], Answer] = {}
        self._found: dict[type[Operation], Answer | None] = {}

    def of(self, *op_classes: type[Operation]) -> Callable[[AnswerT], AnswerT]:
        """Attach what stands below as the answer of some classes."""

        def attach(answer: AnswerT) -> AnswerT:
            self.attach(answer, *op_classes)  # pyright: ignore[reportArgumentType]
            return answer

        return attach

    def attach(self, answer: Answer, *op_classes: type[Operation]) -> None:
        """Let this be the answer of some classes."""
        self._attached |= dict.fromkeys(op_classes, answer)
        self._found.clear()

    def find(self, op_class: type[Operation]) -> Answer | None:
        """The answer of a class: its own, or that of its nearest base; None where there is none."""
        if op_class not in self._found:
            answers = (self._attached.get(base) for base in op_class.__mro__)
            self._found[op_class] = next((answer for answer in answers if answer is not None), None)
        return self._found[op_class]
