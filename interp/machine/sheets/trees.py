"""Accessors of parse trees for the sheet parser: subtrees and tokens."""

from __future__ import annotations

from collections.abc import Sequence

from lark import Token, Tree

from interp.machine.sheets.statements import Name


def only(parts: Sequence[Tree[Token]], data: str) -> Tree[Token] | None:
    """The first tree of `parts` whose kind is `data`; None if there is none."""
    return next((part for part in parts if part.data == data), None)


def trees(tree: Tree[Token]) -> list[Tree[Token]]:
    """The children of a tree that are trees."""
    return [child for child in tree.children if isinstance(child, Tree)]


def tokens(tree: Tree[Token]) -> list[Token]:
    """The children of a tree that are tokens."""
    return [child for child in tree.children if isinstance(child, Token)]


def token(tree: Tree[Token]) -> Token:
    """The first child of a tree that is a token."""
    return tokens(tree)[0]


def sourced(text: str, assumed: bool) -> str:
    return f"assumed: {text}" if assumed and text else text


def unquoted(token: Token | None) -> str:
    return " ".join(str(token)[1:-1].split()) if token is not None else ""


def side(relation: str, verb: Name, scope: Name | None) -> str:
    """One side of a gap statement as text: its relation, verb and scope, without those that are not stated."""
    return f"{relation}{verb.text}" + (f" {scope.text}" if scope is not None else "")


def unit_of(tokens: Sequence[Token]) -> str | None:
    return str(tokens[0]) if tokens else None
