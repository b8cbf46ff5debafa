"""Programs of fixed sizes in other sizes, as front ends read them by request."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.locations import place_of
from lowering.resizing.extents import Change, Refused
from lowering.resizing.inferred import Remake
from lowering.resizing.resize import resized
from ndpir.frontends.onnx.tensors import TensorError, checked_shape


def in_sizes(
    module: ModuleOp,
    changes: Sequence[Change],
    remakes: Mapping[SSAValue, Remake],
    flags: str,
    titled: Callable[[str], str],
    dynamic: str,
    fail: Callable[[str], NoReturn],
) -> ModuleOp:
    """The program with other extents of its arguments.

    `flags`: the user's words for the sizes; `titled`: how an op's place begins a message; `dynamic`: how a model is
    exported with dynamic sizes. Calls `fail` where the sizes can't be traced through the program."""
    try:
        made = resized(module, changes, remakes)
        for op in made.walk():
            for value in op.results:
                checked_shape(g.shape_of(value))
        return made
    except TensorError as error:
        fail(f"with {flags}, a value {error}")
    except Refused as error:
        place = None if error.op is None else place_of(error.op)
        fail(
            f"{titled(place) if place else ''}{error}; {flags} differs from the sizes with which the model was "
            f"exported, so export it again with these sizes, or with dynamic ones ({dynamic})"
        )
