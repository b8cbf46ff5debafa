"""Pairs of a StableHLO op and an equivalent graph op, for writing and reading programs."""

from __future__ import annotations

from typing import Any

from dialects import graph as g

ONE_TO_ONE: dict[str, tuple[type[g.GraphOp], dict[str, Any]]] = {
    "abs": (g.AbsOp, {}),
    "add": (g.AddOp, {}),
    "and": (g.AndOp, {}),
    "atan2": (g.Atan2Op, {}),
    "cbrt": (g.CbrtOp, {}),
    "ceil": (g.CeilOp, {}),
    "cosine": (g.CosOp, {}),
    "divide": (g.DivOp, {}),
    "exponential": (g.ExpOp, {}),
    "exponential_minus_one": (g.Expm1Op, {}),
    "floor": (g.FloorOp, {}),
    "is_finite": (g.IsFiniteOp, {}),
    "log": (g.LogOp, {}),
    "log_plus_one": (g.Log1pOp, {}),
    "logistic": (g.SigmoidOp, {}),
    "maximum": (g.MaxOp, {}),
    "minimum": (g.MinOp, {}),
    "multiply": (g.MulOp, {}),
    "negate": (g.NegOp, {}),
    "not": (g.NotOp, {}),
    "or": (g.OrOp, {}),
    "power": (g.PowOp, {}),
    "remainder": (g.RemOp, {}),
    "round_nearest_afz": (g.RoundOp, {"ties": "away"}),
    "round_nearest_even": (g.RoundOp, {}),
    "rsqrt": (g.RsqrtOp, {}),
    "shift_left": (g.ShiftOp, {"kind": "left"}),
    "shift_right_arithmetic": (g.ShiftOp, {"kind": "arithmetic"}),
    "shift_right_logical": (g.ShiftOp, {"kind": "right"}),
    "sign": (g.SignOp, {}),
    "sine": (g.SinOp, {}),
    "sqrt": (g.SqrtOp, {}),
    "subtract": (g.SubOp, {}),
    "tan": (g.TanOp, {}),
    "tanh": (g.TanhOp, {}),
    "xor": (g.XorOp, {}),
    "chlo.erf": (g.ErfOp, {}),
    "chlo.erfc": (g.ErfcOp, {}),
    "chlo.tan": (g.TanOp, {}),
}
"""The equivalent graph op with its properties, by the name of the StableHLO op."""
