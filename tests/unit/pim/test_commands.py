"""Tests of `-t commands`: logs equal those of the published simulators, and all forms contain the same commands."""

from __future__ import annotations

import csv
import hashlib
import json
from io import StringIO
from pathlib import Path

import pytest

from ndpir.cli.opt import main

DATA = Path(__file__).parents[2] / "data"
AIM = [
    row
    for row in csv.DictReader((DATA / "aim" / "results.csv").open(encoding="utf-8"))
    if row["command_count"] != "0"  # channel 31 takes part
]
ATTACC = list(csv.DictReader((DATA / "attacc" / "results.csv").open(encoding="utf-8")))
AIM_SHEETS = {"gddr6": "aim_ramulator", "lpddr5": "aim_lpddr5_ramulator"}


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main([str(argument) for argument in arguments]) == 0
    return capfd.readouterr().out


def logged(capfd: pytest.CaptureFixture[str], file: Path, machine: str, channel: int, columns: str) -> str:
    """The output of `-t commands` for a channel of the program in `file`, in the form of a published log: the given
    columns, separated by commas."""
    target = f"commands{{ramulator channel={channel} columns={columns}}}"
    return run(capfd, str(file), "--machine", machine, "-t", target).replace(", ", ",").rstrip("\n")


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@pytest.mark.parametrize("log", sorted((DATA / "aim" / "commands").glob("*.csv")), ids=lambda log: log.stem)
def test_command_traces_equal_the_logs_of_aim_s_simulator(log: Path, capfd: pytest.CaptureFixture[str]) -> None:
    trace, config = log.stem.split(".")
    header, _, theirs = log.read_text(encoding="utf-8").partition("\n")
    ours = logged(capfd, DATA / "aim" / "traces" / f"{trace}.trace", AIM_SHEETS[config], 31, header)
    assert ours == theirs.rstrip("\n")


@pytest.mark.slow
@pytest.mark.parametrize("row", AIM, ids=lambda row: f"{row['trace']}-{row['config']}")
def test_command_traces_have_the_digests_of_aim_s_simulator(
    row: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    file = DATA / "aim" / "traces" / row["trace"]
    text = logged(capfd, file, AIM_SHEETS[row["config"]], 31, "cycle,command,bank,row")
    assert digest(text) == row["command_log_sha256_16"]


@pytest.mark.parametrize("row", [row for row in ATTACC if row["trace"] in ("r2", "t04_wrgb_mac", "r6")], ids=str)
def test_command_traces_have_the_digests_of_attacc_s_simulator(
    row: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    machine = "attacc_ramulator" if row["refresh"] == "refresh" else "attacc_norefresh_ramulator"
    text = logged(capfd, DATA / "attacc" / "traces" / f"{row['trace']}.trace", machine, 0, "cycle,command,bank")
    assert digest(text) == row["log_sha256_16"]


def test_the_command_trace_equals_the_log_of_newton_s_simulator(capfd: pytest.CaptureFixture[str]) -> None:
    rows = csv.DictReader((DATA / "newton" / "p09_tiles16.commands.csv").open(encoding="utf-8"))
    theirs = [f"{row['cycle']},{row['command']}" for row in rows]
    ours = logged(capfd, DATA / "newton" / "p09_tiles16.trace", "newton_pimflow", 0, "cycle,command")
    assert ours.splitlines() == theirs


X2 = str(DATA / "aim" / "traces" / "x2_loops.trace")
WINDOW = "from=100 to=400 channel=31"


def test_forms_contain_the_same_commands(capfd: pytest.CaptureFixture[str]) -> None:
    def target(form: str) -> str:
        return run(capfd, X2, "--machine", "aim_ramulator", "-t", f"commands{{{form} {WINDOW}}}")

    rows = list(csv.DictReader(StringIO(target("csv"))))
    (kernel,) = json.loads(target("json"))["answer"]["kernels"]
    table = [line.split() for line in target("").splitlines()[1:]]
    trace = [line.split(", ") for line in target("ramulator").splitlines()]
    slices = [event for event in json.loads(target("perfetto"))["traceEvents"] if event["ph"] == "X"]
    bus = sorted((event["args"]["cycle"], event["name"]) for event in slices if event["tid"] == 1)
    cycles = [int(row["cycle"]) for row in rows]
    assert cycles
    assert all(100 <= cycle < 400 for cycle in cycles)
    assert [command["cycle"] for command in kernel["commands"]] == cycles
    assert [int(line[2]) for line in table] == cycles
    assert [int(line[0]) for line in trace] == cycles
    assert bus == sorted((int(row["cycle"]), row["command"]) for row in rows)
    assert kernel["complete"]
    assert (kernel["from_cycle"], kernel["to_cycle"]) == (100, 400)


@pytest.mark.parametrize(
    ("trace", "machine"),
    [("attacc/traces/r6.trace", "attacc_ramulator"), ("aim/traces/x4_host.trace", "aim_ramulator")],
)
def test_a_window_of_reordered_commands_is_a_part_of_the_log(
    trace: str, machine: str, capfd: pytest.CaptureFixture[str]
) -> None:
    def lines(options: str) -> list[str]:
        return run(capfd, str(DATA / trace), "--machine", machine, "-t", f"commands{{csv{options}}}").splitlines()

    header, *whole = lines("")
    cycles = [int(line.split(",")[1]) for line in whole]
    first, end = cycles[len(cycles) // 3], cycles[len(cycles) // 2]
    window = [line for line, cycle in zip(whole, cycles, strict=True) if first <= cycle < end]
    assert window
    assert lines(f" from={first} to={end}") == [header, *window]


def test_waits_add_up_to_those_of_the_banks_target(capfd: pytest.CaptureFixture[str]) -> None:
    sums: dict[str, int] = {}
    for row in csv.DictReader(StringIO(run(capfd, X2, "--machine", "aim_ramulator", "-t", "commands{csv}"))):
        sums[row["waits_for"]] = sums.get(row["waits_for"], 0) + int(row["wait"])
    lines = run(capfd, X2, "--machine", "aim_ramulator", "-t", "banks").split("\n\n")[1].splitlines()[1:]
    shown = {" ".join(line.split()[1:-3]): int(line.split()[-3]) for line in lines}
    assert sums == {cause: cycles for cause, cycles in shown.items() if cause not in ("decoder", "last data")}


def test_a_row_is_a_slice_of_its_bank_s_track(capfd: pytest.CaptureFixture[str]) -> None:
    trace = json.loads(run(capfd, "examples/gemv.pim.mlir", "-t", "commands{perfetto}"))
    names = [event["args"]["name"] for event in trace["traceEvents"] if event["ph"] == "M" and "name" in event["args"]]
    assert names == ["gemv, @pim channel 0", "command bus", "banks 0 to 1"]
    rows = [event for event in trace["traceEvents"] if event.get("cat") == "row"]
    assert [(event["name"], event["args"]) for event in rows] == [
        ("row 0", {"from": 5, "to": 105}),
        ("row 1", {"from": 115, "to": 215}),
        ("row 2", {"from": 225, "to": 325}),
    ]
