"""Tests of a machine's digest, which a baseline stores to identify its machine: the digest depends on the numbers of
sheets, not on their text. Also tests of printing and parsing baselines and plans."""

from __future__ import annotations

from dataclasses import replace

import pytest
from xdsl.parser import Parser

from dialects.task import BaselineAttr, PlanAttr
from interp.machine.composition import Machine
from interp.machine.sheets import load_device, load_link
from lowering.machine.digest import digest
from tests.programs import context

GPU, PIM, LINK = load_device("toy_gpu", {}), load_device("toy_pim", {}), load_link("toy_link", {})
MACHINE = Machine({"gpu": GPU, "pim": PIM}, {("gpu", "pim"): LINK})


def test_the_digest_ignores_names_and_descriptions() -> None:
    renamed = replace(
        PIM, description="other words", sources={"rows": "somewhere else"}, file="/else/where.sheet", name="my"
    )
    assert digest(Machine({"gpu": GPU, "pim": renamed}, MACHINE.links)) == digest(MACHINE)


def test_the_digest_covers_numbers_and_the_order_of_devices() -> None:
    for changed in (
        Machine({"gpu": GPU, "pim": load_device("toy_pim", {"timing.tRCD": 11})}, MACHINE.links),
        Machine({"gpu": load_device("toy_gpu", {"launch": 2}), "pim": PIM}, MACHINE.links),
        Machine(MACHINE.devices, {("gpu", "pim"): load_link("toy_link", {"latency": 2})}),
        Machine({"pim": PIM, "gpu": GPU}, MACHINE.links),
    ):
        assert digest(changed) != digest(MACHINE)


@pytest.mark.parametrize(
    "text",
    [
        '#task.baseline<ns = 2003.68, nj = 20040.612, flops = {gpu = 4, pim = 128}, machine = "1f2e3d4c">',
        '#task.baseline<ns = 1.0e+20, nj = 0.0, oversized, flops = {}, machine = "">',
        '#task.baseline<ns = 3.0, nj = 3.0, in = "f16", types = "f16; bf16", flops = {}, machine = "0">',
        '#task.baseline<ns = 1.5e-07, nj = 3.0, flops = {"my gpu" = 4}, machine = "0">',
    ],
)
def test_the_text_of_a_baseline_parses_to_the_same(text: str) -> None:
    attribute = Parser(context(), text).parse_attribute()
    assert isinstance(attribute, BaselineAttr)
    assert str(attribute) == text


@pytest.mark.parametrize(
    "text",
    [
        '#task.plan<"optimal", ns = 1003.4, bound = 1003.4 "load of gpu", machine = "1f2e3d4c">',
        '#task.plan<"priority devices=pim,gpu", ns = 1.0e+20, bound = 1.5e-07 "longest chain", machine = "">',
        '#task.plan<"optimal effort=3", ns = 0.0, machine = "0">',
    ],
)
def test_the_text_of_a_plan_parses_to_the_same(text: str) -> None:
    attribute = Parser(context(), text).parse_attribute()
    assert isinstance(attribute, PlanAttr)
    assert str(attribute) == text


def test_the_digest_covers_memory_channels() -> None:
    link = load_link("toy_link", {"arbitration": "partitioned"})
    few, more = (load_device("toy_gpu", {"channels": channels}) for channels in (2, 4))
    machines = [Machine.joined({"gpu": gpu, "pim": PIM}, {("gpu", "pim"): link}) for gpu in (few, more)]
    assert digest(machines[0]) != digest(machines[1])
    assert digest(machines[0]) != digest(Machine.joined({"gpu": few, "pim": PIM}, MACHINE.links))
    assert digest(machines[0].unpartitioned) == digest(machines[0])
