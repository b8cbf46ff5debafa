"""Operators of PyTorch that ONNX has too: they are read as the same node of ONNX, whose reader owns the idea."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from onnx import ModelProto, helper
from xdsl.ir import SSAValue

from ndpir.frontends.onnx.functions import Functions
from ndpir.frontends.torch.call import AtenCall

OPSET = 22
"""The opset of these nodes."""


def onnx_node(
    call: AtenCall, op_type: str, inputs: Sequence[SSAValue | None], outputs: int = 1, **attributes: Any
) -> list[SSAValue | None]:
    """The outputs of a node of ONNX in the place of a call. `inputs`: None for one that is left out."""
    given: dict[str, Any] = {name: _listed(value) for name, value in attributes.items()}
    names = [f"i{at}" if value is not None else "" for at, value in enumerate(inputs)]
    proto = helper.make_node(op_type, names, [f"o{at}" for at in range(outputs)], **given)
    made = _functions().made(proto, OPSET, list(inputs), [True] * outputs, call.location, call.body)
    found = [made] if isinstance(made, SSAValue) else list(made)
    return [None if value is None else call.body.place(value) for value in found]


def first(call: AtenCall, op_type: str, inputs: Sequence[SSAValue | None], **attributes: Any) -> SSAValue:
    """The only output of such a node."""
    (value,) = onnx_node(call, op_type, inputs, **attributes)
    assert value is not None
    return value


def _listed(value: Any) -> Any:
    return [*value] if isinstance(value, tuple) else value


@cache
def _functions() -> Functions:
    return Functions(ModelProto(opset_import=[helper.make_opsetid("", OPSET)]))
