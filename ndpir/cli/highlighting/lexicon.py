"""Lexical rules of program texts and data sheets: the scope of each token, named as in TextMate grammars.

Regular expressions use only syntax that is common to Python and Oniguruma, the library of TextMate grammars. The match
that starts first is taken; among matches that start at the same character, the match of the first rule.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple


class Rule(NamedTuple):
    """A rule for one class of tokens: their TextMate scope without the language's suffix, and a regular expression that
    matches them."""

    scope: str
    pattern: str


_STRING = r'"(?:\\.|[^"\\\n])*"'
_ELEMENT = r"(?:[su]?i[1-9]\d*|f(?:16|32|64|80|128)|bf16|tf32|f\d+E\d+M\d+\w*)"
_OTHER_ELEMENT = r"index|none|complex|tensor|memref|vector|tuple"
_NAME = r"[A-Za-z_][\w$]*"


def program_rules(ops: Mapping[str, Sequence[str]]) -> tuple[Rule, ...]:
    """The rules of MLIR text. `ops`: for each of ndpir's dialects, the names of its ops without the dialect. Ops of
    other dialects get the same scope as ops whose name has no dialect."""
    registered = [
        Rule(f"support.function.op.{dialect}", rf"\b{dialect}\.(?:{'|'.join(sorted(names))})(?![\w$.])")
        for dialect, names in sorted(ops.items())
    ]
    return (
        Rule("comment.line.double-slash", r"//[^\n]*"),
        Rule("support.function.op", rf'"{_NAME}\.[\w$.]+"(?=\s*[(<])'),  # the generic form
        Rule("string.quoted.double", _STRING),
        Rule("entity.name.function", rf"@(?:[A-Za-z_$.][\w$.-]*|{_STRING})"),
        Rule("variable.other", r"%[\w$.-]+(?:#\d+|:\d+)?"),
        Rule("entity.name.label", r"\^[\w$.-]+"),
        Rule("constant.other.attribute", r"#[A-Za-z_][\w$.]*"),
        Rule("storage.type", r"![A-Za-z_][\w$.]*"),
        Rule("storage.type", r"\b(?:tensor|memref|vector|tuple|complex)(?=<)"),
        Rule("storage.type", rf"(?:(?<=\dx)|(?<=\?x)|\b)(?:{_ELEMENT}|index|none)\b(?!\s*=)"),
        Rule("constant.numeric.dimension", rf"(?<![\w$.])(?:(?:\d+|\?)x)+(?=(?:{_ELEMENT}|{_OTHER_ELEMENT})\b|!)"),
        *registered,
        Rule("support.function.op", rf"\b{_NAME}(?:\.[\w$]+)+"),
        Rule("entity.other.attribute-name", rf"\b{_NAME}(?=\s*=(?!=))"),
        Rule("constant.numeric", r"(?<![\w$.])-?(?:0x[0-9A-Fa-f]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)"),
        Rule("constant.language", r"\b(?:true|false|unit)\b"),
        Rule("keyword.operator", r"->"),
        Rule("keyword.other", rf"\b{_NAME}"),
    )


def sheet_rules(keywords: Sequence[str], patterns: Sequence[str]) -> tuple[Rule, ...]:
    """The rules of data sheets. `keywords`: keywords that consist of letters; `patterns`: regular expressions of all
    other keywords, which need no word boundary before them."""
    words = "|".join(sorted(map(re.escape, keywords)))
    return (
        Rule("comment.line.number-sign", r"#[^\n]*"),
        Rule("string.quoted.double", r'"[^"\n]*"'),
        Rule("entity.name.type", r"(?:(?<=\bdevice )|(?<=\blink )|(?<=\bengine ))[A-Za-z_]\w*"),
        *(Rule("keyword.other", rf"\b{pattern}") for pattern in patterns),
        Rule("keyword.other", rf"\b(?:{words})\b(?!\.)"),
        Rule("constant.numeric", r"(?<![\w.])(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?"),
        Rule("support.type.unit", r"(?<=[\d)] )[A-Za-z]+(?:/[A-Za-z]+)*"),
        Rule("keyword.operator", r"->|[=+*/:|-]"),
        Rule("variable.other", r"[A-Za-z_]\w*(?:-[A-Za-z0-9_]+)*"),
    )


@cache
def scanner(rules: tuple[Rule, ...]) -> re.Pattern[str]:
    """One regular expression for all rules, in which the group `sN` matches rule N. The regular expressions of the
    rules must not contain groups."""
    return re.compile("|".join(f"(?P<s{index}>{rule.pattern})" for index, rule in enumerate(rules)))
