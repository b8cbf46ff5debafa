"""Symbolic sizes of exported programs: the values of expressions such as `2*s0 + 1`, as PyTorch prints them."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any


class Unknown(Exception):
    """A symbol without a value, or an expression that is none of sizes. The message names it."""


def value_of(text: str, symbols: Mapping[str, int]) -> Any:
    """The value of an expression. Only arithmetic is evaluated, and no code runs. Raises Unknown for a symbol without
    value, such as a size that depends on data (`u0`)."""
    if text in symbols:
        return symbols[text]
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Unknown(text) from None
    return _value(tree, symbols)


def _value(tree: ast.AST, symbols: Mapping[str, int]) -> Any:
    match tree:
        case ast.Constant(value=bool() | int() | float() as number):
            return number
        case ast.Name(id=name) if name in symbols:
            return symbols[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            a, b = _value(left, symbols), _value(right, symbols)
            if isinstance(op, ast.Pow) and (abs(b) > 64 or abs(a) > 1 << 40):
                raise Unknown(ast.unparse(tree))
            return _checked(_BINARY[type(op)], tree, a, b)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, symbols)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand, symbols)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _BINARY:
            return _checked(_BINARY[type(op)], tree, _value(left, symbols), _value(right, symbols))
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in _FUNCTIONS:
            return _checked(_FUNCTIONS[name], tree, *(_value(each, symbols) for each in arguments))
        case _:
            raise Unknown(ast.unparse(tree))


def _checked(function: Callable[..., Any], tree: ast.AST, *values: Any) -> Any:
    try:
        return function(*values)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        raise Unknown(ast.unparse(tree)) from None


def _choose(*pieces: Any) -> Any:
    """The first value whose condition holds, of pairs that sympy prints as Where(condition, yes, no)."""
    condition, yes, no = pieces
    return yes if condition else no


_BINARY: Mapping[type[Any], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.Eq: operator.eq,
    ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
}  # fmt: skip
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "Max": max, "Min": min, "FloorDiv": operator.floordiv, "CleanDiv": operator.floordiv,
    "CeilDiv": lambda a, b: -(-a // b), "CeilToInt": lambda a: -int(-a // 1), "FloorToInt": lambda a: int(a // 1),
    "TruncToInt": int, "RoundToInt": round, "Mod": operator.mod, "PythonMod": operator.mod,
    "ModularIndexing": lambda a, b, c: a // b % c, "IntTrueDiv": operator.truediv, "FloatTrueDiv": operator.truediv,
    "ToFloat": float, "Abs": abs, "Where": _choose, "Identity": lambda a: a, "PowByNatural": operator.pow,
    "Eq": operator.eq, "Ne": operator.ne, "Lt": operator.lt, "Le": operator.le, "Gt": operator.gt, "Ge": operator.ge,
    "And": lambda *given: all(given), "Or": lambda *given: any(given), "Not": operator.not_,
    "floor": lambda a: int(a // 1), "ceiling": lambda a: -int(-a // 1), "LShift": operator.lshift,
    "RShift": operator.rshift, "sqrt": lambda a: a**0.5, "Mul": lambda *given: reduce(operator.mul, given),
}  # fmt: skip
"""The functions that PyTorch prints in expressions of sizes (torch/utils/_sympy/functions.py)."""
