"""External interfaces: properties of op classes that packages above `dialects` define and attach to the classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from xdsl.ir import Operation

Answer = TypeVar("Answer")
AnswerT = TypeVar("AnswerT")


class ExternalInterface(Generic[Answer]):
    """An interface of op classes that another package or a plugin implements, like MLIR's external models. An
    implementation applies to a class and to those of its subclasses that have no implementation of their own.

        meaning = ExternalInterface[Callable[..., Array]]()

        @meaning.of(ReluOp)
        def relu(op, x): ...

        meaning.find(type(op))
    """

    def __init__(self) -> None:
        self._attached: dict[type[Operation], Answer] = {}
        self._found: dict[type[Operation], Answer | None] = {}

    def of(self, *op_classes: type[Operation]) -> Callable[[AnswerT], AnswerT]:
        """A decorator that attaches the decorated object as the implementation for these classes."""

        def attach(answer: AnswerT) -> AnswerT:
            self.attach(answer, *op_classes)  # pyright: ignore[reportArgumentType]
            return answer

        return attach

    def attach(self, answer: Answer, *op_classes: type[Operation]) -> None:
        """Attach an implementation to these classes."""
        self._attached |= dict.fromkeys(op_classes, answer)
        self._found.clear()

    def find(self, op_class: type[Operation]) -> Answer | None:
        """The implementation for a class: its own, or that of its nearest base class; None if neither exists."""
        if op_class not in self._found:
            answers = (self._attached.get(base) for base in op_class.__mro__)
            self._found[op_class] = next((answer for answer in answers if answer is not None), None)
        return self._found[op_class]
