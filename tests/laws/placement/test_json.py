"""Laws of answers: JSON contains an answer without loss, and its sums are those that the text shows."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interp.figures import energy, time
from ndpir.reports.document import Document, document_of_answer
from ndpir.reports.run import Run
from ndpir.reports.summary import SummaryAnswer, summary_answer, summary_text
from ndpir.reports.timeline import TimelineAnswer, TimelineTarget, timeline_answer
from tests.amount import cases
from tests.laws.placement.deciding import WHOLE
from tests.laws.placement.test_policies import THREE, graphs, placed
from tests.table_clock import TableClock


def read(text: str, kind: Any) -> Any:
    """The answer in a document; null in place of a number is an error."""
    return msgspec.json.decode(text, type=Document[kind]).answer


@pytest.mark.slow
@given(graphs(), THREE, st.sampled_from(WHOLE))
@settings(max_examples=cases(30))
def test_sums_in_json_are_those_of_the_text(text: str, clock: TableClock, policy: str) -> None:
    run = Run(placed(text, clock, policy), clock=clock)
    timeline, summary = timeline_answer(run), summary_answer(run, depends=False)
    document = document_of_answer("timeline", timeline)
    again, summary_again = read(document, TimelineAnswer), read(document_of_answer("summary", summary), SummaryAnswer)
    assert again == timeline
    assert summary_again == summary
    shown = TimelineTarget().text(timeline)
    assert TimelineTarget().text(again) == shown
    assert summary_text(summary_again) == summary_text(summary)

    answer = json.loads(document)["answer"]
    rows = [row for row in answer["rows"] if row["kind"] in ("task", "copy")]
    spent = sum(row["energy_nj"] * row["times"] for row in rows)
    spent += sum(each["idle_nj"] or 0.0 for each in answer["resources"])
    assert spent == pytest.approx(answer["totals"]["energy_nj"], rel=1e-9)
    assert f"energy    {energy(answer['totals']['energy_nj'])} " in shown
    makespan = max((row["end_ns"] for row in answer["rows"]), default=0.0)
    assert makespan == answer["totals"]["makespan_ns"]
    assert f"makespan  {time(makespan)}\n" in shown
    copied = sum(row["bytes"] * row["times"] for row in rows if row["kind"] == "copy")
    assert copied == answer["totals"]["bytes_copied"]
