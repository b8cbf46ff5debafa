"""Laws of lower bounds on the times of bank programs, from their times under other timing constraints."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from interp.machine.records import Pim
from interp.machine.sheets import load_device
from lowering.banks.products import bounds
from lowering.banks.products.bounds import least_cycles, note_cycles
from lowering.banks.products.mapping import Mapping, Product, mappings
from lowering.banks.products.paths import cycles_on_path
from lowering.banks.products.search import FoundMapping, in_order, least_ns, search, time_of
from lowering.banks.products.traversal import written_for
from tests.amount import cases

SHEETS = ["newton", "aim", "hbm_pim", "toy_pim"]
SIZES = [(1, 1, 64, 256), (1, 6, 40, 48), (1, 3, 96, 200), (2, 4, 20, 64), (1, 49, 16, 18)]
"""Sizes of products: batch, vectors, outputs, inner."""


PARAMETERS = ["tCCD", "tCCDS", "tCCDL", "tRCD", "tRP", "tRCDRD"]


def variants(sheet: str, draw: random.Random) -> Iterator[Pim]:
    """Timing variants of a device: one to three constraints change in equal steps, so that the bounds extrapolate; the
    last variant has other values of all constraints."""
    pim = load_device(sheet, {"channels": 2})
    assert isinstance(pim, Pim)
    pim = in_order(pim.banks_alone)
    changed = draw.sample(range(len(pim.constraints)), min(len(pim.constraints), draw.randint(1, 3)))
    steps = {at: draw.randint(0, 4) for at in changed}
    for number in (0, 1, 2, 5, 9):
        yield with_gaps(pim, {at: pim.constraints[at].cycles + number * step for at, step in steps.items()})
    yield with_gaps(pim, {at: draw.randint(0, 40) for at in range(len(pim.constraints))})


def with_gaps(pim: Pim, cycles: dict[int, int]) -> Pim:
    """The device with other cycles of some constraints, by index."""
    changed = [replace(each, cycles=cycles.get(at, each.cycles)) for at, each in enumerate(pim.constraints)]
    return replace(pim, constraints=tuple(changed)).banks_alone


@pytest.mark.parametrize("sheet", SHEETS)
def test_no_program_is_faster_than_its_bound(sheet: str) -> None:
    """Bounds are exact where the same commands determine the time for all values of the constraints, which is the
    case for some."""
    draw, exact, used = random.Random(sheet), 0, 0
    for _ in range(cases(40)):
        bounds.forget()
        devices = list(variants(sheet, draw))
        product = Product(*draw.choice(SIZES), devices[0].element)
        tried: list[Mapping] = list(mappings(product, written_for(devices[0])))
        for mapping in draw.sample(tried, min(4, len(tried))):
            for pim in devices:
                if written_for(pim) is not written_for(devices[0]):
                    continue  # other constraints change the program
                least, time = least_cycles(mapping, pim), time_of(mapping, pim)
                assert least <= time.cycles
                exact, used = exact + (least == time.cycles), used + (least > 0)
                note_cycles(mapping, pim, time.cycles)
    assert used
    assert exact


@pytest.mark.parametrize("sheet", ["newton", "aim", "toy_pim"])
def test_no_program_is_faster_than_the_path_through_its_commands(sheet: str) -> None:
    """With refreshes, too. Where nothing but the commands of the path determines the time, the bound is close to it."""
    draw, closest = random.Random(sheet), 0.0
    for _ in range(cases(60)):
        stated = load_device(sheet, {"channels": draw.choice((1, 2, 3))})
        assert isinstance(stated, Pim)
        some = {at: draw.randint(0, 40) for at in range(len(stated.constraints)) if draw.random() < 0.3}
        refreshed = with_gaps(stated, some)
        product = Product(
            *draw.choice(SIZES), refreshed.element, bias="bias" in refreshed.verbs and draw.random() < 0.3
        )
        for pim in (refreshed, in_order(refreshed)):
            for mapping in draw.sample(tried := list(mappings(product, written_for(pim))), min(4, len(tried))):
                least, time = cycles_on_path(mapping, pim), time_of(mapping, pim)
                assert least <= time.cycles
                closest = max(closest, least / time.cycles)
            found = search(product, pim)
            assert isinstance(found, str) or least_ns(product, pim) <= found.time.ns
    assert closest > 0.9


@pytest.mark.parametrize("sheet", SHEETS[:3])
def test_the_search_finds_the_same_with_and_without_bounds(sheet: str) -> None:
    draw = random.Random(sheet)
    for _ in range(cases(15)):
        stated = device(sheet)
        field = draw.choice([name for name in PARAMETERS if name in stated.timing])
        product, seen = Product(*draw.choice(SIZES), stated.element), list[FoundMapping | str]()
        values = [3, 4, 5, 9, 14, 15, 30]
        for each_alone in (True, False):
            for value in values:
                if each_alone:
                    bounds.forget()
                search.cache_clear()
                seen.append(search(product, device(sheet, **{field: f"{value} cycles"})))
        for one, other in zip(seen[: len(values)], seen[len(values) :], strict=True):
            assert isinstance(one, FoundMapping)
            assert isinstance(other, FoundMapping)
            assert (one.mapping, one.time, one.candidates) == (other.mapping, other.time, other.candidates)


def device(sheet: str, **changes: str) -> Pim:
    """A device of four channels with other values of some timing parameters."""
    pim = load_device(sheet, {"channels": 4, **changes})
    assert isinstance(pim, Pim)
    return pim.banks_alone
