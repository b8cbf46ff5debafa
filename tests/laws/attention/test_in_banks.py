"""Attention in the banks computes softmax(q · kᵀ * scale) · v, rounded as the units round, for any numbers of caches,
heads, keys and elements, on devices with and without sets of banks that take turns."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import ndpir
from dialects.pim import KernelOp
from interp.kinds.pim.timing.clock import kernel_time
from interp.machine.composition import Machine

PROGRAM = """
hw.device @pim = "{sheet}" {{channels = {channels}}}
func.func @main(%q: !task.on<@pim, {q}>, %k: !task.on<@pim, {k}>, %v: !task.on<@pim, {v}>,
    %nk: !task.on<@pim, {nk}>, %nv: !task.on<@pim, {nv}>) -> !task.on<@pim, {y}> {{
  %y = task.run @pim (%0 = %q, %1 = %k, %2 = %v, %3 = %nk, %4 = %nv) {{
    %5 = graph.concat %1, %3 axis = 2 : {k}, {nk}
    %6 = graph.concat %2, %4 axis = 2 : {v}, {nv}
    {lengths}
    %7 = graph.attention %0, %5, %6{limits} : {q}, {kk}, {vv}{counted}
    task.yield %7
  }}
  func.return %y : !task.on<@pim, {y}>
}}
"""

Array = NDArray[np.float32]


def tensor(*shape: int) -> str:
    return f"tensor<{'x'.join(map(str, shape))}xf16>"


def dot(x: Array, y: Array) -> Array:
    """Sums of products over the last axis, in f32: 16 lanes by a tree of neighbours, then columns one after another."""
    terms = x * y
    terms = np.pad(terms, [(0, 0)] * (terms.ndim - 1) + [(0, -terms.shape[-1] % 16)])
    terms = terms.reshape(*terms.shape[:-1], -1, 16)
    while terms.shape[-1] > 1:
        terms = terms[..., ::2] + terms[..., 1::2]
    total: Array = np.zeros(terms.shape[:-2], np.float32)
    for column in range(terms.shape[-2]):
        total += terms[..., column, 0]
    return total


def reference(q: Array, k: Array, v: Array, causal: bool, first: int, valid: int) -> Array:
    """The attention of [heads, length, depth] with the keys from `first` on of one cache [keys, depth] and [keys,
    width], of which the first `valid` count."""
    length, keys = q.shape[1], len(k)
    y = np.zeros((*q.shape[:2], v.shape[1]), np.float16)
    scale = np.float32(1 / np.sqrt(q.shape[2]))
    for head in range(len(q)):
        for at in range(length):
            seen = slice(first, min(keys - length + at + 1 if causal else keys, valid))
            scores = dot(q[head, at][None], k[seen]) * scale
            powers = np.exp(scores - scores.max())
            weights = (powers / np.add.accumulate(powers)[-1]).astype(np.float16).astype(np.float32)
            y[head, at] = dot(v[seen].T, weights[None]).astype(np.float16)
    return y.astype(np.float32)


@given(st.data())
def test_attention_equals_numpy(data: st.DataObject) -> None:
    draw = data.draw
    batch, groups, shared = (draw(st.integers(1, most)) for most in (2, 4, 9))
    length, new = (draw(st.integers(1, 3)) for _ in range(2))
    kept = draw(st.sampled_from([0, 1, 3, 15, 16, 63, 64, 65, 200, 333, 600]))
    depth, width = (draw(st.sampled_from([1, 8, 40, 64, 80, 128])) for _ in range(2))
    causal = draw(st.booleans()) and kept + new >= length
    heads, keys = groups * shared, kept + new
    valid = draw(st.integers(keys - length + 1 if causal else 1, keys))
    # A window begins at the start of a column, so that only one query has one.
    first = 16 * draw(st.integers(0, (valid - 1) // 16)) if length == 1 else 0
    window = keys - first if first else 0
    counted = valid < keys or draw(st.booleans())
    words = ", ".join(["causal"] * causal + [f"window = {window}"] * (window > 0))
    limits = (", %8" if counted else "") + (f" {words}" if words else "")
    shapes = {
        "q": (batch, heads, length, depth),
        "k": (batch, groups, kept, depth),
        "v": (batch, groups, kept, width),
        "nk": (batch, groups, new, depth),
        "nv": (batch, groups, new, width),
    }
    types = {name: tensor(*shape) for name, shape in shapes.items()}
    types |= {"kk": tensor(batch, groups, keys, depth), "vv": tensor(batch, groups, keys, width)}
    module = ndpir.parse(
        PROGRAM.format(
            sheet=draw(st.sampled_from(["attacc", "attacc_bg", "attacc_buffer"])),
            channels=draw(st.integers(1, 4)),
            limits=limits,
            lengths=f"%8 = graph.constant {valid} : tensor<{batch}xi64>" if counted else "",
            counted=f", tensor<{batch}xi64>" if counted else "",
            y=tensor(batch, heads, length, width),
            **types,
        )
    )
    lowered = ndpir.compile(module, "to-pim")
    (kernel,) = (op for op in lowered.walk() if isinstance(op, KernelOp))
    assert kernel_time(kernel, Machine.of(lowered).pim("pim", kernel)).cycles  # a program with a hazard has no time
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    q, k, v, nk, nv = (rng.uniform(-2, 2, shape).astype(np.float16) for shape in shapes.values())
    [y] = ndpir.run(lowered, [q, k, v, nk, nv])
    q, k, v = (x.astype(np.float32) for x in (q, np.concatenate([k, nk], axis=2), np.concatenate([v, nv], axis=2)))
    for b in range(batch):
        for g in range(groups):
            own = slice(g * shared, (g + 1) * shared)
            np.testing.assert_array_equal(y[b, own], reference(q[b, own], k[b, g], v[b, g], causal, first, valid))
