"""`-t report`: a page that shows a run: the summary first, then the timeline, the graph, rooflines, memory, and bytes
moved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from ndpir.reports.answers.report import ReportAnswer, report_answer
from ndpir.reports.html.page import framed_page, page_of
from ndpir.reports.run import Run
from ndpir.reports.target import AnswerTarget


@dataclass(frozen=True)
class NotebookReport(ReportAnswer):
    """A report as a string of HTML, which notebooks show in a frame."""

    def _repr_html_(self) -> str:
        return framed_page(self)


@dataclass(frozen=True)
class ReportTarget(AnswerTarget[ReportAnswer]):
    """One HTML file that shows a run and needs no network: the speed-up, the reasons for the length of the makespan, a
    timeline that can be zoomed and shows the reason for each wait, the graph, rooflines, memory over time, cycles of
    bank programs and bytes moved.

    `entry`: the function; default: `main`, or else the first function. `command`, `program`: the command line and the
    file that the page states; default: those of this command.
    """

    name: ClassVar[str] = "report"
    entry: str | None = None
    command: str = ""
    program: str = ""

    def answer(self, module: ModuleOp) -> ReportAnswer:
        return NotebookReport(**vars(report_answer(Run.of(module, self.entry), self.command, self.program)))

    def text(self, answer: ReportAnswer) -> str:
        return page_of(answer)
