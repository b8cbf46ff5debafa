"""Construction of the graph of a step: ops in order, each with the name of the model's part that it belongs to, and
weights by their published names."""

from __future__ import annotations

import re
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Block, SSAValue
from xdsl.utils.exceptions import VerifyException

from dialects import graph as g
from dialects.diagnostics import FileName, InputError
from dialects.element_types import ElementType, dtype_of, tensor_type
from dialects.graph.constant import NumbersAttr
from dialects.locations import named
from lowering.graph.folding import Folding
from ndpir.frontends.configs.config import Config
from ndpir.frontends.configs.weights import Weights
from ndpir.frontends.construction import Construction

_FOREIGN = re.compile(r"[^\w$.-]+", re.ASCII)
"""Characters that names of values can't have."""


class StepBuilder(Construction):
    """The body of a step under construction.

    `element`: the type of the step's numbers; `cache_element`: that of its caches. `layer`: the number of the layer
    that is built, for names of weights.
    """

    def __init__(
        self, config: Config, block: Block, element: ElementType, cache_element: ElementType, weights: Weights
    ) -> None:
        self.config, self.block, self.weights = config, block, weights
        self.element, self.cache_element = element, cache_element
        self.layer = 0
        self.skew = 0.0
        """The unevenness with which tokens choose experts."""
        self.folding = Folding()
        self._found: dict[str, SSAValue] = {}
        self.scaled: dict[tuple[SSAValue, str], SSAValue] = {}
        """The operands of products of small floats, by the value that was scaled and the way."""
        self.part("embedding")

    def part(self, name: str) -> None:
        """Let the ops that follow belong to a part of the model."""
        self.location = named(name)

    def fail(self, message: str) -> NoReturn:
        """Raise InputError for a step that can't be built."""
        raise InputError(message, FileName(self.config.file) if self.config.file else None)

    def build(self, cls: type[g.GraphOp], /, *operands: SSAValue, **properties: Any) -> SSAValue:
        """The result of a new op, folded to a constant if possible."""
        try:
            op = cls(*operands, **properties)
        except VerifyException as error:
            self.fail(f"this step can't be built: {error}")
        if (numbers := self.folding.value_of(op)) is not None:
            op.drop_all_references()
            return self.constant(numbers)
        for operand in operands:
            if isinstance(owner := operand.owner, g.ConstantOp | g.WeightOp) and owner.parent is None:
                self.block.add_op(owner)
        op.location = self.location
        self.block.add_op(op)
        return op.results[0]

    def constant(self, value: NDArray[Any] | NumbersAttr, /) -> SSAValue:
        """A constant, which stands in the block once an op reads it."""
        op = g.ConstantOp(value)
        op.location = self.location
        return op.y

    def number(self, value: float, like: SSAValue) -> SSAValue:
        """A number of the element type of another value."""
        from dialects.graph.patterns.matching import filled

        op = filled(tensor_type((), g.tensor_of(like).element_type), value)
        op.location = self.location
        return op.y

    def integer(self, value: int, element: ElementType) -> SSAValue:
        """A whole number of an element type."""
        return self.constant(np.array(value, dtype_of(element)))

    def has(self, role: str) -> bool:
        """True if the model has a weight of this role."""
        return role in self.config.names

    def name(self, role: str) -> str:
        """The published name of the weight of a role, in the layer that is built."""
        return self.config.names[role].replace("{layer}", str(self.layer))

    def weight(self, name: str, shape: tuple[int, ...], bound: tuple[float, float]) -> SSAValue:
        """The weight with a published name, in the type of the step."""
        return self.cast(self.stored(name, shape, self.element, bound), self.element)

    def stored(
        self,
        name: str,
        shape: tuple[int, ...],
        usual: ElementType,
        bound: tuple[float, float] = (-1.0, 1.0),
        packed: bool = False,
    ) -> SSAValue:
        """The weight with a published name, in the type that it is stored in; `usual` where nothing is stored, with
        numbers between the bounds, and for elements that are stored packed, in numbers of another type."""
        if (known := self._found.get(name)) is not None:
            return known
        found = self.weights.find(name, shape, usual, bound, packed)
        op = g.WeightOp(name, found.source, tensor_type(shape, found.type))
        op.location = named(name)
        op.y.name_hint = _FOREIGN.sub("_", name.partition(" + ")[0])
        self._found[name] = op.y
        return op.y
