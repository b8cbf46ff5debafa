"""The times of many variants of a device at once equal those of each variant alone, to the last cycle."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import InputError, notes_to
from interp.kinds.pim.program import Issue, Repeat, Slot, Step
from interp.kinds.pim.timing.clock import channel_time
from interp.kinds.pim.timing.controller_managed.clock import DECODER, run_stream
from interp.kinds.pim.timing.streams import stream_of
from interp.kinds.pim.timing.variants.by_controller import stream_times
from interp.kinds.pim.timing.variants.by_program import channel_times
from interp.machine.records import Pim
from interp.machine.sheets.files import load_device
from interp.machine.sheets.varied import varied
from interp.machine.variants import PimVariants
from tests.laws.banks.test_clock import programs
from tests.laws.banks.test_managed_clock import BEHIND, FAR, kernel_of, kernel_text, lines, machines
from tests.laws.banks.test_managed_clock import programs as controlled_programs
from tests.pim_sheets import timings

COUNT = 7


def spread_out(pim: Pim, seed: int, count: int = COUNT, spread: int = 12) -> list[Pim]:
    """Variants of a device: each number of its timing differs in half of them."""
    draw = random.Random(seed)

    def near(number: int, least: int = 0) -> int:
        return max(least, number + draw.choice((0, draw.randint(-spread, spread))))

    return [
        replace(
            pim,
            constraints=tuple(replace(each, cycles=near(each.cycles)) for each in pim.constraints),
            refresh=pim.refresh and replace(pim.refresh, interval=near(pim.refresh.interval, 2)),
            verbs={
                name: replace(
                    verb,
                    forms={
                        scope: replace(form, latency=near(form.latency) if form.latency else 0)
                        for scope, form in verb.forms.items()
                    },
                )
                for name, verb in pim.verbs.items()
            },
            command_cycles=near(pim.command_cycles, 1) if draw.random() < 0.2 else pim.command_cycles,
            end_cycles=near(pim.end_cycles),
        )
        for _ in range(count)
    ]


def same_as_alone(steps: tuple[Step, ...], pims: list[Pim]) -> int:
    """Compares the times of variants with those of each alone; returns the number of those left to the scalar clock."""
    times = channel_times(steps, PimVariants.of(pims), True)
    for at, pim in enumerate(pims):
        try:
            alone = channel_time(steps, pim)
        except InputError:
            assert times.left[at]
            continue
        if times.left[at]:
            continue
        slots = {slot: int(each if isinstance(each, int) else each[at]) for slot, each in times.slots.items()}
        waits = {verb: int(each[at]) for verb, each in times.waits.items()}
        assert int(times.cycles[at]) == alone.cycles
        assert {slot: count for slot, count in slots.items() if count} == alone.slots
        assert {verb: wait for verb, wait in waits.items() if wait} == alone.waits
    return int(times.left.sum())


def same_streams_as_alone(body: str, pims: list[Pim]) -> int:
    """Compares the times of a kernel behind controllers in variants with those of each variant alone; returns the
    number of those left to the scalar clock."""
    kernel = kernel_of(kernel_text(body))
    stream = stream_of(kernel, pims[0])
    times = stream_times(stream, PimVariants.of(pims), True)
    for at, pim in enumerate(pims):
        try:
            alone = run_stream(stream, pim)
        except InputError:
            assert times.left[at]
            continue
        if times.left[at]:
            continue
        assert int(times.cycles[at]) == alone.cycles
        for many, one in zip(times.classes, alone.classes, strict=True):
            counts = {slot: int(count[at]) for slot, count in many.counts.items()}
            waits = {verb: int(each[at]) for verb, each in many.waits.items()}
            assert {slot: count for slot, count in counts.items() if count} == one.counts
            assert {verb: wait for verb, wait in waits.items() if wait} == {
                verb: wait for verb, wait in one.waits.items() if verb != DECODER
            }
    return int(times.left.sum())


@given(controlled_programs(), machines(decoded=False), st.integers(0, 1 << 20))
def test_variants_behind_controllers(body: str, pim: Pim, seed: int) -> None:
    same_streams_as_alone(body, spread_out(pim, seed))


@given(st.booleans(), st.integers(20, 80), st.integers(0, 1 << 20), st.data())
def test_variants_whose_refreshes_fall_into_loops(regions: bool, times: int, seed: int, data: st.DataObject) -> None:
    body = "\n".join(data.draw(st.lists(lines(regions), min_size=1, max_size=4)))
    body = f"pim.for {FAR} = 0 to {times} {{\n{body}\n}}" + (BEHIND if regions else "")
    same_streams_as_alone(body, spread_out(data.draw(machines(False, refreshed=True, longest=4)), seed, spread=3))


@given(programs(1500), timings(), st.integers(0, 1 << 20))
def test_variants_of_programs_that_open_rows(steps: tuple[Step, ...], pim: Pim, seed: int) -> None:
    same_as_alone(steps, spread_out(pim, seed))


@given(programs(60), programs(60), st.integers(1, 30), timings(refreshed=True), st.integers(0, 1 << 20))
def test_variants_whose_rows_are_opened_again(
    opening: tuple[Step, ...], body: tuple[Step, ...], times: int, pim: Pim, seed: int
) -> None:
    steps = (Issue(Slot("act")), *opening, Repeat(times, (*body, Issue(Slot("mac"), 2))))
    same_as_alone(steps, spread_out(pim, seed))


def of_sheet(name: str, changes: dict[str, int | float | str]) -> Pim:
    pim = load_device(name, changes)
    assert isinstance(pim, Pim)
    return pim


ROW = (Issue(Slot("act")), Issue(Slot("mac"), 64), Issue(Slot("pre")))


def test_refreshes_that_leave_no_time_are_left_to_the_clock_for_one_device() -> None:
    """Between tRFC and tRFC + tRCD, an interval leaves time for a refresh and an activate, but for no multiply."""
    pims = [of_sheet("attacc", {"tRFC": "350 cycles", "tREFI": f"{cycles} cycles"}) for cycles in range(340, 440, 10)]
    times = channel_times((Repeat(10, ROW),), PimVariants.of(pims), False)
    assert 0 < times.left.sum() < len(pims)
    assert same_as_alone((Repeat(10, ROW),), pims) == times.left.sum()


def test_variants_with_different_periods_skip_their_own_iterations() -> None:
    """Positions that a variant remembers are not those of iterations that others skipped meanwhile."""
    pims = [
        replace(each, refresh=refresh and replace(refresh, interval=interval))
        for cycles in (3, 7, 11, 13)
        for interval in (997, 5070)
        for each in [of_sheet("attacc", {"tRCD": f"{cycles} cycles", "tFAW": f"{5 * cycles} cycles"})]
        for refresh in [each.refresh]
    ]
    banks = tuple(Issue(Slot("act", "bank", bank)) for bank in range(7))
    assert not same_as_alone((Repeat(500, (*banks, *ROW[1:], Issue(Slot("load"), 3))),), pims)


def test_commands_without_a_row_keep_the_open_rows_of_each_variant() -> None:
    """In some variants, a refresh closes the row before a drain, in others after it."""
    pims = [of_sheet("aim", {"tREFI": f"{cycles} cycles"}) for cycles in range(700, 780, 5)]
    body = "\n".join(
        (
            "pim.for %i = 0 to 40 {",
            "pim.act all row 3",
            "pim.mac all columns 0 to 4",
            "pim.drain all to %y",
            "pim.mac all columns 0 to 4",
            "pim.load %x",
            "}",
        )
    )
    assert not same_streams_as_alone(body, pims)


@given(st.sampled_from(("newton", "newton_pimflow", "aim", "hbm_pim", "attacc", "aim_lpddr5")), st.integers(0, 1 << 20))
def test_sheets_with_many_values_state_the_numbers_of_each(name: str, seed: int) -> None:
    """Timing constraints, latencies and refresh intervals of variants equal those of a sheet with each value alone."""
    draw, pim = random.Random(seed), of_sheet(name, {})
    fields = draw.sample(list(pim.timing), 4)
    values = {
        field: [f"{max(0, pim.timing[field] + draw.randint(-9, 9))} cycles" for _ in range(4)] for field in fields
    }
    with notes_to(lambda message, place: None):
        found, refused = varied(pim, name, {}, values, ModuleOp([]))
        for at in range(4):
            try:
                alone = of_sheet(name, {field: each[at] for field, each in values.items()})
            except InputError:
                assert refused[at]
                continue
            one = found.one(at)
            assert not refused[at]
            assert (one.constraints, one.refresh) == (alone.constraints, alone.refresh)
            assert one.end_cycles == alone.end_cycles
            assert {verb: each.forms for verb, each in one.verbs.items()} == {
                verb: each.forms for verb, each in alone.verbs.items()
            }
            assert found.idle_w[at] == alone.idle_w
