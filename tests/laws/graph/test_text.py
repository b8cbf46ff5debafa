"""Laws of graph text: printing and parsing are inverse."""

from __future__ import annotations

from io import StringIO

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from dialects import graph as g
from dialects.graph.numbers import Array
from tests.graph_programs import arrays, programs
from tests.programs import parse


def printed(module: ModuleOp, generic: bool = False) -> str:
    stream = StringIO()
    Printer(stream, print_generic_format=generic).print_op(module)
    return stream.getvalue()


@given(st.data())
def test_a_constant_keeps_every_bit(data: st.DataObject) -> None:
    array = arrays(data.draw)
    module = ModuleOp([g.ConstantOp(array)])
    for generic in (False, True):
        (again,) = parse(printed(module, generic)).ops
        assert isinstance(again, g.ConstantOp)
        back = again.value.array()
        assert (back.shape, back.dtype) == (array.shape, array.dtype)
        same_bits = back.tobytes() == array.tobytes()
        assert same_bits or _without_nan(back) == _without_nan(array)  # all nans are printed as one nan


def _without_nan(array: Array) -> bytes:
    return np.where(np.isnan(array), np.array(0, array.dtype), array).tobytes() + np.isnan(array).tobytes()


@given(programs())
def test_print_parse_print_is_the_identity(text: str) -> None:
    module = parse(text)
    assert printed(module) == text
    assert printed(parse(printed(module, generic=True))) == text
