"""Attention is recognised by structure: whatever the names, the order of operands and axes, the place of scales and the
form of masks and softmax, exactly one `graph.attention` is found, and it has the values of the written ops."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import ndpir
from dialects import graph as g
from tests.amount import cases

SHARE = {"f32": 1e-5, "f16": 2e-2, "bf16": 1e-1}
TYPES: dict[str, Any] = {
    "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i1": np.bool_, "i64": np.int64
}  # fmt: skip
LOWEST = {"f32": "-3.4028235e+38", "f16": "-65504.0", "bf16": "-3.3e+38"}


@dataclass
class Value:
    """A value of a written program."""

    name: str
    shape: tuple[int, ...]
    element: str

    @property
    def type(self) -> str:
        return "tensor<" + "".join(f"{n}x" for n in self.shape) + self.element + ">"


@dataclass
class Program:
    """A program that is written op by op, with names of its own."""

    prefix: str
    lines: list[str] = field(default_factory=list[str])
    arguments: list[Value] = field(default_factory=list[Value])
    numbers: count[int] = field(default_factory=count)

    def argument(self, shape: tuple[int, ...], element: str) -> Value:
        value = Value(f"%{self.prefix}{next(self.numbers)}", shape, element)
        self.arguments.append(value)
        return value

    def op(self, text: str, operands: list[Value], shape: tuple[int, ...], element: str, words: str = "") -> Value:
        value = Value(f"%{self.prefix}{next(self.numbers)}", shape, element)
        names, types = (", ".join(getattr(each, part) for each in operands) for part in ("name", "type"))
        result = f" -> {value.type}" if text in ("reshape", "broadcast", "cast") else ""
        self.lines.append(f"  {value.name} = graph.{text} {names} {words} : {types}{result}")
        return value

    def constant(self, text: str, shape: tuple[int, ...], element: str) -> Value:
        value = Value(f"%{self.prefix}{next(self.numbers)}", shape, element)
        self.lines.append(f"  {value.name} = graph.constant {text} : {value.type}")
        return value

    def array(self, array: Any, element: str) -> Value:
        text = str(array.tolist()).replace("True", "true").replace("False", "false")
        return self.constant(text, array.shape, element)

    def reshape(self, x: Value, *shape: int) -> Value:
        return self.op("reshape", [x], shape, x.element)

    def transpose(self, x: Value, *order: int) -> Value:
        return self.op("transpose", [x], tuple(x.shape[axis] for axis in order), x.element, f"permutation = {[*order]}")

    def cast(self, x: Value, element: str) -> Value:
        return x if x.element == element else self.op("cast", [x], x.shape, element)

    def pair(self, word: str, a: Value, b: Value) -> Value:
        return self.op(word, [a, b], tuple(np.broadcast_shapes(a.shape, b.shape)), a.element)

    def text(self, result: Value) -> str:
        given = ", ".join(f"{each.name}: {each.type}" for each in self.arguments)
        body = "\n".join([*self.lines, f"  func.return {result.name} : {result.type}"])
        return f"func.func @main({given}) -> {result.type} {{\n{body}\n}}\n"


class Writer:
    """Draws the choices of one attention and writes it."""

    def __init__(self, data: st.DataObject) -> None:
        self.data = data
        self.p = Program(self.among("a", "node_", "val", "x"))
        self.element = self.among("f32", "f32", "f16", "bf16")
        self.batch, self.groups, self.sharing = (data.draw(st.integers(1, 3)) for _ in range(3))
        self.queries, self.depth, self.width = (data.draw(st.integers(1, 5)) for _ in range(3))
        self.keys = max(2, self.queries + data.draw(st.integers(0, 4)))  # the softmax of one score is a constant
        self.heads = self.groups * self.sharing
        self.inner = self.among(self.element, "f32")
        self.tiled = self.either()
        """True if repeated keys follow one another as a whole, so that each query head's keys are those of its number
        modulo the number of key heads."""
        self.sees_one = False
        """True if the masks given at run time must show each query a key."""

    def among(self, *ways: str) -> str:
        return self.data.draw(st.sampled_from(ways))

    def either(self) -> bool:
        return self.data.draw(st.booleans())

    def number(self, number: float, element: str) -> Value:
        return self.p.constant(repr(number), (), element)

    def times(self, x: Value, number: float) -> Value:
        if self.either():
            return self.p.pair("div", x, self.number(1 / number, x.element))
        constant = self.number(number, x.element)
        return self.p.pair("mul", *((x, constant) if self.either() else (constant, x)))

    def given(self, heads: int, rows: int, columns: int) -> Value:
        """An argument, with axes in some order, as [batch, heads, rows, columns]."""
        if self.either():
            return self.p.argument((self.batch, heads, rows, columns), self.element)
        if self.either():
            flat = self.p.argument((self.batch, rows, heads * columns), self.element)
            x = self.p.reshape(flat, self.batch, rows, heads, columns)
        else:
            x = self.p.argument((self.batch, rows, heads, columns), self.element)
        return self.p.transpose(x, 0, 2, 1, 3)

    def repeated(self, x: Value) -> Value:
        """Keys or values, repeated for all heads that share them."""
        if self.sharing == 1 and self.either():
            return x
        b, groups, rows, columns = x.shape
        one, wide = ((1, groups), (self.sharing, groups)) if self.tiled else ((groups, 1), (groups, self.sharing))
        x = self.p.reshape(x, b, *one, rows, columns)
        x = self.p.op("broadcast", [x], (b, *wide, rows, columns), x.element)
        return self.p.reshape(x, b, self.heads, rows, columns)

    def product(self, a: Value, b: Value, swapped: bool) -> Value:
        """a · b, or a · bᵀ if `swapped`, of operands with four axes; as a product of three axes, or with operands in
        the other order."""
        p, (*lead, m, _) = self.p, a.shape
        n = b.shape[-2 if swapped else -1]
        if swapped and self.either():
            b, swapped = p.transpose(b, 0, 1, 3, 2), False
        flat = self.either()
        if flat:
            a, b = (p.reshape(x, lead[0] * lead[1], *x.shape[2:]) for x in (a, b))
        before = a.shape[:-2]
        if self.either():
            words = "transpose_b" if swapped else "transpose_a, transpose_b"
            y = p.op("matmul", [b, a], (*before, n, m), a.element, words)
            rank = len(before)
            y = p.transpose(y, *range(rank), rank + 1, rank)
        else:
            y = p.op("matmul", [a, b], (*before, m, n), a.element, "transpose_b" if swapped else "")
        return p.reshape(y, *lead, m, n) if flat else y

    def scores(self, q: Value, k: Value) -> Value:
        place, scale = self.among("q", "k", "both", "scores", "none"), self.among("0.25", "0.5", "2.0")
        factor = float(scale)
        if place == "both":
            q, k = self.times(q, factor), self.times(k, factor)
        q = self.times(q, factor) if place == "q" else q
        k = self.times(k, factor) if place == "k" else k
        p, form = self.p, self.among("repeated", *(() if self.tiled else ("broadcast", "stacked")))
        b, r, rows = self.batch, self.sharing, self.queries
        if form == "repeated":
            x = self.product(q, self.repeated(k), swapped=True)
        elif form == "broadcast":
            q5 = p.reshape(q, b, self.groups, r, rows, self.depth)
            k5 = p.reshape(k, b, self.groups, 1, self.keys, self.depth)
            x = p.op("matmul", [q5, k5], (b, self.groups, r, rows, self.keys), q.element, "transpose_b")
            x = p.reshape(x, b, self.heads, rows, self.keys)
        else:
            x = self.product(p.reshape(q, b, self.groups, r * rows, self.depth), k, swapped=True)
            x = p.reshape(x, b, self.heads, rows, self.keys)
        x = p.cast(x, self.inner)
        if place == "scores":
            x = self.times(x, factor)
        if self.either():
            x = p.op("tanh", [self.times(x, 0.25)], x.shape, x.element)
            x = self.times(x, 4.0)
        return x

    def condition(self) -> Value:
        """True for visible keys."""
        p, rows, keys = self.p, self.queries, self.keys
        place, at = np.arange(rows)[:, None] + keys - rows, np.arange(keys)[None]
        match self.among("causal", "window", "iota", "given", "lengths", "both", "any"):
            case "causal":
                return p.array(at <= place, "i1")
            case "window":
                return p.array((at <= place) & (at > place - self.data.draw(st.integers(1, keys))), "i1")
            case "iota":
                first, second = p.array(place, "i64"), p.array(at[0], "i64")
                if self.either():
                    return p.op("compare ge", [first, second], (rows, keys), "i1")
                return p.op("compare le", [second, first], (rows, keys), "i1")
            case "given":
                return p.argument((self.batch, 1, 1, keys), "i1")
            case "lengths":
                count = p.reshape(p.argument((self.batch,), "i64"), self.batch, 1, 1, 1)
                return p.op("compare gt", [count, p.array(at[0], "i64")], (self.batch, 1, 1, keys), "i1")
            case "both":
                return p.pair("and", p.argument((self.batch, 1, 1, keys), "i1"), p.array(at <= place, "i1"))
            case _:
                return p.argument((self.batch, self.heads, rows, keys), "i1")

    def masked(self, x: Value) -> Value:
        p, form = self.p, self.among("none", "select", "add", "bias", "bias, select", "negated")
        if "bias" in form:
            bias = p.argument((self.heads, self.queries, self.keys), x.element)
            x = p.pair("add", *((x, bias) if self.either() else (bias, x)))
        if form in ("none", "bias"):
            return x
        fill = p.constant(self.among("-inf", LOWEST[x.element]), (), x.element)
        seen = self.condition()
        if form == "add":
            zero = self.number(0.0, x.element)
            mask = p.op("select", [seen, zero, fill], seen.shape, x.element)
            self.sees_one = x.element == "f16"  # its lowest number absorbs no scores
            return p.pair("add", *((x, mask) if self.either() else (mask, x)))
        if form == "negated":
            hidden = p.op("not", [seen], seen.shape, "i1")
            return p.op("select", [hidden, fill, x], x.shape, x.element)
        return p.op("select", [seen, x, fill], x.shape, x.element)

    def attention(self, q: Value, k: Value, v: Value) -> Value:
        p, x = self.p, self.masked(self.scores(q, k))
        row = (*x.shape[:-1], 1)
        form = self.among("whole", "written", "inverse", "divided")
        total = None
        if form == "whole":
            w = p.op("softmax", [x], x.shape, x.element)
        else:
            if self.either():
                top = p.op("reduce max", [x], row, x.element, "axes = [3], keep_dims")
            else:
                top = p.reshape(p.op("reduce max", [x], row[:-1], x.element, "axes = [3]"), *row)
            w = p.op("exp", [p.pair("sub", x, top)], x.shape, x.element)
            total = p.op("reduce sum", [w], row, x.element, "axes = [3], keep_dims")
            if form == "inverse":
                w = p.pair("mul", w, p.op("reciprocal", [total], row, x.element))
            elif form == "written":
                w = p.pair("div", w, total)
        if form != "divided":
            w = self.guarded(w, x)
        w = p.cast(w, self.element)
        y = self.product(w, self.repeated(v), swapped=False)
        if form == "divided" and total is not None:
            y = p.pair("div", y, p.cast(total, self.element))
        return y

    def guarded(self, w: Value, x: Value) -> Value:
        p, form = self.p, self.among("none", "nan", "any")
        if form == "none":
            return w
        zero = self.number(0.0, w.element)
        if form == "nan":
            return p.op("select", [p.op("isnan", [w], w.shape, "i1"), zero, w], w.shape, w.element)
        low = p.constant("-inf", (), x.element)
        wide = p.cast(p.op("compare ne", [x, low], x.shape, "i1"), "i8")
        seen = p.cast(p.op("reduce max", [wide], (*x.shape[:-1], 1), "i8", "axes = [3], keep_dims"), "i1")
        return p.op("select", [seen, w, zero], w.shape, w.element)

    def text(self) -> str:
        q = self.given(self.heads, self.queries, self.depth)
        k = self.given(self.groups, self.keys, self.depth)
        v = self.given(self.groups, self.keys, self.width)
        y = self.attention(q, k, v)
        if self.either():
            y = self.p.reshape(self.p.transpose(y, 0, 2, 1, 3), self.batch, self.queries, self.heads * self.width)
        return self.p.text(y)

    def arrays(self, seed: int) -> list[Any]:
        rng = np.random.default_rng(seed)
        arrays: list[Any] = []
        for each in self.p.arguments:
            if each.element == "i1":
                array = rng.random(each.shape) < 0.6
                array[..., 0] |= self.sees_one
            elif each.element == "i64":
                array = rng.integers(int(self.sees_one), self.keys + 2, each.shape)
            else:
                array = rng.normal(size=each.shape).astype(TYPES[each.element])
            arrays.append(array)
        return arrays


@given(data=st.data(), seed=st.integers(0, 1000))
@settings(max_examples=cases(100), deadline=None)
def test_each_form_of_attention_is_found_and_keeps_its_values(data: st.DataObject, seed: int) -> None:
    writer = Writer(data)
    text = writer.text()
    written = ndpir.compile(ndpir.parse(text, "written.mlir"), "canonicalize")
    fused = ndpir.compile(ndpir.parse(text, "fused.mlir"), "canonicalize,fuse{attention=true}")
    found = [op for op in fused.walk() if isinstance(op, g.AttentionOp)]
    assert len(found) == 1
    assert not any(isinstance(op, g.SoftmaxOp | g.ExpOp) for op in fused.walk())
    assert g.shape_of(found[0].k)[1] == writer.groups or 1 in (writer.queries, writer.groups, writer.sharing)
    arrays = writer.arrays(seed)
    with np.errstate(all="ignore"):
        (before,), (after,) = ndpir.run(written, arrays), ndpir.run(fused, arrays)
    one, other = after.astype(np.float64), before.astype(np.float64)
    assert (np.isnan(one) == np.isnan(other)).all()
    greatest = max(np.nanmax(np.abs(other), initial=0), 1)
    assert np.nanmax(np.abs(one - other), initial=0) <= SHARE[writer.element] * greatest
