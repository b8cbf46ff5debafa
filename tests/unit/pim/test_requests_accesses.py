"""Tests of traces that mix ordinary accesses with commands to AiM's units: issued commands equal the simulator's,
including its flaws. Without ordinary accesses, times equal those of the clock that skips over loop iterations."""

from __future__ import annotations

import pytest

import ndpir
from dialects.diagnostics import InputError
from dialects.pim import KernelOp
from interp.kinds.pim.timing.clock import kernel_time
from interp.kinds.pim.timing.requests.channel import Issued
from interp.kinds.pim.timing.requests.kernel import has_host_accesses, requests_of
from interp.kinds.pim.timing.requests.run import run_requests
from interp.machine.records import Pim
from interp.machine.sheets import load_device
from ndpir.traces.reading import read_trace

# Trace, cycles and commands of channel 31, from arkhadem/aim_simulator (commit 0f28a07, MIT licence) with GDDR6.
RUNS = (
    ("AiM WR_SBK 0 1 0 0", 3, "1,ACT,0,0"),
    ("AiM RD_SBK 0 1 0 0", 3, "1,ACT,0,0"),
    ("W MEM 31 0 0", 3, "1,ACT,0,0"),
    ("AiM WR_SBK 0 1 0 0;AiM RD_SBK 0 1 0 0", 101, "1,ACT,0,0 29,WR,0,0 48,RD,0,0"),
    ("R MEM 31 0 0;R MEM 31 0 1", 92, "1,ACT,0,0 37,RD,0,0 55,PRE,0,1 90,ACT,0,1"),
    (
        "W MEM 31 0 0;AiM MAC_ABK 1 1 0;R MEM 31 0 0",
        201,
        "1,ACT,0,0 29,WR,0,0 90,ACT16,-1,0 146,MAC16,-1,0 148,RD,0,0",
    ),
)

UNITS = (
    "AiM WR_GB 64 0 1;AiM MAC_ABK 64 1 0;AiM RD_MAC 0 1",
    "AiM MAC_ABK 64 1 0;AiM MAC_ABK 64 2 0;AiM MAC_ABK 64 1 1",
    "AiM MAC_SBK 3 1 5 0;AiM MAC_ABK 2 1 0;AiM AF 1;AiM RD_AF 0 1;AiM EWMUL 4 3 0;AiM SYNC;AiM COPY_BKGB 2 1 3 7",
    "AiM WR_ABK 0 1 0;AiM MAC_ABK 500 0xffffffff 3;AiM WR_BIAS 0 1;AiM RD_MAC 0 0xffffffff",
)


def sheet(name: str) -> Pim:
    record = load_device(name)
    assert isinstance(record, Pim)
    return record


def trace(lines: str) -> str:
    return "\n".join([*lines.split(";"), "AiM EOC"]) + "\n"


@pytest.mark.parametrize(("lines", "cycles", "commands"), RUNS, ids=[run[0] for run in RUNS])
def test_accesses_take_the_simulator_s_cycles(lines: str, cycles: int, commands: str):
    pim = sheet("aim_ramulator")
    kernel = read_trace(trace(lines), pim, "t.trace")
    log: list[Issued] = []
    assert has_host_accesses(kernel, pim)
    assert run_requests(requests_of(kernel, pim), pim, log, logged=31).cycles == cycles
    assert " ".join(f"{at},{mnemonic},{bank},{row}" for at, mnemonic, bank, row in log) == commands
    assert kernel_time(kernel, pim).cycles == cycles


def test_a_command_with_different_rows_in_its_banks_is_an_error():
    rows = "\n".join(f"pim.act bank {bank} row {min(bank, 1)}" for bank in range(16))
    program = ndpir.parse(f"""
hw.device @pim = "aim_ramulator"
pim.kernel @k on @pim () -> (%y: memref<16xbf16>) {{
  {rows}
  pim.mac all columns 0 to 4
  pim.read bank 0 columns 0 to 1 to %y
}}
""")
    kernel = next(op for op in program.walk() if isinstance(op, KernelOp))
    assert has_host_accesses(kernel, sheet("aim_ramulator"))
    with pytest.raises(InputError, match="banks 0 and 1 have different rows selected"):
        kernel_time(kernel, sheet("aim_ramulator"))


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        (
            "[5]",
            "`address` must hold one constant and one factor for each of the 1 loops around the op, "
            "for instance array<i64: 0, 0>, not array<i64: 5>",
        ),
        ("array<i64: -1, 0>", "no bank of a channel has the address"),
    ],
)
def test_wrong_addresses_are_errors(address: str, sentence: str):
    program = ndpir.parse(f"""
hw.device @pim = "attacc_ramulator"
pim.kernel @k on @pim () -> (%y: memref<16xf16>) {{
  pim.act all row 3
  pim.for %i = 0 to 4 {{
    pim.mac all columns 0 to 1 {{address = {address}}}
  }}
}}
""")
    kernel = next(op for op in program.walk() if isinstance(op, KernelOp))
    with pytest.raises(InputError) as caught:
        kernel_time(kernel, sheet("attacc_ramulator"))
    assert sentence in caught.value.message


def test_a_waiting_write_serves_a_read_of_any_address():
    pim = sheet("aim_ramulator")
    lines = ";".join(f"{command} MEM 31 {bank} 0" for command in "WR" for bank in range(16))
    time = run_requests(requests_of(read_trace(trace(lines), pim, "t.trace"), pim), pim)
    assert (time.cycles, time.channels[31,]) == (113, {"ACT": 16, "WR": 16})


@pytest.mark.parametrize("lines", UNITS)
@pytest.mark.parametrize("name", ["aim_ramulator", "aim_lpddr5_ramulator"])
def test_without_accesses_both_clocks_agree(name: str, lines: str):
    pim = sheet(name)
    kernel = read_trace(trace(lines), pim, "t.trace")
    assert run_requests(requests_of(kernel, pim), pim).cycles == kernel_time(kernel, pim).cycles
