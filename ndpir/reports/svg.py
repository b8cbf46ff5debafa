"""`-t svg`: the program as a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from ndpir.reports.answers.graphs.graph import GraphAnswer, graph_answer
from ndpir.reports.drawing.picture import document
from ndpir.reports.run import Run
from ndpir.reports.target import AnswerTarget


@dataclass(frozen=True)
class SvgTarget(AnswerTarget[GraphAnswer]):
    """The program as a picture: its ops as boxes, coloured by device and sized by time, and its copies as dashed edges.
    Equal layers are drawn once, so that a large model fits a screen. Weights, values computed from them ahead of time,
    and views are not drawn. A program that names no machine has no devices and no times.

    `fold`: false draws every op; `entry`: the function; default: `main`, or the first one; `json`: write the graph as
    JSON.
    """

    name: ClassVar[str] = "svg"
    NEEDS_MACHINE: ClassVar[bool] = False
    fold: bool = True
    entry: str | None = None

    def answer(self, module: ModuleOp) -> GraphAnswer:
        return graph_answer(Run(module, self.entry), self.fold)

    def text(self, answer: GraphAnswer) -> str:
        return document(answer)
