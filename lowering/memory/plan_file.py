"""Plans from files: the moves of an iteration, in this compiler's text format or in the format of G10's artifact.

The text format has one move per line, in the order of issue; `//` begins a comment:

    at 3 evict t17 to host                              // when kernel 2 has ended
    at 3 evict t18 [0 to 1048576] to ssd after 4        // these bytes, and not before kernel 4 has ended
    at 9 prefetch t17 behind 0 before 11                // when move 0 is done; kernel 11 waits for it
    at 9 write_back t20 to host
    at 12 discard t3
    at 12 discard t20 in host                           // the copy there

A tensor is given by name or by number (`#17`). G10's format is a table: at the start of `kernel`, a `tensor` is moved
to the GPU (`In_gpu`), the host (`In_cpu`) or the SSD (`In_ssd`), or is dead (`Not_present`); the columns `global` and
`from` are redundant.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import cast, get_args

from dialects.diagnostics import InputError
from dialects.tables import Cell, Row, read_table, read_text
from dialects.text.suggestions import hint
from interp.simulate.memory.problem import KernelTrace, Move, MoveKind

HOST, SSD = "host", "ssd"
"""The names of the tiers in G10's format."""
_WORD = re.compile(r"//.*|[\[\]]|[^\s\[\]]+")
_KINDS: tuple[str, ...] = get_args(MoveKind)
_GOES_TO: Mapping[str, tuple[MoveKind, str]] = {
    "In_gpu": ("prefetch", ""),
    "In_cpu": ("evict", HOST),
    "In_ssd": ("evict", SSD),
    "Not_present": ("discard", ""),
}


def read_plan(path: str | os.PathLike[str], trace: KernelTrace) -> list[Move]:
    """The moves of a plan file, for a trace. Raises InputError, with file, line and column, for invalid moves."""
    text = read_text(path, "a plan")
    first = next((line for line in text.splitlines() if line.strip()), "")
    if "," in first.partition("//")[0]:
        return _g10_moves(path, trace)
    names = _numbers(trace)
    moves: list[Move] = []
    for number, line in enumerate(text.split("\n"), 1):
        words = [
            Cell(word[0], "", f"{os.fspath(path)}:{number}:{word.start() + 1}")
            for word in _WORD.finditer(line)
            if not word[0].startswith("//")
        ]
        if words:
            end = Cell("", "", f"{os.fspath(path)}:{number}:{len(line.rstrip()) + 1}")
            moves.append(_Line(words, end, trace, names, len(moves)).move())
    return moves


def plan_text(moves: Iterable[Move], trace: KernelTrace) -> str:
    """The moves as text in the format that `read_plan` reads, one move per line."""
    names = _numbers(trace)
    return "".join(f"{_move_text(move, trace, names)}\n" for move in moves)


def _move_text(move: Move, trace: KernelTrace, names: Mapping[str, int]) -> str:
    name = trace.tensors[move.tensor].name
    words = [f"at {move.at} {move.kind}", name if name in names else f"#{move.tensor}"]
    if move.first or move.last is not None:
        last = trace.tensors[move.tensor].nbytes if move.last is None else move.last
        words.append(f"[{move.first} to {last}]")
    if move.tier:
        words.append(f"{'in' if move.kind == 'discard' else 'to'} {move.tier}")
    for word, number in (("after", move.after), ("behind", move.behind), ("before", move.before)):
        if number is not None:
            words.append(f"{word} {number}")
    return " ".join(words)


def _numbers(trace: KernelTrace) -> dict[str, int]:
    """The number of each tensor by its name, for names that are unique and valid words of the text format."""
    names = [tensor.name for tensor in trace.tensors]
    numbers = dict(zip(names, range(len(names)), strict=True))
    twice = {name for number, name in enumerate(names) if numbers[name] != number}
    return {
        name: number
        for name, number in numbers.items()
        if name not in twice and not name.startswith(("#", "//")) and _WORD.fullmatch(name)
    }


