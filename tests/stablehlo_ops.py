"""Ops that JAX rarely or never emits, with XLA's results, written to tests/data/stablehlo/ops.npz.

    python -m tests.stablehlo_ops      (needs jax; the tests themselves do not)

The format is that of tests/stablehlo_cases.py; programs that JAX does not emit are written here as text.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from tests.stablehlo_cases import record
from tests.stablehlo_random import Xla

DATA = Path(__file__).parent / "data" / "stablehlo" / "ops.npz"
HELPERS = {
    "window": "lambda f, start, **k: lambda v: lax.reduce_window(v, v.dtype.type(start), f, **k)",
    "pool": "lambda v: lax.reduce_window(v, -jnp.inf, lax.max, (17, 17), (2, 3), ((3, 4), (0, 8)))",
}
SPECIAL = np.array([0.1, 0.7, 1.0, 0.0, -0.3, 2.5, -2.5, 30.0, -31.5, 1e-3, 90.0, 1e5, np.inf, -np.inf], np.float32)
WIDE = np.array([1e19, -1e20, 3e38, 1e-30, 0.5, -0.9, 1.0, -1.0], np.float32)


def cases() -> dict[str, tuple[str, tuple[Any, ...]]]:
    """Functions (as Python text) and their arguments, by case name."""
    random = np.random.default_rng(2)

    def f(*shape: int) -> Any:
        return random.standard_normal(shape).astype(np.float32)

    inside = np.array([-1.0, -0.999, -0.5, -1e-4, 0.0, 0.3, 0.99, 0.9999999, 1.0, 1.5], np.float32)
    found: dict[str, tuple[str, tuple[Any, ...]]] = {}
    for name in ("arcsinh", "sinh", "cosh", "arctan"):
        found[name] = f"jnp.{name}", (np.clip(SPECIAL, -60, 60),)
    for name in ("arcsin", "arccos", "arctanh"):
        found[name] = f"jnp.{name}", (inside,)
    found["arcsinh_wide"] = "jnp.arcsinh", (WIDE,)
    found["arccosh"] = "jnp.arccosh", (np.array([1.0, 1.001, 2.0, 1e10, 3e38, 0.5, -2.0, np.inf], np.float32),)
    found["erf_inv"] = "lax.erf_inv", (inside,)
    found["erf_inv_bf16"] = "lax.erf_inv", (inside[1:8].astype(ml_dtypes.bfloat16),)
    found["lgamma"] = "lax.lgamma", (SPECIAL,)
    found["digamma"] = "lax.digamma", (np.array([0.1, 0.7, 1.0, 0.0, -0.3, 2.5, -2.5, 30.0, -3.0, 90.0], np.float32),)
    found["is_inf"] = "jnp.isinf", (SPECIAL,)
    found["normal"] = (
        "lambda k: jax.random.normal(jax.random.wrap_key_data(k), (5, 3), 'float32')",
        (np.array([3, 4], np.uint32),),
    )
    found["rbg"] = (
        "lambda k: jax.random.bits(jax.random.wrap_key_data(k, impl='rbg'), (5,), 'uint32')",
        (np.array([1, 2, 3, 4], np.uint32),),
    )
    big = "window_dimensions=(300,), window_strides=(2,), padding=((10, 20),)"
    found["window_max"] = f"window(lax.max, -jnp.inf, {big})", (f(400),)
    found["window_mul"] = f"window(lax.mul, 1, {big}, window_dilation=(1,), base_dilation=(2,))", (f(250) * 1.5,)
    found["window_add"] = (
        "window(lax.add, 0, window_dimensions=(1, 20, 19, 1), window_strides=(1, 3, 1, 1), "
        "padding='SAME', window_dilation=(1, 2, 1, 1))",
        (f(2, 50, 23, 2),),
    )
    found["pool_large"] = "pool", (f(40, 50),)
    found["pool_large_grad"] = "jax.grad(lambda v: (pool(v) ** 2).sum())", (f(40, 50),)
    found["at_and"] = "lambda t, k, u: t.at[k].min(u)", (f(6) > 0, np.array([0, 3, 3], np.int32), f(3) > 0)
    edges = np.array([1.0, 0.5, 2.0, 3.0, 4.0, 2.5, 0.0, -1.0, 12.0, np.nan], np.float32)
    whole = np.array([2.0, 1.5, 0.5, 1e-3, -0.5, -2.5, 0.0, -2.0, 30.0, 7.5, np.inf, np.nan], np.float32)
    pairs = tuple(each.ravel() for each in np.meshgrid(edges, whole, indexing="ij"))
    narrow = tuple(np.abs(f(40)).astype(ml_dtypes.bfloat16) + 1 for _ in range(2))
    found["zeta"], found["zeta_bf16"] = ("lax.zeta", pairs), ("lax.zeta", narrow)
    found["polygamma"], found["digamma_grad"] = ("lax.polygamma", pairs), ("jax.vmap(jax.grad(lax.digamma))", (whole,))
    found["bessel_i1e"] = (
        "lax.bessel_i1e",
        (np.concatenate([SPECIAL, WIDE, np.linspace(-20, 20, 41, dtype=np.float32)]),),
    )
    return found


DTYPES = {"ui32": "uint32", "ui64": "uint64", "ui8": "uint8", "i16": "int16", "i64": "int64", "f32": "float32"}
SEEN_AS: dict[str, str] = {}


def texts() -> dict[str, tuple[str, tuple[Any, ...]]]:
    """StableHLO programs and their arguments, by case name."""
    random = np.random.default_rng(3)

    def f(*shape: int) -> Any:
        return random.standard_normal(shape).astype(np.float32)

    t, image = "tensor<4x3xf32>", "tensor<2x5x3xf32>"
    c, pair = "tensor<3xf32>", "tensor<2xf32>"
    x, scale, offset, variance = f(2, 5, 3), f(3), f(3), np.abs(f(3))
    norm = "{epsilon = 1.0e-03 : f32, feature_index = 2 : i64}"

    def main(takes: str, gives: str, body: str) -> str:
        return f"module {{\n  func.func public @main({takes}) -> ({gives}) {{\n{body}\n  }}\n}}\n"

    scatter = """    %0:2 = "stablehlo.scatter"(%a, %b, %k, %u, %v) <{
      scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
        scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<i32>, %r: tensor<f32>, %s: tensor<i32>):
      %1 = stablehlo.subtract %p, %r : tensor<f32>
      %2 = stablehlo.maximum %q, %s : tensor<i32>
      stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
    }) : (tensor<4x3xf32>, tensor<4x3xi32>, tensor<3x1xi32>, tensor<3x3xf32>, tensor<3x3xi32>)
      -> (tensor<4x3xf32>, tensor<4x3xi32>)
    return %0#0, %0#1 : tensor<4x3xf32>, tensor<4x3xi32>"""
    takes = "%a: tensor<4x3xf32>, %b: tensor<4x3xi32>, %k: tensor<3x1xi32>, %u: tensor<3x3xf32>, %v: tensor<3x3xi32>"
    states = {2: np.array([1 << 40 | 7, 1 << 63 | 5], np.uint64), 3: np.array([9 << 33, (1 << 64) - 3, 8], np.uint64)}
    drawn: dict[str, tuple[str, tuple[Any, ...]]] = {}
    for algorithm, length in (("THREE_FRY", 2), ("PHILOX", 2), ("PHILOX", 3), ("DEFAULT", 2), ("DEFAULT", 3)):
        for shape in ("", "1x", "7x", "4x6x", "3x5x", "2x3x3x"):
            for element in DTYPES:
                # Other state lengths take the same path.
                is_thorough = (algorithm, length) in (("THREE_FRY", 2), ("PHILOX", 3))
                if (shape == "7x" and element == "ui32") or (is_thorough and (element == "ui32" or shape == "3x5x")):
                    SEEN_AS[f"{algorithm}_{length}_{shape}{element}"] = DTYPES[element]
                    state, bits = f"tensor<{length}xui64>", f"tensor<{shape}{element}>"
                    drawn[f"{algorithm}_{length}_{shape}{element}"] = (
                        main(
                            f"%s: {state}",
                            f"{state}, {bits}",
                            f"    %0, %1 = stablehlo.rng_bit_generator %s, algorithm = {algorithm} : "
                            f"({state}) -> ({state}, {bits})\n    return %0, %1 : {state}, {bits}",
                        ),
                        (states[length],),
                    )
    integers = random.integers(-9, 9, (4, 3)).astype(np.int32)
    return drawn | {
        "batch_norm_inference": (
            main(
                f"%x: {image}, %s: {c}, %o: {c}, %m: {c}, %v: {c}",
                image,
                f'    %0 = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) {norm} : '
                f"({image}, {c}, {c}, {c}, {c}) -> {image}\n    return %0 : {image}",
            ),
            (x, scale, offset, f(3), variance),
        ),
        "batch_norm_training": (
            main(
                f"%x: {image}, %s: {c}, %o: {c}",
                f"{image}, {c}, {c}",
                f'    %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) {norm} : '
                f"({image}, {c}, {c}) -> ({image}, {c}, {c})\n    return %0#0, %0#1, %0#2 : {image}, {c}, {c}",
            ),
            (x, scale, offset),
        ),
        "batch_norm_grad": (
            main(
                f"%x: {image}, %s: {c}, %m: {c}, %v: {c}, %g: {image}",
                f"{image}, {c}, {c}",
                f'    %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) {norm} : '
                f"({image}, {c}, {c}, {c}, {image}) -> ({image}, {c}, {c})\n"
                f"    return %0#0, %0#1, %0#2 : {image}, {c}, {c}",
            ),
            (x, scale, f(3), variance, f(2, 5, 3)),
        ),
        "map": (
            main(
                f"%x: {t}, %y: {t}",
                t,
                '    %0 = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0, 1>}> ({\n'
                "    ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n"
                "      %1 = stablehlo.multiply %p, %q : tensor<f32>\n      %2 = stablehlo.tanh %1 : tensor<f32>\n"
                f"      stablehlo.return %2 : tensor<f32>\n    }}) : ({t}, {t}) -> {t}\n    return %0 : {t}",
            ),
            (f(4, 3), f(4, 3)),
        ),
        "tuple": (
            main(
                f"%x: {t}, %y: {pair}",
                f"{pair}, {t}",
                f"    %0 = stablehlo.tuple %x, %y : tuple<{t}, {pair}>\n"
                f"    %1 = stablehlo.get_tuple_element %0[1] : (tuple<{t}, {pair}>) -> {pair}\n"
                f"    %2 = stablehlo.get_tuple_element %0[0] : (tuple<{t}, {pair}>) -> {t}\n"
                f"    return %1, %2 : {pair}, {t}",
            ),
            (f(4, 3), f(2)),
        ),
        "broadcasting": (
            main(
                f"%x: {t}, %y: tensor<3xf32>",
                t,
                f"    %0 = chlo.broadcast_divide %x, %y : ({t}, tensor<3xf32>) -> {t}\n    return %0 : {t}",
            ),
            (f(4, 3), f(3)),
        ),
        "scatter_of_two": (
            main(takes, "tensor<4x3xf32>, tensor<4x3xi32>", scatter),
            (f(4, 3), integers, np.array([[2], [0], [2]], np.int32), f(3, 3), integers[:3] + 3),
        ),
        "dynamic": (
            main(
                f"%x: {t}",
                "tensor<2x4x3xf32>, tensor<2x2xf32>, tensor<5x5xf32>, tensor<3x4xi32>, tensor<i32>",
                f"""    %s = stablehlo.constant dense<[2, 4, 3]> : tensor<3xi32>
    %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1, 2] : ({t}, tensor<3xi32>) -> tensor<2x4x3xf32>
    %a = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
    %b = stablehlo.constant dense<[4, 3]> : tensor<2xi32>
    %c = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
    %1 = stablehlo.real_dynamic_slice %x, %a, %b, %c
      : ({t}, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x2xf32>
    %z = stablehlo.constant dense<7.000000e+00> : tensor<f32>
    %o = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    %i = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
    %n = stablehlo.constant dense<0> : tensor<2xi32>
    %2 = stablehlo.dynamic_pad %x, %z, %o, %n, %i
      : ({t}, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<5x5xf32>
    %e = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
    %3 = stablehlo.dynamic_iota %e, dim = 1 : (tensor<2xi32>) -> tensor<3x4xi32>
    %4 = stablehlo.get_dimension_size %x, dim = 1 : ({t}) -> tensor<i32>
    return %0, %1, %2, %3, %4
      : tensor<2x4x3xf32>, tensor<2x2xf32>, tensor<5x5xf32>, tensor<3x4xi32>, tensor<i32>""",
            ),
            (f(4, 3),),
        ),
        "composite": (
            main(
                f"%x: {t}",
                t,
                '    %0 = stablehlo.composite "my.op" %x {composite_attributes = {n = 1 : i64}, decomposition = @own}'
                f" : ({t}) -> {t}\n    %1 = stablehlo.custom_call @Sharding(%0) "
                f'{{mhlo.sharding = "{{replicated}}"}} : ({t}) -> {t}\n    return %1 : {t}\n  }}\n'
                f"  func.func private @own(%x: {t}) -> {t} {{\n    %0 = stablehlo.sine %x : {t}\n    return %0 : {t}",
            ),
            (f(4, 3),),
        ),
    }


def main() -> None:
    record(cases(), HELPERS, DATA)
    held: dict[str, Any] = dict(np.load(DATA))
    xla = Xla()
    for name, (text, arguments) in texts().items():
        held[f"{name}/text"] = np.array(text)
        try:
            results = xla(text, arguments)
        except Exception as error:  # XLA raises many kinds
            print(f"{name}: {str(error)[:300]}", file=sys.stderr)
            continue
        if name in SEEN_AS:  # XLA returns bits as unsigned numbers for any type
            results[1] = results[1].view(SEEN_AS[name])
        for kind, arrays in (("argument", arguments), ("result", results)):
            held |= {f"{name}/{kind}{index}": array for index, array in enumerate(arrays)}
    np.savez_compressed(DATA, **held)


if __name__ == "__main__":
    main()
