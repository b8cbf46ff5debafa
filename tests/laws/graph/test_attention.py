"""Attention in training, computed by two kernels, gives the numbers of the original ops, for any ops between its two
products, and stores no tensor of the size of its scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import ndpir
from dialects import graph as g
from interp.walk.entry import entry_of
from tests.amount import cases

SHARE = {"f16": 2e-2, "bf16": 1e-1}
TYPES: dict[str, Any] = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "i1": np.bool_}


@dataclass(frozen=True)
class Form:
    """The variant of an attention with gradients that a test case uses: element types, sizes, mask, softmax, dropout,
    layout of the result."""

    element: str
    inner: str
    """The element type of scores and weights."""
    lead: tuple[int, ...]
    sizes: tuple[int, int, int, int]
    """The numbers of queries and keys, and the lengths of a key and of a value."""
    mask: str
    softmax: bool
    """True if softmax is one op, false if it is written as maximum, exponentials and sum."""
    dropped: bool
    turned: bool
    """True if the result is written as (vᵀ · weightsᵀ)ᵀ."""

    def text(self) -> str:
        """A function of q, k, v, the gradient of the result, and masks, which returns the result and the gradients."""
        queries, keys, depth, width = self.sizes
        lines: list[str] = []
        q, k, v = (self.type(rows, size) for rows, size in ((queries, depth), (keys, depth), (keys, width)))
        y, h, p = self.type(queries, width), self.type(queries, keys), self.type(queries, keys, self.inner)
        row, one, truth = self.type(queries, 1, self.inner), f"tensor<{self.inner}>", f"tensor<{queries}x{keys}xi1>"
        axis = len(self.lead) + 1

        def put(name: str, rest: str) -> str:
            lines.append(f"  %{name} = graph.{rest}")
            return f"%{name}"

        def cast(name: str, value: str, source: str, target: str) -> str:
            return value if source == target else put(name, f"cast {value} : {source} -> {target}")

        put("zero", f"constant 0.0 : {one}")
        put("low", f"constant -1.0e4 : {one}")
        put("scale", f"constant 0.375 : {one}")
        put("share", f"constant 0.75 : {one}")
        x = cast("a", put("ah", f"matmul %q, %k transpose_b : {q}, {k}"), h, p)
        x = put("b", f"mul {x}, %scale : {p}, {one}")
        if self.mask == "causal":
            rows = [[str(j <= i + keys - queries).lower() for j in range(keys)] for i in range(queries)]
            put("seen", f"constant [{', '.join('[' + ', '.join(each) + ']' for each in rows)}] : {truth}")
        if self.mask == "added":
            x = put("c", f"add {x}, %bias : {p}, tensor<{keys}x{self.inner}>")
        elif self.mask != "none":
            x = put("c", f"select {'%seen' if self.mask == 'causal' else '%given'}, {x}, %low : {truth}, {p}, {one}")
        if self.softmax:
            weights = put("p", f"softmax {x} : {p}")
        else:
            put("m", f"reduce max {x} axes = [{axis}], keep_dims : {p}")
            e = put("e", f"exp {put('d', f'sub {x}, %m : {p}, {row}')} : {p}")
            weights = put("p", f"div {e}, {put('s', f'reduce sum {e} axes = [{axis}], keep_dims : {p}')} : {p}, {row}")
        taken = weights
        if self.dropped:
            scaled = put("pk", f"div {taken}, %share : {p}, {one}")
            taken = put("pd", f"select %kept, {scaled}, %zero : {truth}, {p}, {one}")
        taken = cast("ph", taken, p, h)
        if self.turned:
            order = [*range(len(self.lead)), axis, axis - 1]
            vt, yt = self.type(width, keys), self.type(width, queries)
            put("vt", f"transpose %v permutation = {order} : {v}")
            put("yt", f"matmul %vt, {taken} transpose_b : {vt}, {h}")
            put("y", f"transpose %yt permutation = {order} : {yt}")
        else:
            put("y", f"matmul {taken}, %v : {h}, {v}")
        put("dv", f"matmul {taken}, %dy transpose_a : {h}, {y}")
        dp = cast("dp", put("dph", f"matmul %dy, %v transpose_b : {y}, {v}"), h, p)
        if self.dropped:
            dp = put("dps", f"select %kept, {dp}, %zero : {truth}, {p}, {one}")
            dp = put("dpk", f"div {dp}, %share : {p}, {one}")
        put("u", f"reduce sum {put('t', f'mul {dp}, {weights} : {p}')} axes = [{axis}], keep_dims : {p}")
        dx = put("dx", f"mul {put('w', f'sub {dp}, %u : {p}, {row}')}, {weights} : {p}")
        if self.mask in ("causal", "given"):
            dx = put(
                "dc", f"select {'%seen' if self.mask == 'causal' else '%given'}, {dx}, %zero : {truth}, {p}, {one}"
            )
        dx = cast("dah", put("da", f"mul {dx}, %scale : {p}, {one}"), p, h)
        put("dq", f"matmul {dx}, %k : {h}, {k}")
        put("dk", f"matmul {dx}, %q transpose_a : {h}, {q}")
        handed = (
            f"%q: {q}, %k: {k}, %v: {v}, %dy: {y}, %bias: tensor<{keys}x{self.inner}>, %given: {truth}, %kept: {truth}"
        )
        lines.append(f"  func.return %y, %dq, %dk, %dv : {y}, {q}, {k}, {v}")
        return f"func.func @main({handed}) -> ({y}, {q}, {k}, {v}) {{\n" + "\n".join(lines) + "\n}\n"

    def type(self, rows: int, columns: int, element: str | None = None) -> str:
        return f"tensor<{'x'.join(map(str, (*self.lead, rows, columns)))}x{element or self.element}>"


@st.composite
def forms(draw: st.DrawFn) -> Form:
    element = draw(st.sampled_from(["f16", "bf16"]))
    queries, depth, width = draw(st.integers(2, 7)), draw(st.integers(1, 8)), draw(st.integers(1, 8))
    return Form(
        element,
        draw(st.sampled_from([element, "f32"])),
        draw(st.sampled_from([(3,), (2, 3)])),
        (queries, queries + draw(st.integers(0, 3)), depth, width),
        draw(st.sampled_from(["none", "causal", "given", "added"])),
        *(draw(st.booleans()) for _ in range(3)),
    )


@given(form=forms(), seed=st.integers(0, 1000))
@settings(max_examples=cases(40), deadline=None)
def test_an_attention_of_two_kernels_gives_the_numbers_of_the_original_ops(form: Form, seed: int) -> None:
    written = ndpir.parse(form.text(), "written.mlir")
    fused = ndpir.compile(ndpir.parse(form.text(), "fused.mlir"), "fuse{attention=true}")
    groups = [op for op in entry_of(fused).body.block.ops if isinstance(op, g.FusedOp) and op.kind is not None]
    word = "causal_attention" if form.mask == "causal" else "attention"
    assert [op.kind and op.kind.data for op in groups] == [word, f"{word}_grad"]
    scores = (*form.lead, *form.sizes[:2])
    assert scores not in [g.shape_of(value) for value in groups[0].outputs] or form.sizes[1] == form.sizes[3]
    rng = np.random.default_rng(seed)
    arrays: list[Any] = []
    for argument in entry_of(written).body.block.args:
        array = rng.normal(size=g.shape_of(argument))
        kind = str(g.tensor_of(argument).element_type)
        arrays.append((array > -0.5) if kind == "i1" else array.astype(TYPES[kind]))
    for one, other in zip(ndpir.run(fused, arrays), ndpir.run(written, arrays), strict=True):
        a, b = one.astype(np.float64), other.astype(np.float64)
        assert np.abs(a - b).max() <= SHARE[form.element] * np.abs(b).max(initial=1e-3)


@given(form=forms())
@settings(max_examples=cases(10), deadline=None)
def test_none_is_found_in_f32(form: Form) -> None:
    text = Form("f32", "f32", *list(vars(form).values())[2:]).text()
    fused = ndpir.compile(ndpir.parse(text, "fused.mlir"), "fuse{attention=true}")
    assert not any(isinstance(op, g.FusedOp) and op.kind and "attention" in op.kind.data for op in fused.walk())
