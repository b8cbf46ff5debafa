"""Symbolic sizes of exported programs: the values of expressions such as `2*s0 + 1`, as PyTorch prints them."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import reduce
from math import sqrt
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
        case ast.Call(func=ast.Name(id="Symbol"), args=[ast.Constant(value=str() as name), *_]) if name in symbols:
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


def _choose(condition: Any, yes: Any, no: Any) -> Any:
    return yes if condition else no


def _up(a: Any, b: Any = 1) -> Any:
    """The quotient rounded up."""
    return -int(-a // b)


def _down(a: Any) -> Any:
    return int(a // 1)


def _modular(a: Any, b: Any, c: Any) -> Any:
    return a // b % c


def _same(a: Any) -> Any:
    return a


def _product(*given: Any) -> Any:
    return reduce(_OPERATOR.mul, given)


def _sum(*given: Any) -> Any:
    return sum(given)


def _all(*given: Any) -> bool:
    return all(given)


def _any(*given: Any) -> bool:
    return any(given)


_OPERATOR: Any = operator
_BINARY: Mapping[type[Any], Callable[[Any, Any], Any]] = {
    getattr(ast, tree): getattr(_OPERATOR, name)
    for tree, name in (
        ("Add", "add"), ("Sub", "sub"), ("Mult", "mul"), ("Div", "truediv"), ("FloorDiv", "floordiv"), ("Mod", "mod"),
        ("Pow", "pow"), ("Eq", "eq"), ("NotEq", "ne"), ("Lt", "lt"), ("LtE", "le"), ("Gt", "gt"), ("GtE", "ge"),
        ("BitAnd", "and_"), ("BitOr", "or_"),
    )
}  # fmt: skip
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "Max": max, "Min": min, "FloorDiv": _OPERATOR.floordiv, "CleanDiv": _OPERATOR.floordiv, "CeilDiv": _up,
    "CeilToInt": _up, "FloorToInt": _down, "TruncToInt": int, "RoundToInt": round, "Mod": _OPERATOR.mod,
    "PythonMod": _OPERATOR.mod, "ModularIndexing": _modular, "IntTrueDiv": _OPERATOR.truediv,
    "FloatTrueDiv": _OPERATOR.truediv, "ToFloat": float, "Abs": abs, "Where": _choose, "Identity": _same,
    "PowByNatural": _OPERATOR.pow, "Eq": _OPERATOR.eq, "Ne": _OPERATOR.ne, "Lt": _OPERATOR.lt, "Le": _OPERATOR.le,
    "Gt": _OPERATOR.gt, "Ge": _OPERATOR.ge, "And": _all, "Or": _any, "Not": _OPERATOR.not_, "floor": _down,
    "ceiling": _up, "LShift": _OPERATOR.lshift, "RShift": _OPERATOR.rshift, "sqrt": sqrt, "Mul": _product, "Add": _sum,
    "Pow": _OPERATOR.pow, "Integer": int, "Float": float, "Rational": _OPERATOR.truediv,
}  # fmt: skip
"""The functions that PyTorch and sympy print in expressions of sizes (torch/utils/_sympy/functions.py)."""
