"""Tests of AttAcc's channels: cycles and issued commands, including their order, equal those that its simulator
prints."""

from __future__ import annotations

import csv
import hashlib
from itertools import pairwise
from pathlib import Path

import pytest

from dialects.diagnostics import InputError
from dialects.pim import KernelOp
from interp.kinds.pim.timing.clock import kernel_time
from interp.kinds.pim.timing.requests.channel import Issued
from interp.kinds.pim.timing.requests.kernel import requests_of
from interp.kinds.pim.timing.requests.request import Request
from interp.kinds.pim.timing.requests.run import classes_of, run_requests
from interp.machine.records import Pim
from interp.machine.sheets import load_device
from ndpir.traces.reading import read_trace

DATA = Path(__file__).resolve().parents[2] / "data" / "attacc"
ROWS = list(csv.DictReader((DATA / "results.csv").open(encoding="utf-8")))


def sheet(name: str) -> Pim:
    record = load_device(name)
    assert isinstance(record, Pim)
    return record


def kernel_in(name: str, pim: Pim) -> KernelOp:
    file = DATA / "traces" / f"{name}.trace"
    return read_trace(file.read_text(encoding="utf-8"), pim, str(file))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["trace"])
def test_cycles_and_commands_equal_the_simulator_s(row: dict[str, str]):
    pim = sheet("attacc_ramulator" if row["refresh"] == "refresh" else "attacc_norefresh_ramulator")
    kernel = kernel_in(row["trace"], pim)
    log: list[Issued] = []
    time = run_requests(requests_of(kernel, pim), pim, log, logged=0)
    text = "\n".join(f"{at},{mnemonic},{bank}" for at, mnemonic, bank, _ in log)
    assert (time.cycles, len(log)) == (int(row["cycles"]), int(row["commands"]))
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == row["log_sha256_16"]


def test_kernel_time_uses_the_reordering_controller():
    pim = sheet("attacc_ramulator")
    assert kernel_time(kernel_in("t00_mac_ab_1", pim), pim).cycles == 20


@pytest.mark.parametrize(("name", "multiply"), [("attacc_ramulator", 6), ("attacc_npc_ramulator", 4)])
def test_power_limits_the_rate_of_multiplies(name: str, multiply: int):
    pim = sheet(name)
    mac = Request("mac", row=0, bank=0)
    one, many = (run_requests([mac._replace(times=times)], pim).cycles for times in (1, 11))
    assert (one, many - one) == (20, 10 * multiply)


def test_a_row_command_and_a_column_command_may_issue_in_one_cycle():
    pim = sheet("attacc_norefresh_ramulator")
    log: list[Issued] = []
    run_requests(requests_of(kernel_in("r1", pim), pim), pim, log)
    shared = {(first.mnemonic, second.mnemonic) for first, second in pairwise(log) if first.cycle == second.cycle}
    assert shared
    assert all(row.startswith(("ACT", "PREA")) != column.startswith(("ACT", "PREA")) for row, column in shared)
    rows = [line.cycle for line in log if line.mnemonic.startswith(("ACT", "PRE"))]
    assert len(set(rows)) == len(rows)


def test_a_barrier_delays_multiplies_but_not_activates():
    pim = sheet("attacc_norefresh_ramulator")
    log: list[Issued] = []
    load, mac = Request("load", bank=0), Request("mac", row=0, bank=0)
    run_requests([load, load, load, Request("barrier"), mac], pim, log)
    assert [line.mnemonic for line in log] == ["WRGB", "ACTAB", "WRGB", "WRGB", "MACAB"]


def test_commands_that_close_each_other_s_rows_endlessly_are_an_error():
    pim = sheet("attacc_norefresh_ramulator")
    same = [Request("mac", "same", 0, row, (0,), 4) for row in (0, 1)]
    with pytest.raises(InputError, match="never finishes"):
        run_requests(same, pim)


def test_channels_with_the_same_requests_are_simulated_once():
    load = Request("load", channels=(0, 1, 2, 3))
    assert classes_of([load], 6) == [(0, 1, 2, 3), (4, 5)]
    assert classes_of([load, load._replace(channels=(2, 3))], 6) == [(0, 1), (2, 3), (4, 5)]
    assert classes_of([load, load._replace(channels=(0, 3))], 4) == [
        (0,),
        (3,),
        (1, 2),
    ]  # channels 1 and 2 lie between 0 and 3


def test_requests_to_a_device_without_a_scheduler_are_an_error():
    with pytest.raises(InputError, match="states no `scheduler`"):
        run_requests([Request("mac", row=0)], sheet("newton"))


def test_the_sheet_decides_whether_row_and_column_commands_share_a_cycle():
    trace = DATA / "traces" / "k_bank_l256_h1.trace"
    cycles: dict[str, int] = {}
    all_distinct: dict[str, bool] = {}
    for setting in ("yes", "no"):
        pim = load_device("attacc_ramulator", {"scheduler.shares": setting})
        assert isinstance(pim, Pim)
        log: list[Issued] = []
        kernel = read_trace(trace.read_text(encoding="utf-8"), pim)
        cycles[setting] = run_requests(requests_of(kernel, pim), pim, log).cycles
        moments = [issued.cycle for issued in log]
        all_distinct[setting] = len(set(moments)) == len(moments)
    assert all_distinct == {"yes": False, "no": True}
    assert cycles["no"] > cycles["yes"]