class _Line:
    """A parser for the line of a move, word by word."""

    def __init__(
        self, words: Sequence[Cell], end: Cell, trace: KernelTrace, names: Mapping[str, int], number: int
    ) -> None:
        self.words = words
        self.end = end
        self.trace = trace
        self.names = names
        self.number = number
        self.at = 0

    def move(self) -> Move:
        """Parse the line as a move."""
        self.word("at", "`at` and the number of the kernel before which the move is issued")
        at = self.integer("a kernel", 0, len(self.trace.kernels))
        kind = self.kind()
        tensor = self.tensor()
        first, last = self.part(tensor) if self.met("[") else (0, None)
        tier = ""
        if (kind in ("evict", "write_back") and self.met("to")) or (kind == "discard" and self.met("in")):
            tier = self.next("the name of a tier").text
        numbers: dict[str, int | None] = {"after": None, "behind": None, "before": None}
        most = {"after": len(self.trace.kernels) - 1, "behind": self.number - 1, "before": len(self.trace.kernels) - 1}
        while self.at < len(self.words):
            word = self.next("")
            if word.text not in numbers or numbers[word.text] is not None:
                raise InputError(f"met `{word.text}`, expected {self.rest(kind, numbers)}", word.place)
            numbers[word.text] = self.integer(
                "an earlier move" if word.text == "behind" else "a kernel", 0, most[word.text]
            )
        return Move(kind, tensor, at, first, last, tier, **numbers)

    def rest(self, kind: MoveKind, numbers: Mapping[str, int | None]) -> str:
        """A description of the words that may still follow in the line of a move of this kind, for an error message.
        `numbers`: the words already read, None for those that were not."""
        tier = {"evict": "`to` and a tier, ", "write_back": "`to` and a tier, ", "discard": "`in` and a tier, "}
        free = ", ".join(f"`{word}`" for word, number in numbers.items() if number is None)
        return f"{tier.get(kind, '')}{free + ' and a number, ' if free else ''}or the line's end"

    def next(self, expected: str) -> Cell:
        """The next word. Raises InputError at the end of the line."""
        if self.at == len(self.words):
            raise InputError(f"the line ends, expected {expected}", self.end.place)
        self.at += 1
        return self.words[self.at - 1]

    def met(self, word: str) -> bool:
        """True if the next word is `word`, which is then consumed."""
        if self.at < len(self.words) and self.words[self.at].text == word:
            self.at += 1
            return True
        return False

    def word(self, word: str, expected: str) -> None:
        """Consume `word`. Raises InputError for another word."""
        met = self.next(expected)
        if met.text != word:
            raise InputError(f"met `{met.text}`, expected {expected}", met.place)

    def integer(self, what: str, least: int, most: int) -> int:
        """Parse an integer from `least` to `most`. Raises InputError for any other word."""
        if most < least:
            met = self.next(f"the number of {what}")
            raise InputError(
                f"met `{met.text}`, expected the number of {what}, but there is none before this line", met.place
            )
        expected = f"the number of {what}, {least} to {most}"
        met = self.next(expected)
        if not re.fullmatch(r"\d{1,18}", met.text) or not least <= int(met.text) <= most:
            raise InputError(f"met `{met.text}`, expected {expected}", met.place)
        return int(met.text)

    def kind(self) -> MoveKind:
        """The kind of the move, read from the next word. Raises InputError for a word that names no kind of move."""
        expected = f"one of {', '.join(_KINDS)}"
        met = self.next(expected)
        if met.text not in _KINDS:
            raise InputError(f"met `{met.text}`{hint(met.text, _KINDS, f'expected {expected}')}", met.place)
        return cast("MoveKind", met.text)

    def tensor(self) -> int:
        """The number of the tensor that the next word names."""
        met = self.next("a tensor")
        if met.text in self.names:
            return self.names[met.text]
        count = len(self.trace.tensors)
        if re.fullmatch(r"#\d{1,9}", met.text):
            if (number := int(met.text[1:])) < count:
                return number
            raise InputError(f"there is no tensor {met.text}; the trace has {count}, from #0 on", met.place)
        twice = any(tensor.name == met.text for tensor in self.trace.tensors)
        otherwise = "tensors are also called by their number, as in #0"
        why = f"several tensors are called `{met.text}`" if twice else f"there is no tensor `{met.text}`"
        raise InputError(why + (f"; {otherwise}" if twice else hint(met.text, self.names, otherwise)), met.place)

    def part(self, tensor: int) -> tuple[int, int]:
        """The range of bytes to which the move is restricted; all bytes of the tensor if the line states no range."""
        nbytes = self.trace.tensors[tensor].nbytes
        first = self.integer("the first byte", 0, nbytes)
        self.word("to", "`to` and the number of the byte after the last one")
        last = self.integer("the byte after the last one", first, nbytes)
        self.word("]", "`]`")
        return first, last


def _g10_moves(path: str | os.PathLike[str], trace: KernelTrace) -> list[Move]:
    rows = read_table(path, "a plan of G10", ("kernel", "tensor", "to"), ("global", "from"))
    return [_g10_move(row, trace) for row in rows]


def _g10_move(row: Row, trace: KernelTrace) -> Move:
    at = row["kernel"].integer(0, len(trace.kernels), "the number of a kernel,")
    tensor = row["tensor"].integer(0, len(trace.tensors) - 1, "the number of a tensor,")
    if row["to"].text not in _GOES_TO:
        row["to"].refuse(f"one of {', '.join(_GOES_TO)}")
    kind, tier = _GOES_TO[row["to"].text]
    return Move(kind, tensor, at, tier=tier)
