"""Tests of the mapping search: its programs are never slower than AiM's hand-written dataflows or PIMFlow's generated
programs."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import pytest

from interp.kinds.pim.timing.clock import kernel_time
from interp.machine.records import Pim
from interp.machine.sheets import load_device
from lowering.banks.products.estimate import estimated_ns
from lowering.banks.products.kernel import kernel_of
from lowering.banks.products.mapping import Product, mapping_of, mappings, plan_of
from lowering.banks.products.search import FoundMapping, planned, search

DATA = Path(__file__).parents[2] / "data"
DROPPED = {(480, 1, 1, 20)}
"""Layers of which PIMFlow's generator drops a part: it divides 30 columns into 8 parts of 3."""


def rows_of(name: str) -> list[dict[str, str]]:
    with (DATA / name).open() as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def device(name: str, **changes: int) -> Pim:
    sheet = load_device(name, changes)
    assert isinstance(sheet, Pim)
    return sheet


def found(product: Product, pim: Pim) -> FoundMapping:
    plan = search(product, pim)
    assert isinstance(plan, FoundMapping), plan
    return plan


@pytest.mark.slow
@pytest.mark.parametrize(("sheet", "column"), [("newton_pimflow", "hiding"), ("newton_plus_pimflow", "plain")])
def test_mappings_are_never_slower_than_pimflow_s(sheet: str, column: str) -> None:
    """The test covers every convolution of PIMFlow's five networks, in its simulator's timing variant. The mean ratio
    of cycles must be below 0.87."""
    pim, ratios = device(sheet), list[float]()
    for row in rows_of("pimflow_layers.csv"):
        c, h, w, m, kh, kw, ph, pw, stride = (int(row[name]) for name in list(row)[:9])
        pixels = ((h - kh + 2 * ph) // stride + 1) * ((w - kw + 2 * pw) // stride + 1)
        cycles = found(Product(1, pixels, m, c * kh * kw, "f16"), pim).time.cycles
        if (c, h, w, m) not in DROPPED:
            assert cycles <= int(row[column]), row
            ratios.append(cycles / int(row[column]))
    assert sum(ratios) / len(ratios) < 0.87


@pytest.mark.parametrize("row", rows_of("aim_gemv.csv"), ids=lambda row: "x".join(list(row.values())[:3]))
def test_mappings_are_never_slower_than_hand_written_dataflows(row: dict[str, str]) -> None:
    outputs, inputs, channels = (int(row[name]) for name in ("outputs", "inputs", "channels"))
    cycles = found(Product(1, 1, outputs, inputs, "bf16"), device("aim_ramulator", channels=channels)).time.cycles
    assert cycles <= min(int(row[name]) for name in ("tile", "chunk") if row[name])


PRODUCTS = ((1, 49, 100, 160), (1, 1, 700, 1300), (2, 3, 40, 70), (12, 1, 64, 256))
LARGE = ((1, 784, 32, 4608), (1, 1, 1000, 1280), (32, 4, 128, 512))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sheet", "products"),
    [
        ("newton", PRODUCTS + LARGE),
        ("newton_plus", PRODUCTS + LARGE),
        ("newton_pimflow", PRODUCTS + LARGE),
        ("aim", PRODUCTS[1:]),
        ("aim_ramulator", LARGE[1:]),
        ("hbm_pim", PRODUCTS[2:]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_search_finds_a_mapping_within_1_percent_of_the_fastest(
    sheet: str, products: Sequence[tuple[int, int, int, int]]
) -> None:
    """The search times only the mappings with the best estimates; it must miss the fastest of all by at most 1 %."""
    pim = device(sheet)
    for sizes in products:
        product = Product(*sizes, pim.element)
        times = {mapping: kernel_time(kernel_of(mapping, pim), pim) for mapping in mappings(product, pim)}
        best = min(time.ns for mapping, time in times.items() if mapping.survives(pim, time.cycles))
        assert found(product, pim).time.ns <= 1.01 * best, sizes


@pytest.mark.parametrize("sheet", ["newton", "aim", "hbm_pim", "attacc_bg", "newton_plus_pimflow"])
def test_a_noted_plan_is_read_as_its_mapping(sheet: str) -> None:
    """For each mapping that the search may choose, the plan in which a task notes the mapping is read as the same
    mapping."""
    pim = device(sheet, channels=4)
    sizes = (*PRODUCTS, (7, 9, 33, 1000), (1, 20, 500, 3))
    products = [Product(*each, pim.element, written=written) for each in sizes for written in (False, True)]
    tried = [(product, mapping) for product in products for mapping in mappings(product, pim)]
    assert len(tried) > 50
    for product, mapping in tried:
        if mapping.rows_needed() <= pim.rows:
            assert mapping_of(plan_of(mapping, pim), product, pim) == mapping


def test_a_noted_plan_and_the_search_share_a_kernel() -> None:
    """Equal mappings share one kernel, whether they come from the search or from a note."""
    pim = device("newton")
    chosen = found(Product(1, 1, 700, 1300, "f16"), pim)
    from_note = planned(chosen.mapping.product, pim, plan_of(chosen.mapping, pim))
    assert isinstance(from_note, FoundMapping)
    assert from_note.kernel is chosen.kernel


def test_a_plan_lists_all_timed_candidates() -> None:
    """The list starts with the chosen mapping; the other candidates follow in the order of their times."""
    plan = found(Product(1, 1, 700, 1300, "f16"), device("newton"))
    first, *others = plan.candidates
    assert first.ns == plan.time.ns
    assert first.exact
    assert others
    assert len({candidate.name for candidate in plan.candidates}) == len(plan.candidates)
    assert [each.ns for each in others if each.exact == others[-1].exact] == sorted(
        each.ns for each in others if each.exact == others[-1].exact
    )


@pytest.mark.parametrize("sheet", ["newton", "aim"])
def test_the_estimate_is_within_25_percent(sheet: str) -> None:
    """Without refresh, and with little overlap of commands, the estimate is close to the exact time."""
    pim = device(sheet, channels=1)
    product = Product(1, 1, 64, 512, pim.element)
    for mapping in mappings(product, pim):
        assert estimated_ns(mapping, pim) == pytest.approx(kernel_time(kernel_of(mapping, pim), pim).ns, rel=0.25)
