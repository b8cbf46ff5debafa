"""Names that would be tags, scripts or control sequences if they were written unescaped, and every page and drawing of
ours with such a name wherever it has a name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, cast, get_type_hints

import numpy as np

import ndpir
from interp.simulate.memory.history import Curve, History, Level
from ndpir.reports.answers.graphs.graph import graph_answer
from ndpir.reports.drawing.picture import document
from ndpir.reports.html.answer import ReportAnswer, report_answer
from ndpir.reports.html.page import framed_page, page_of
from ndpir.reports.memory_svg import memory_picture
from ndpir.reports.run import Run
from ndpir.sweep.drawing import effects_plot, pareto_plot
from ndpir.sweep.journal import Row
from ndpir.sweep.report import report_html

NAMES = (
    "<img src=x onerror=window.attacked=1>",
    '"><script>window.attacked=1</script>',
    "' onmouseover='window.attacked=1' x='",
    "</title></text></svg><svg onload=window.attacked=1>",
    "</script><script>window.attacked=1</script>",
    "</style><b>",
    "<!--<script>",
    "--><![CDATA[<b>]]>",
    "<a href=javascript:window.attacked=1>",
    "&lt;i&gt;&#60;b",
    "{0}{title}{",
    "\x1b[31m\x9b\u202eX\u2066\0\u2028",
)
WORDS = ("kind", "figures")
"""Fields that hold words of ours although their type is `str`."""
PROGRAM = "examples/mlp.mlir"


def renamed(value: Any, name: str) -> Any:
    """A copy of an answer with `name` added to every text in it, except those that are words of ours."""
    if isinstance(value, str):
        return f"{value}{name}"
    if isinstance(value, list | tuple):
        parts = [renamed(part, name) for part in cast("list[Any]", value)]
        return type(cast(Any, value))(parts)
    if isinstance(value, dict):
        pairs = cast("dict[Any, Any]", value).items()
        return {renamed(key, name): renamed(part, name) for key, part in pairs}
    if not is_dataclass(value) or isinstance(value, type):
        return value
    hints = get_type_hints(type(value))
    named = [each.name for each in fields(value) if "Literal" not in str(hints[each.name]) and each.name not in WORDS]
    return replace(value, **{each: renamed(getattr(value, each), name) for each in named})


@cache
def _report(path: str) -> ReportAnswer:
    module = ndpir.read(path)
    return report_answer(Run(ndpir.compile(module) if path == PROGRAM else module), "ndp-opt", path)


def _rows(name: str) -> list[Row]:
    """Results of a sweep with the name in every axis, value, figure and error."""
    points = [(index, f"{kind}{name}") for index in range(3) for kind in "ab"]
    return [
        Row(
            number,
            {f"axis{name}": kind, f"pim.x{name}": index},
            {"makespan_ns": 10.0 + number, "energy_nj": 5.0 - number, f"busy_ns.{name}": 1.0, f"word{name}": name},
            f"failed {name}" if number == 5 else "",
            0.1,
        )
        for number, (index, kind) in enumerate(points)
    ]


def _history(name: str) -> str:
    times = np.array([0.0, 5.0, 10.0])
    curve = Curve(times, np.array([0.0, 50.0, 100.0]))
    levels = (Level(f"gpu{name}", 100, curve), Level(f"host{name}", 1000, curve))
    return memory_picture(History(levels, {f"prefetched{name}": curve}, (), 10.0), f"@main{name}", f"policy {name}")


FRONT = ("makespan_ns", "energy_nj")
PAGES: Mapping[str, Callable[[str], str]] = {
    "report": lambda name: page_of(renamed(_report(PROGRAM), name)),
    "report of kernels": lambda name: page_of(renamed(_report("examples/gemv.pim.mlir"), name)),
    "report of moves": lambda name: page_of(renamed(_report("examples/residency.mlir"), name)),
    "frame of a notebook": lambda name: framed_page(renamed(_report(PROGRAM), name)),
    "report of a sweep": lambda name: report_html(f"{name}.sqlite", _rows(name), FRONT, "makespan_ns"),
}
"""Every HTML page that ndpir writes, by a function of the name."""
DRAWINGS: Mapping[str, Callable[[str], str]] = {
    "graph": lambda name: document(renamed(_report(PROGRAM).graph, name)),
    "graph of loops": lambda name: document(renamed(_loops(), name)),
    "memory": _history,
    "Pareto front": lambda name: pareto_plot(_rows(name), FRONT).file(),
    "effects": lambda name: effects_plot(_rows(name), "makespan_ns").file(),
}
"""Every SVG file that ndpir writes, by a function of the name."""


@cache
def _loops() -> Any:
    text = """func.func @main(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
      %y = graph.repeat %i = 0 to 5 (%a = %x) {
        %b = graph.relu %a : tensor<4x64xf32>
        graph.yield %b
      }
      func.return %y : tensor<4x64xf32>
    }"""
    return graph_answer(Run(ndpir.compile(ndpir.parse(text), machine="a100-newton")))
