"""Loops of JAX that stay loops, with XLA's results, written to tests/data/stablehlo/loops.npz.

    python -m tests.stablehlo_loops      (needs jax; the tests themselves do not)

The format is that of tests/stablehlo_cases.py. Each loop body has a product, or the loop has many iterations, so that
no loop is unrolled.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.stablehlo_cases import record

DATA = Path(__file__).parent / "data" / "stablehlo" / "loops.npz"
LAYER = "lambda x, p: (ln(x + attn(ln(x) @ p['a']) @ p['b']), x.mean())"
HELPERS = {
    "ln": "lambda x: (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)",
    "attn": "lambda h: (lambda q, k, v: jax.nn.softmax(q @ k.T) @ v)(*jnp.split(h, 3, axis=-1))",
    "loss": f"lambda ps, x, y: ((lax.scan({LAYER}, x, ps)[0] - y) ** 2).mean()",
    "adam": """lambda p, m, v, g: (lambda m, v: (p - 1e-3 * m / (jnp.sqrt(v) + 1e-8), m, v))(
        0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g)""",
}


def cases() -> dict[str, tuple[str, tuple[Any, ...]]]:
    """Functions (as Python text) and their arguments, by case name."""
    random = np.random.default_rng(1)

    def f(*shape: int) -> Any:
        return (random.standard_normal(shape) * 0.5).astype(np.float32)

    x, w, ws = f(4, 6), f(6, 6), f(5, 6, 6)
    scan = "lax.scan(lambda c, w: (jnp.tanh(c @ w), c.sum()), x, ws"
    train = """lambda ps, m, v, x, y: (lambda l, g: (l, jax.tree.map(
        lambda p, m, v, g: adam(p, m, v, g), ps, m, v, g)))(*jax.value_and_grad(loss)(ps, x, y))"""
    layers = {"a": f(3, 8, 24), "b": f(3, 8, 8)}
    moments = {name: np.zeros_like(each) for name, each in layers.items()}
    return {
        "scan": (f"lambda x, ws: {scan})", (x, ws)),
        "scan_reversed": (f"lambda x, ws: {scan}, reverse=True)", (x, ws)),
        "scan_gradient": (f"lambda x, ws: jax.grad(lambda x, ws: {scan})[0].sum(), (0, 1))(x, ws)", (x, ws)),
        "scan_of_none": ("lambda x, w: lax.scan(lambda c, _: (jnp.sin(c @ w), None), x, None, length=7)", (x, w)),
        "scan_without_turns": ("lambda x, w: lax.scan(lambda c, _: (c @ w, c), x, None, length=0)", (x, w)),
        "scan_once": (f"lambda x, ws: {scan}[:1])", (x, ws)),
        "scan_of_many": ("lambda v: lax.scan(lambda c, t: (c * 0.5 + t, c - t), jnp.zeros(3), v)", (f(99, 3),)),
        "nested": (
            "lambda x, ws: lax.scan(lambda c, w: (lax.scan(lambda d, r: (jnp.tanh(d @ w) + r, d), c, c)[0], c), x, ws)",
            (f(6, 6), ws),
        ),
        "fori": ("lambda x, w: lax.fori_loop(2, 7, lambda k, c: jnp.sin(c @ w) + k, x)", (x, w)),
        "fori_slices": ("lambda x, ws: lax.fori_loop(0, 5, lambda k, c: jnp.sin(c @ ws[4 - k]), x)", (x, ws)),
        "upwards_by_3": (
            "lambda x, w: lax.while_loop(lambda s: s[0] < 11, lambda s: (s[0] + 3, jnp.sin(s[1] @ w) * s[0]), (1, x))",
            (x, w),
        ),
        "downwards_by_2": (
            "lambda x, w: lax.while_loop(lambda s: s[0] >= 1, lambda s: (s[0] - 2, jnp.sin(s[1] @ w) + s[0]), (9, x))",
            (x, w),
        ),
        "until_equal": (
            "lambda x, w: lax.while_loop(lambda s: 12 != s[0], lambda s: (s[0] + 4, jnp.sin(s[1] @ w)), "
            "(jnp.uint8(0), x))",
            (x, w),
        ),
        "two_counters": (
            "lambda x, w: lax.while_loop(lambda s: s[0] < 4, lambda s: (s[0] + 1, s[1] - 2, jnp.sin(s[2] @ w) * s[1]), "
            "(0, 5, x))",
            (x, w),
        ),
        "swapped": (
            "lambda x, y, w: lax.fori_loop(0, 5, lambda k, s: (s[1], jnp.sin(s[0] @ w)), (x, y))",
            (x, f(4, 6), w),
        ),
        "train_step": (train, (layers, moments, moments, f(7, 8), f(7, 8))),
    }


if __name__ == "__main__":
    record(cases(), HELPERS, DATA)
