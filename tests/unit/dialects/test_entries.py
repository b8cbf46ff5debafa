"""Attributes whose text is a list of entries: each text reads back as itself; omitted entries have their defaults."""

from __future__ import annotations

import pytest
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from dialects.task import BaselineAttr, DecisionAttr, MemoryAttr, PlanAttr, PublishedAttr
from tests.programs import context

TEXTS = (
    '#task.baseline<ns = 2003.68, nj = 20040.612, flops = {gpu = 4, "my pim" = 128}, machine = "1f">',
    "#task.baseline<ns = 1.0, nj = 2.0, board = 3.0, oversized, bound = 0.5, in = \"f16\", types = \"f16; bf16\", "
    'ends = {gpu.launch = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}, flops = {}, machine = "">',
    '#task.plan<"cost", ns = 12.5, machine = "1f">',
    '#task.plan<"cost", ns = 12.5, bound = 11.0 "the busiest device", machine = "1f">',
    '#task.decision<"parallel", primary = 2000.0, away = 1500.0, beside = {"matmul" = 1200.0}, "it overlaps">',
    '#task.decision<"gpu", primary = 2000.0, away = 1.0e+30, "it is faster">',
    '#task.published<ns = 3.0, alone = 4.0, bound = 2.0, machine = "1f">',
    '#task.memory<"pump factor=80", mode = "copy", faults = true, reuse = false, runahead = 64, bound = 2.5 "why", '
    'ideal = 1.0, machine = "1f">',
)  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_reads_back_as_itself(text: str) -> None:
    found = Parser(context(), text).parse_attribute()
    assert isinstance(found, BaselineAttr | DecisionAttr | MemoryAttr | PlanAttr | PublishedAttr)
    assert str(found) == text


def test_omitted_entries_have_their_defaults() -> None:
    found = Parser(context(), TEXTS[0]).parse_attribute()
    assert found == BaselineAttr.of(2003.68, 20040.612, 20040.612, True, {"gpu": 4, "my pim": 128}, "1f")
    found = Parser(context(), TEXTS[2]).parse_attribute()
    assert found == PlanAttr.of("cost", 12.5, 0.0, "unknown", "1f")


def test_a_former_word_is_read() -> None:
    found = Parser(context(), '#task.decision<"gpu", home = 2.0, away = 3.0, "why">').parse_attribute()
    assert found == DecisionAttr.of("gpu", 2.0, 3.0, {}, "why")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('#task.plan<"cost", machine = "1f">', "ns"),
        ("#task.baseline<ns = 1.0, nj = 2.0, ends = {x = [1.0]}, flops = {}>", "six numbers, not 1"),
    ],
)
def test_a_missing_entry_is_an_error(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        Parser(context(), text).parse_attribute()
