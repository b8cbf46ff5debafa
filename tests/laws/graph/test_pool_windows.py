"""A pooling verifies if and only if each of its windows contains at least one element of the image; with `ceil`, each
window may reach past the end padding, even if it is the only one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from dialects import graph as g
from dialects.graph.op import shape_of
from tests.graph_values import values


@given(*[st.integers(1, 5)] * 4, *[st.integers(0, 8)] * 2, st.booleans())
@example(1, 2, 2, 1, 0, 0, True)  # the only window reaches past the image
@example(1, 3, 2, 1, 0, 0, True)  # a stride more than the image would hold no window
def test_each_window_sees_part_of_the_image(
    size: int, extent: int, stride: int, dilation: int, low: int, high: int, ceil: bool
) -> None:
    (x,) = values(np.zeros((1, 1, size), np.float32))
    room = size + low + high - dilation * (extent - 1) - 1
    if room <= (-stride if ceil else -1) or max(low, high) > (extent - 1) * dilation:
        with pytest.raises(VerifyException, match=r"does not fit|pads must be smaller than the window"):
            pooled(x, extent, stride, dilation, low, high, ceil)
        return
    starts = [at * stride - low for at in range((-(-room // stride) if ceil else room // stride) + 1)]
    if all(_sees(start, extent, dilation, size) for start in starts if start < size):
        y = pooled(x, extent, stride, dilation, low, high, ceil)
        assert shape_of(y.y)[2] == sum(start < size for start in starts)
    else:
        with pytest.raises(VerifyException, match="can read only padding"):
            pooled(x, extent, stride, dilation, low, high, ceil)


def pooled(x: SSAValue, extent: int, stride: int, dilation: int, low: int, high: int, ceil: bool) -> g.PoolOp:
    return g.PoolOp(x, kind="max", kernel=[extent], strides=[stride], dilations=[dilation], pads=[low, high], ceil=ceil)


def _sees(start: int, extent: int, dilation: int, size: int) -> bool:
    return any(0 <= start + each * dilation < size for each in range(extent))
