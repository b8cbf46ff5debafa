"""xDSL's lexer for MLIR text with stricter rules: it takes linear time on any text, and each error has a location."""

from __future__ import annotations

import re

from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Position, Span, Token
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRToken, MLIRTokenKind, StringLiteral

MOST_DIGITS = 1000
"""The largest number of digits of a number; Python refuses to print more than 4,300, far beyond any type's range."""


class Lexer(MLIRLexer):
    """A lexer whose regular expressions for strings, numbers and names take linear time."""

    # xDSL's expression takes exponential time on an unterminated string; `++` and `*+` do not backtrack.
    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')

    def _lex_string_literal(self, start_pos: Position) -> MLIRToken:
        token = super()._lex_string_literal(start_pos)
        if token.kind != MLIRTokenKind.BYTES_LIT:
            return token
        # A literal with non-ASCII characters, which xDSL escapes when printing, is a string, too.
        try:
            StringLiteral.from_span(token.span).bytes_contents.decode()
        except UnicodeDecodeError:
            return token
        return Token(MLIRTokenKind.STRING_LIT, token.span)

    _exponent = re.compile(r"[eE][+-]?[0-9]+")

    def _lex_number(self, start_pos: Position) -> MLIRToken:
        token = super()._lex_number(start_pos)
        if not token.text.isascii():  # Python counts ½ and ² among the numerals
            raise ParseError(token.span, f"`{token.text}` is no number; write it with the digits 0 to 9")
        if len(token.text) > MOST_DIGITS:
            raise ParseError(token.span, f"a number has at most {MOST_DIGITS:,} digits, not {len(token.text):,}")
        is_integer = token.kind == MLIRTokenKind.INTEGER_LIT and "x" not in token.text
        if is_integer and (exponent := self._exponent.match(self.input.content, self.pos)) is not None:
            raise ParseError(
                Span(start_pos, exponent.end(), self.input),
                f"a number with an exponent has a point in MLIR: write {token.text}.0{exponent[0]}",
            )
        return token

    def _lex_prefixed_ident(self, start_pos: Position) -> MLIRToken:
        if self._suffix_id.match(self.input.content, start_pos + 1) is None:
            mark = self.input.content[start_pos]
            raise ParseError(
                Span(start_pos, start_pos + 1, self.input),
                f"a name is expected right after `{mark}`, as in {mark}{_NAMES_AFTER.get(mark, 'x')}; "
                "is this a program in MLIR's text?",
            )
        return super()._lex_prefixed_ident(start_pos)


_NAMES_AFTER = {"#": "loc1", "!": "task.on", "^": "bb0"}
"""For each sigil, an example of a name after it, for error messages."""
