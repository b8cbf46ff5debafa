"""Reduction of a failing case: fewer words, lines, tokens and bytes, with the same failure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from time import process_time
from typing import TypeVar

from tests.fuzz.case import Case
from tests.fuzz.judge import judge
from tests.fuzz.mutate import TOKEN

T = TypeVar("T")


def shrunk(case: Case, signature: str, seconds: float) -> Case:
    """The smallest case with the same signature that is found in `seconds` of processor time."""
    end = process_time() + seconds

    def fails(candidate: Case) -> bool:
        if process_time() > end:
            return False
        find = judge(candidate).find
        return find is not None and find.signature == signature

    if not fails(case):
        return case
    words = _fewer(case.words[1:], lambda rest: fails(replace(case, words=(case.words[0], *rest))))
    case = replace(case, words=(case.words[0], *words))
    for at in range(1, len(case.words)):
        letters = _fewer(case.words[at], partial(_still_said, fails, case, at))
        case = _with_word(case, at, letters)
    for parts in _cuts(case.data):
        kept = _fewer(parts(case.data), partial(_still, fails, case))
        case = replace(case, data=b"".join(kept))
    return case


def _with_word(case: Case, at: int, letters: Sequence[str]) -> Case:
    return replace(case, words=(*case.words[:at], "".join(letters), *case.words[at + 1 :]))


def _still_said(fails: Callable[[Case], bool], case: Case, at: int, letters: Sequence[str]) -> bool:
    return fails(_with_word(case, at, letters))


def _still(fails: Callable[[Case], bool], case: Case, parts: Sequence[bytes]) -> bool:
    return fails(replace(case, data=b"".join(parts)))


def _cuts(data: bytes) -> Sequence[Callable[[bytes], Sequence[bytes]]]:
    """Functions that divide data into parts: text into lines, then tokens; other data into bytes."""

    def lines(text: bytes) -> Sequence[bytes]:
        return text.splitlines(keepends=True)

    def tokens(text: bytes) -> Sequence[bytes]:
        return [
            token.encode("utf-8", "surrogateescape") for token in TOKEN.findall(text.decode("utf-8", "surrogateescape"))
        ]

    def single(some: bytes) -> Sequence[bytes]:
        return [some[at : at + 1] for at in range(len(some))]

    try:
        data.decode()
    except UnicodeDecodeError:
        return (single,)
    return (lines, tokens, tokens)


def _fewer(parts: Sequence[T], fails: Callable[[Sequence[T]], bool]) -> Sequence[T]:
    """A subset of parts that still fails, and from which no single part can be removed: halves are tried first, then
    smaller pieces."""
    size = max(1, len(parts) // 2)
    while parts:
        at, left_out = 0, False
        while at < len(parts):
            rest = [*parts[:at], *parts[at + size :]]
            if fails(rest):
                parts, left_out = rest, True
            else:
                at += size
        if size == 1 and not left_out:
            break
        size = max(1, size // 2)
    return parts
