"""Arguments of programs as weights: texts of StableHLO have their weights as arguments, which could be anything."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument

from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.element_types import is_float
from dialects.graph.properties import integer, real
from dialects.task.state import State
from dialects.text.suggestions import hint
from interp.walk.inputs import ARGUMENT_NAME, fills_of

UNSTATED = -0.1, 0.1
"""The interval from which the numbers of a weight are drawn whose argument states none."""


def with_weights(module: ModuleOp, names: Sequence[str]) -> ModuleOp:
    """The program, whose arguments of `@main` with the given names became weights: they can be converted, folded and
    laid out before the program runs, and memory that computes can hold them.

    A name is that of an argument, or of all that belong to it in JAX's names: `states` is `states[0]` and
    `states['a'].b`, too. Only floating-point arguments become weights; their numbers are drawn from a seed. Raises
    InputError for a name that no argument has, and for an argument that the program changes."""
    if not names:
        return module
    function = next((op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == "main"), None)
    if function is None:
        raise InputError("the program has no function @main whose arguments could become weights")
    block = function.body.block
    titles = [_title(function, argument) for argument in block.args]
    for name in names:
        if not any(_belongs(title, name) for title in titles):
            raise InputError(f"no argument of @main is named `{name}`{hint(name, titles)}", function)
    fills = fills_of(function, [g.tensor_of(argument) for argument in block.args])
    notes = list(function.arg_attrs.data) if function.arg_attrs is not None else []
    first, rest = block.first_op, list[int]()
    assert first is not None
    for at, (argument, title) in enumerate(zip(tuple(block.args), titles, strict=True)):
        type_ = g.tensor_of(argument)
        if not any(_belongs(title, name) for name in names) or not is_float(type_.element_type):
            rest.append(at)
            continue
        state = State.of(notes[at].data) if notes else None
        if state is not None and state.result is not None:
            raise InputError(f"the argument `{title}` changes in each run, so that it is no weight", function)
        low, high = fills[at] or UNSTATED
        op = g.WeightOp(title, g.UniformAttr(real(low), real(high), integer(at)), type_)
        op.y.name_hint, op.location = argument.name_hint, argument.location
        block.insert_op_before(op, first)
        argument.replace_all_uses_with(op.y)
    for argument in [each for at, each in enumerate(block.args) if at not in rest]:
        block.erase_arg(argument)
    if notes:
        function.arg_attrs = ArrayAttr(notes[at] for at in rest)
    function.function_type = FunctionType.from_lists(block.arg_types, function.function_type.outputs.data)
    return module


def _title(function: FuncOp, argument: BlockArgument) -> str:
    """JAX's name of an argument, or else its name in the program."""
    stated = function.arg_attrs.data[argument.index].data.get(ARGUMENT_NAME) if function.arg_attrs is not None else None
    return str(getattr(stated, "data", "")) or argument.name_hint or f"arg{argument.index}"


def _belongs(title: str, name: str) -> bool:
    return re.match(rf"{re.escape(name)}(?![\w])", title) is not None
