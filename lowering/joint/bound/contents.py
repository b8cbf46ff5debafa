"""The contents of memories in a placement problem: which pieces of memory each node reads and makes, and how long each
is needed, whatever devices the nodes run on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

from dialects.graph import OverwritingOp
from lowering.instance.choice import ChoicePart, Node
from lowering.instance.problem import Problem

Kind: TypeAlias = Literal["value", "passing", "persistent"]
"""The kinds of pieces: `value`: a node makes it in each iteration; `passing`: an argument that each iteration is given
anew; `persistent`: a weight or an argument whose contents stay the same, or one that a result replaces."""


@dataclass(eq=False)
class Piece:
    """A piece of memory with contents: a value, or a weight, constant or resting state. `maker`: the node that makes
    it; None for what is there from the start."""

    number: int
    nbytes: int
    kind: Kind
    maker: int | None = None
    value: int | None = None
    views: int = 0
    """The number of views that show it, each of which may be copied by itself."""
    heir: Piece | None = None
    """The piece whose contents replace those of this one at the end of an iteration."""
    returned: bool = False
    """True if a result of the program shows it, and must be on the primary device at the end."""


@dataclass(frozen=True, eq=False)
class Use:
    """A node that reads a piece. `fraction`: of its bytes, those that the reader needs at least."""

    node: int
    fraction: float


@dataclass
class Contents:
    """All pieces of a problem, and the pieces that each value shows, with the fraction of each that is surely shown."""

    problem: Problem
    pieces: list[Piece] = field(default_factory=list[Piece])
    shown: dict[int, dict[Piece, float]] = field(default_factory=dict[int, "dict[Piece, float]"])
    residents: dict[Hashable, Piece] = field(default_factory=dict[Hashable, Piece])
    """The weights, constants and states that some choice on the primary device reads."""
    reused: dict[int, set[Piece]] = field(default_factory=lambda: defaultdict(set))
    """For each node, its results that may lie in the memory of its operands."""

    def __post_init__(self) -> None:
        problem = self.problem
        kept = {*problem.kept}
        for value in problem.inputs:
            self._new(problem.sizes[value], "persistent" if value in kept else "passing", value=value)
        for node in problem.nodes:
            self._view(node) if node.view else self._node(node)
        for value in problem.outputs:
            if value not in problem.staying:
                for piece in self.shown[value]:
                    piece.returned = True
        for what, nbytes in problem.returned_residents:
            self._resident(what, nbytes)
        self._donations()

    def _new(self, nbytes: int, kind: Kind, maker: int | None = None, value: int | None = None) -> Piece:
        piece = Piece(len(self.pieces), nbytes, kind, maker, value)
        self.pieces.append(piece)
        if value is not None:
            self.shown[value] = {piece: 1.0}
        return piece

    def _resident(self, what: Hashable, nbytes: int) -> Piece:
        """The piece of a weight, constant or state; if its size depends on the reader, the smallest."""
        piece = self.residents.get(what)
        if piece is None:
            piece = self.residents[what] = self._new(nbytes, "persistent")
        piece.nbytes = min(piece.nbytes, nbytes)
        return piece

    def _primary(self, node: Node) -> Iterator[ChoicePart]:
        """The parts of a node's choices that run on the primary device."""
        for choice in node.choices:
            yield from (part for part in choice.parts if part.device == self.problem.primary)

    def _node(self, node: Node) -> None:
        for part in self._primary(node):
            for what, nbytes in part.residents:
                self._resident(what, nbytes)
        parts = [part for choice in node.choices for part in choice.parts]
        for value in node.writes:
            mine = [part for part in parts if value in part.writes]
            piece = self._new(self.problem.sizes[value], "value", node.index, value)
            for part in mine:
                if value in part.own:
                    piece.nbytes = min(piece.nbytes, part.own[value])
                if value in part.own and not self._elsewhere(node):
                    states = (self._resident(*each) for each in part.residents if each[0] in part.states)
                    self._lies_in(value, dict.fromkeys(states, 1.0))
                if value in part.grown:
                    before = part.grown[value]
                    piece.nbytes = min(piece.nbytes, max(0, self.problem.sizes[value] - self.problem.sizes[before]))
                    self._lies_in(value, self.shown[before])
                if value in part.over:
                    self.reused[node.index].add(piece)

    def _elsewhere(self, node: Node) -> bool:
        """True if a device other than the primary one may run a node, so that its states may rest there."""
        return any(part.device != self.problem.primary for choice in node.choices for part in choice.parts)

    def _lies_in(self, value: int, others: Mapping[Piece, float]) -> None:
        for piece, fraction in others.items():
            self.shown[value].setdefault(piece, fraction)

    def _view(self, node: Node) -> None:
        """A view shows the memory of the values and states that it reads; a device other than the primary one may show
        it, too, and then only the bytes that it shows need to be copied."""
        part = next(iter(self._primary(node)), node.choices[0].parts[0])
        states = {self._resident(what, nbytes): 1.0 for what, nbytes in part.residents}
        read = {piece: each for value in part.reads for piece, each in self.shown[value].items()}
        if isinstance(part.op, OverwritingOp):  # what is written in place has no memory of its own
            first = {} if states else self.shown[part.reads[0]]
            for piece in read:
                if piece not in first and piece.kind == "value":
                    piece.nbytes = 0
            read = dict(first)
        elsewhere = self._elsewhere(node)
        total = sum(piece.nbytes for piece in read)
        for value in node.writes:
            self.shown[value] = {} if elsewhere else dict(states)
            for piece, fraction in read.items():
                least = max(0, self.problem.sizes[value] - (total - piece.nbytes))
                part_of = min(fraction, least / piece.nbytes if piece.nbytes else 1.0)
                self.shown[value][piece] = part_of if elsewhere else fraction
                piece.views += elsewhere

    def _donations(self) -> None:
        """Let a result whose memory is surely that of an argument take its place in the next iteration."""
        problem, taken = self.problem, set[int]()
        for given, value in problem.donated:
            old, new = self.shown[given], self.shown[value]
            if len(old) != 1 or len(new) != 1 or value in taken or value in problem.inputs:
                continue
            (before,), (after,) = old, new
            plain = before.value == given and after.value == value and after.kind == "value"
            if plain and before.kind == "passing" and before.nbytes == after.nbytes and not before.returned:
                if not problem.consumers[given]:
                    continue
                taken.add(value)
                before.kind, before.heir, after.returned = "persistent", after, False
                if after.maker is not None and before in self.read(after.maker):
                    self.reused[after.maker].add(after)

        for value, state in problem.left.items():
            self._replace(state, value)

    def _replace(self, state: Hashable, value: int) -> None:
        """Let a result that stays in the memory of a resting state take its place in the next iteration."""
        after = next((piece for piece in self.pieces if piece.value == value), None)
        if after is None or after.maker is None:
            return
        self.reused[after.maker].add(after)
        before = self.residents.get(state)
        if before is not None and before.nbytes == after.nbytes and [*self.shown[value]] == [after]:
            before.heir = after

    def read(self, node: int) -> dict[Piece, float]:
        """The pieces that a node reads on the primary device, each with the fraction that it needs at least."""
        return self._reads[node]

    @cached_property
    def _reads(self) -> list[dict[Piece, float]]:
        found: list[dict[Piece, float]] = []
        for node in self.problem.nodes:
            needed: dict[Piece, float] = {}
            for value in node.reads:
                for piece, fraction in self.shown[value].items():
                    needed[piece] = max(fraction, needed.get(piece, 0.0))
            found.append(needed)
        return found
