"""Small functions of JAX with XLA's results, written to tests/data/stablehlo/cases.npz.

    python -m tests.stablehlo_cases      (needs jax; the tests themselves do not)

Each case is a function, as Python text, and its arguments, drawn with fixed seeds. For each case, the file holds the
text that `jax.jit` lowers the function to, the arguments, and the results on the CPU.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

DATA = Path(__file__).parent / "data" / "stablehlo" / "cases.npz"
HELPERS = {
    "conv": "lambda **k: lambda a, b: lax.conv_general_dilated(a, b, **k)",
    "mp": "lambda v: lax.reduce_window(v, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), 'SAME')",
    "mp3": "lambda v: lax.reduce_window(v, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), 'SAME')",
    "ap": "lambda v: lax.reduce_window(v, 0.0, lax.add, (1, 3, 3, 1), (1, 1, 1, 1), 'SAME')",
}
"""Helper functions of several cases, as Python text."""


def cases() -> dict[str, tuple[str, tuple[Any, ...]]]:
    """Functions (as Python text) and their arguments, by case name."""
    found: dict[str, tuple[str, tuple[Any, ...]]] = {}
    random = np.random.default_rng(0)

    def f(*shape: int, d: Any = np.float32) -> Any:
        return random.standard_normal(shape).astype(d)

    def i(high: int, *shape: int) -> Any:
        return random.integers(0, high, shape).astype(np.int32)

    def case(name: str, function: str, *arguments: Any) -> None:
        found[name] = function, arguments

    x = f(4, 6)
    for n in [
        "abs",
        "sign",
        "floor",
        "ceil",
        "round",
        "exp",
        "expm1",
        "tanh",
        "sin",
        "cos",
        "tan",
        "cbrt",
        "square",
        "isnan",
        "isfinite",
    ]:
        case(n, f"jnp.{n}", x)
    for n in ["log", "log1p", "sqrt"]:
        case(n, f"jnp.{n}", np.abs(x) + 0.1)
    for n in [
        "add",
        "subtract",
        "multiply",
        "divide",
        "maximum",
        "minimum",
        "power",
        "arctan2",
        "remainder",
        "fmod",
        "logaddexp",
    ]:
        case(n, f"jnp.{n}", np.abs(x) + 0.1, np.abs(f(6)) + 0.2)
    ii = i(1000, 4, 6) - 500
    for n in [
        "add",
        "multiply",
        "floor_divide",
        "remainder",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "left_shift",
        "right_shift",
        "maximum",
    ]:
        case("i_" + n, f"jnp.{n}", ii, i(7, 6) + 1)
    case("i_not", "jnp.bitwise_not", ii)
    case("popcount", "lax.population_count", ii)
    case("clz", "lax.clz", ii)
    case("rsqrt", "lax.rsqrt", np.abs(x) + 0.1)
    case("erf", "lax.erf", x)
    case("logistic", "jax.nn.sigmoid", x)
    for a in (0, 1, None, (0, 1)):
        for n in ["sum", "max", "min", "prod", "mean"]:
            case(f"{n}_{a}", f"lambda v: jnp.{n}(v, axis={a})", x)
    case("any", "lambda v: jnp.any(v > 1, axis=1)", x)
    case("all", "lambda v: jnp.all(v > -1, axis=0)", x)
    case("argmax", "lambda v: jnp.argmax(v, axis=1)", x)
    case("argmin", "lambda v: jnp.argmin(v, axis=0)", x)
    case("argmax_flat", "jnp.argmax", f(3, 7, 5))
    case("cumsum", "lambda v: jnp.cumsum(v, axis=1)", x)
    case("cumprod", "lambda v: jnp.cumprod(v, axis=0)", x)
    case("cummax", "lambda v: lax.cummax(v, axis=1)", x)
    case("softmax", "jax.nn.softmax", x)
    case("logsoftmax", "jax.nn.log_softmax", x)
    case("gelu", "jax.nn.gelu", x)
    case("gelu_exact", "lambda v: jax.nn.gelu(v, approximate=False)", x)
    case("silu", "jax.nn.silu", x)
    case("relu6", "jax.nn.relu6", x)
    case("var", "lambda v: jnp.var(v, axis=1)", x)
    case("sort", "lambda v: jnp.sort(v, axis=1)", x)
    case("argsort", "lambda v: jnp.argsort(v, axis=0)", x)
    case("sort_desc", "lambda v: jnp.sort(v, axis=1, descending=True)", x)
    case("topk", "lambda v: lax.top_k(v, 3)", x)
    case("sort_ii", "lambda v: jnp.sort(v, axis=None)", ii)
    case("lexsort", "lambda a, b: jnp.lexsort((a, b))", i(3, 20), i(3, 20))
    case("take", "lambda t, k: jnp.take(t, k, axis=0)", f(10, 4), i(10, 3, 2))
    case("take1", "lambda t, k: jnp.take(t, k, axis=1)", f(5, 10), i(10, 7))
    case("index", "lambda t, k: t[k]", f(10, 4), i(10, 3))
    case("index2", "lambda t, k, m: t[k, m]", f(10, 4), i(10, 3), i(4, 3))
    case("index_oob", "lambda t, k: t[k]", f(10, 4), i(20, 9) - 5)
    case("tala", "lambda t, k: jnp.take_along_axis(t, k, axis=1)", f(4, 9), i(9, 4, 3))
    case("slicegather", "lambda t, k: jax.vmap(lambda j: lax.dynamic_slice(t, (j, 0), (3, 2)))(k)", f(10, 4), i(12, 5))
    case("at_add", "lambda t, k, u: t.at[k].add(u)", f(10, 4), i(12, 5), f(5, 4))
    case("at_set", "lambda t, k, u: t.at[k].set(u)", f(10, 4), np.array([1, 5, 3], np.int32), f(3, 4))
    case("at_max", "lambda t, k, u: t.at[k].max(u)", f(10), i(10, 15), f(15))
    case("at2", "lambda t, k, m, u: t.at[k, m].add(u)", f(6, 5), i(6, 4), i(5, 4), f(4))
    case("at_slice", "lambda t, u: t.at[1:3, 2:4].set(u)", f(6, 5), f(2, 2))
    case("at_mul", "lambda t, k, u: t.at[:, k].multiply(u)", f(6, 5), i(5, 3), f(6, 3))
    case("dus", "lambda t, u, k: lax.dynamic_update_slice(t, u, (k, 0))", f(8, 4), f(2, 4), np.int32(7))
    case("ds", "lambda t, k: lax.dynamic_slice(t, (k, 1), (3, 2))", f(8, 4), np.int32(6))
    case("dot", "jnp.dot", f(4, 5), f(5, 3))
    case("dotv", "jnp.dot", f(5), f(5))
    case("outer", "jnp.outer", f(4), f(3))
    case("einsum1", "lambda a, b: jnp.einsum('bhqd,bhkd->bhqk', a, b)", f(2, 3, 4, 5), f(2, 3, 6, 5))
    case("einsum2", "lambda a, b: jnp.einsum('ijk,kl->jil', a, b)", f(3, 4, 5), f(5, 6))
    case("einsum3", "lambda a, b: jnp.einsum('abc,bcd->ad', a, b)", f(3, 4, 5), f(4, 5, 2))
    case("tensordot", "lambda a, b: jnp.tensordot(a, b, axes=([1, 0], [0, 1]))", f(3, 4, 5), f(4, 3, 2))
    case(
        "dot_bf16",
        "lambda a, b: lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=jnp.float32)",
        f(4, 5).astype(ml_dtypes.bfloat16),
        f(5, 3).astype(ml_dtypes.bfloat16),
    )
    case("idot", "jnp.dot", i(9, 4, 5), i(9, 5, 3))
    case(
        "conv",
        "conv(window_strides=(1, 1), padding='SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))",
        f(2, 8, 8, 3),
        f(3, 3, 3, 4),
    )
    case("conv_s", "conv(window_strides=(2, 2), padding='VALID')", f(2, 3, 9, 8), f(4, 3, 3, 2))
    case(
        "conv_ld",
        "conv(window_strides=(1, 1), padding=((1, 2), (2, 1)), lhs_dilation=(2, 3))",
        f(2, 3, 5, 4),
        f(4, 3, 3, 2),
    )
    case(
        "conv_rd",
        "conv(window_strides=(1, 2), padding=((1, 2), (2, 1)), rhs_dilation=(2, 1))",
        f(2, 3, 9, 8),
        f(4, 3, 3, 2),
    )
    case("conv_g", "conv(window_strides=(1, 1), padding='SAME', feature_group_count=2)", f(2, 4, 5, 6), f(6, 2, 3, 3))
    case("conv_neg", "conv(window_strides=(1, 1), padding=((-1, 0), (1, -1)))", f(2, 3, 6, 6), f(4, 3, 2, 2))
    case("conv1d", "conv(window_strides=(1,), padding='SAME')", f(2, 3, 9), f(4, 3, 3))
    case(
        "conv_bg",
        "lambda a, b: lax.conv_general_dilated(a, b, (1, 1), 'SAME', batch_group_count=2)",
        f(4, 3, 5, 6),
        f(6, 3, 3, 3),
    )
    case(
        "conv_grad",
        "jax.grad(lambda a, b: (lax.conv_general_dilated(a, b, (2, 2), 'SAME', "
        "dimension_numbers=('NHWC', 'HWIO', 'NHWC')) ** 2).sum(), argnums=(0, 1))",
        f(2, 7, 8, 3),
        f(3, 3, 3, 4),
    )
    case(
        "conv_grad_g",
        "jax.grad(lambda a, b: (lax.conv_general_dilated(a, b, (1, 1), 'SAME', feature_group_count=2) "
        "** 2).sum(), argnums=(0, 1))",
        f(2, 4, 5, 6),
        f(6, 2, 3, 3),
    )
    case("maxpool", "mp", f(2, 7, 8, 3))
    case("maxpool_grad", "jax.grad(lambda v: (mp(v) ** 2).sum())", f(2, 7, 8, 3))
    case("maxpool3_grad", "jax.grad(lambda v: (mp3(v) ** 2).sum())", f(2, 7, 8, 3))
    case("sumpool", "ap", f(2, 5, 6, 3))
    case("sumpool_grad", "jax.grad(lambda v: (ap(v) ** 2).sum())", f(2, 5, 6, 3))
    case("pad", "lambda v: jnp.pad(v, ((1, 2), (0, 3)))", x)
    case("pad_i", "lambda v: lax.pad(v, 1.5, ((1, -1, 2), (-1, 2, 0)))", x)
    case("pad_dyn", "lambda v, c: lax.pad(v, c, ((1, 1, 1), (0, 2, 0)))", x, np.float32(2))
    case("reverse", "lambda v: v[::-1, ::2]", x)
    case("concat", "lambda a, b: jnp.concatenate([a, b], 1)", x, f(4, 2))
    case("roll", "lambda v: jnp.roll(v, 2, axis=1)", x)
    case("tril", "lambda v: jnp.tril(v)", f(6, 6))
    case("iota", "lambda v: v + jnp.arange(3000.0)", f(3000))
    case("where", "lambda v: jnp.where(v > 0, v, 0.1 * v)", x)
    case("clip", "lambda v: jnp.clip(v, -0.5, 0.7)", x)
    case("tile", "lambda v: jnp.tile(v, (2, 3))", x)
    case("repeat", "lambda v: jnp.repeat(v, 3, axis=0)", x)
    case("eye", "lambda v: v @ jnp.eye(6)", x)
    case("onehot", "lambda k: jax.nn.one_hot(k, 10)", i(10, 7))
    case("cast", "lambda v: (v * 100).astype(jnp.int8).astype(jnp.float16)", x * 0.5)
    case("bitcast", "lambda v: lax.bitcast_convert_type(v, jnp.int32)", x)
    case("reduce_precision", "lambda v: lax.reduce_precision(v, 8, 7)", x)
    case("f16", "lambda a, b: jnp.tanh(a @ b) + a.sum()", f(4, 5, d=np.float16), f(5, 5, d=np.float16))
    case(
        "bf16",
        "lambda a, b: jax.nn.softmax(a @ b)",
        f(4, 5).astype(ml_dtypes.bfloat16),
        f(5, 5).astype(ml_dtypes.bfloat16),
    )
    case(
        "ln_grad",
        "jax.grad(lambda v, g: (((v - v.mean(-1, keepdims=True)) * lax.rsqrt(v.var(-1, keepdims=True) + "
        "1e-05) * g) ** 2).sum(), argnums=(0, 1))",
        x,
        f(6),
    )
    case("softmax_grad", "jax.grad(lambda v, t: (jax.nn.softmax(v) * t).sum())", x, f(4, 6))
    case("xent", "jax.grad(lambda v, k: -jnp.take_along_axis(jax.nn.log_softmax(v), k[:, None], 1).mean())", x, i(6, 4))
    case("emb_grad", "jax.grad(lambda t, k: (t[k] ** 2).sum())", f(10, 4), i(10, 3, 2))
    case("gelu_grad", "jax.grad(lambda v: jax.nn.gelu(v).sum())", x)
    case("norm", "jnp.linalg.norm", x)
    case("var0", "lambda v: jnp.std(v)", x)
    case("scan", "lambda v: lax.scan(lambda c, t: (c * 0.5 + t, c.sum()), jnp.zeros(6), v)", x)
    case("fori", "lambda v: lax.fori_loop(0, 3, lambda k, c: c * 1.5 + k, v)", x)
    case("cond", "lambda v: lax.cond(v[0, 0] > 0, lambda u: u + 1, lambda u: u * 2, v)", x)
    case("switch", "lambda k, v: lax.switch(k, [lambda u: u + 1, lambda u: u * 2, jnp.sin], v)", np.int32(2), x)
    case(
        "dropout",
        "lambda k, v: jnp.where(jax.random.bernoulli(jax.random.wrap_key_data(k), 0.5, v.shape), v, 0)",
        np.array([1, 2], np.uint32),
        x,
    )
    return found


def record(cases: Mapping[str, tuple[str, tuple[Any, ...]]], helpers: Mapping[str, str], data: Path) -> None:
    """Lower functions, run them by XLA, and write texts, arguments and results to a file."""
    jax = import_module("jax")
    known: dict[str, Any] = {"jax": jax, "jnp": import_module("jax.numpy"), "lax": import_module("jax.lax")}
    known |= {name: eval(text, known) for name, text in helpers.items()}
    held: dict[str, Any] = {}
    for name, (text, arguments) in cases.items():
        placed = jax.tree.map(jax.numpy.asarray, list(arguments))
        lowered = jax.jit(eval(text, known)).lower(*placed)
        results = jax.tree.leaves(lowered.compile()(*placed))
        held[f"{name}/text"] = np.array(lowered.as_text())
        for kind, arrays in (("argument", jax.tree.leaves(placed)), ("result", results)):
            for index, array in enumerate(map(np.asarray, arrays)):
                is_bf16 = array.dtype == ml_dtypes.bfloat16  # numpy files can't hold bf16
                held[f"{name}/{kind}{index}{' bf16' if is_bf16 else ''}"] = array.view(np.uint16) if is_bf16 else array
    np.savez_compressed(data, **held)
    print(f"{len({key.partition('/')[0] for key in held})} cases: {data}, {data.stat().st_size} bytes", file=sys.stderr)


if __name__ == "__main__":
    record(cases(), HELPERS, DATA)
