"""Pairs of a graph op and an equivalent ONNX operator, for writing and reading models."""

from __future__ import annotations

from dialects import graph as g

SAME: tuple[tuple[type[g.GraphOp], str, int], ...] = (
    (g.AbsOp, "Abs", 13),
    (g.NegOp, "Neg", 13),
    (g.ExpOp, "Exp", 13),
    (g.LogOp, "Log", 13),
    (g.SqrtOp, "Sqrt", 13),
    (g.ReciprocalOp, "Reciprocal", 13),
    (g.SinOp, "Sin", 22),
    (g.CosOp, "Cos", 22),
    (g.TanhOp, "Tanh", 13),
    (g.ErfOp, "Erf", 13),
    (g.SigmoidOp, "Sigmoid", 13),
    (g.ReluOp, "Relu", 14),
    (g.SignOp, "Sign", 13),
    (g.TanOp, "Tan", 22),
    (g.RoundOp, "Round", 22),
    (g.FloorOp, "Floor", 13),
    (g.CeilOp, "Ceil", 13),
    (g.NotOp, "Not", 1),
    (g.IsNanOp, "IsNaN", 20),
    (g.AddOp, "Add", 14),
    (g.SubOp, "Sub", 14),
    (g.MulOp, "Mul", 14),
    (g.DivOp, "Div", 14),
    (g.PowOp, "Pow", 15),
    (g.AndOp, "And", 7),
    (g.OrOp, "Or", 7),
    (g.XorOp, "Xor", 7),
    (g.MinOp, "Min", 13),
    (g.MaxOp, "Max", 13),
    (g.SelectOp, "Where", 16),
)
"""Graph ops, each with the equivalent ONNX operator and the newest opset in which the operator is equivalent."""

REDUCED = {"sum": "ReduceSum", "mean": "ReduceMean", "prod": "ReduceProd", "min": "ReduceMin", "max": "ReduceMax"}
"""The ONNX operator for each kind of `graph.reduce`."""
COMPARED = {"eq": "Equal", "lt": "Less", "le": "LessOrEqual", "gt": "Greater", "ge": "GreaterOrEqual"}
"""The ONNX operator for each kind of `graph.compare` except `ne`, for which ONNX has no operator."""
SCATTERED = {"set": "none", "add": "add", "mul": "mul", "min": "min", "max": "max"}
"""The value of ONNX's attribute `reduction` for each kind of scatter."""
