"""The page of a report: its figures are those of the answers, and it refers to nothing outside of itself."""

from __future__ import annotations

import json
import re
from functools import cache
from html.parser import HTMLParser
from typing import Any

import pytest

import ndpir
from interp.figures import energy, time
from ndpir.cli.opt import main
from ndpir.reports.html.answer import ReportAnswer, report_answer
from ndpir.reports.html.page import page_of
from ndpir.reports.run import Run

MLP = "examples/mlp.mlir"
LOOP = """
func.func @main(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %y = graph.repeat %i = 0 to 5 (%a = %x) {
    %b = graph.relu %a : tensor<4x64xf32>
    graph.yield %b
  }
  func.return %y : tensor<4x64xf32>
}
"""


@cache
def answer() -> ReportAnswer:
    return report_answer(Run(ndpir.compile(ndpir.read(MLP))), "ndp-opt a <b> & c", MLP)


class Elements(HTMLParser):
    """A parser of a page that records the names of the elements that are still open, and the attributes and ids of all
    elements."""

    VOID = frozenset({"meta", "input"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(name, value or "") for name, value in attrs]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def data(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_elements_are_closed_and_nothing_is_loaded() -> None:
    elements = Elements()
    elements.feed(page_of(answer()))
    elements.close()
    assert elements.open == []
    assert len(set(elements.ids)) == len(elements.ids)
    assert not [value for name, value in elements.attributes if name in ("src", "href") and not value.startswith("#")]
    labels = {value for name, value in elements.attributes if name in ("aria-labelledby", "aria-describedby")}
    assert labels <= set(elements.ids)


def test_figures_are_those_of_the_summary() -> None:
    page, summary = page_of(answer()), answer().summary
    assert f"<dd>{time(summary.totals.makespan_ns)}<small>" in page
    assert f"<dd>{energy(summary.totals.energy_nj)}<small>" in page
    assert summary.comparison is not None
    assert f"<dd>{summary.comparison.speed_up:.2f}x<small>" in page
    assert "ndp-opt a &lt;b&gt; &amp; c" in page


def test_data_are_the_rows_of_the_timeline() -> None:
    found, rows = data(page_of(answer())), answer().rows
    columns = found["rows"]
    assert {len(column) for column in columns.values()} == {len(rows)}
    assert [found["names"][number] for number in columns["name"]] == [row.name for row in rows]
    assert [found["tracks"][number]["label"] for number in columns["track"]] == [row.on for row in rows]
    assert all(abs(ns - row.start_ns) <= 5e-4 for ns, row in zip(columns["start"], rows, strict=True))
    assert columns["bytes"] == [row.bytes for row in rows]
    assert found["makespan_ns"] == answer().summary.totals.makespan_ns
    assert all(cause < len(rows) for cause in columns["cause"])


def test_text_in_the_data_cannot_end_the_script() -> None:
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = graph.relu %x : tensor<4xf32> loc("</script>")
      func.return %y : tensor<4xf32>
    }"""
    module = ndpir.compile(ndpir.parse(text), machine="a100-newton")
    page = page_of(report_answer(Run(module)))
    assert data(page)["places"] == ["</script>"]


def test_a_loop_has_rows_of_its_first_iteration() -> None:
    module = ndpir.compile(ndpir.parse(LOOP), machine="a100-newton")
    found = report_answer(Run(module))
    assert len(found.rows) == len(found.waits)
    loops = [index for index, row in enumerate(found.rows) if row.kind == "loop"]
    assert loops
    assert found.rows[loops[0] + 1].times == 5
    assert abs(sum(part.share for part in found.chain_shares) - 1) < 1e-9
    assert "relu" in page_of(found)


def test_a_program_of_kernels_has_a_report() -> None:
    module = ndpir.read("examples/gemv.pim.mlir")
    page = page_of(report_answer(Run(module)))
    assert "Where PIM cycles go" in page


def test_a_program_larger_than_its_memory_shows_moves() -> None:
    module = ndpir.read("examples/residency.mlir")
    found = report_answer(Run(module))
    assert found.occupancy.moved_bytes
    assert abs(sum(part.ns for part in found.chain_shares) - found.summary.totals.makespan_ns) < 1e-3
    assert "Moved between memories" in page_of(found)


def test_the_command_is_that_of_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([MLP, "-p", "offload", "-t", "report"]) == 0
    assert "ndp-opt examples/mlp.mlir -p offload -t report" in capsys.readouterr().out


def test_equal_parts_of_the_graph_are_drawn_once() -> None:
    layers = "\n".join(
        f"""  %a{i} = graph.relu %y{i} : tensor<64x64xf32>
  %b{i} = graph.matmul %a{i}, %x : tensor<64x64xf32>, tensor<64x64xf32>
  %c{i} = graph.exp %b{i} : tensor<64x64xf32>
  %y{i + 1} = graph.add %c{i}, %x : tensor<64x64xf32>"""
        for i in range(7)
    )
    text = f"""func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {{
  %y0 = graph.tanh %x : tensor<64x64xf32>
{layers}
  func.return %y7 : tensor<64x64xf32>
}}"""
    found = report_answer(Run(ndpir.compile(ndpir.parse(text), "", machine="a100-newton")))
    graph = found.graph
    assert [(node.name, node.ops) for node in graph.nodes if node.kind == "task"] == [
        ("tanh", 1), ("relu", 7), ("matmul", 7), ("exp", 7), ("add", 7)
    ]  # fmt: skip
    assert sum(node.ns or 0.0 for node in graph.nodes) == pytest.approx(found.summary.totals.makespan_ns)
    assert "7 equal parts" in page_of(found)
