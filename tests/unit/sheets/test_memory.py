"""Memory tiers of a device: their sheets, and the memory system that a machine's links and tiers form."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

import ndpir
from dialects.diagnostics import InputError
from interp.machine.composition import Machine, machine_ops
from interp.machine.memory_system import Bus, Faults, MemorySystem, Tier
from interp.machine.records import Ramp
from interp.machine.sheets import load_device, load_link


def system(machine: str, device: str | None = None) -> MemorySystem | None:
    return MemorySystem.of(Machine.of(ModuleOp(machine_ops(machine))), device)


def of_text(text: str, device: str | None = None) -> MemorySystem | None:
    return MemorySystem.of(Machine.of(ndpir.parse(text)), device)


def test_g10s_machine_has_the_figures_of_its_experiments() -> None:
    found = system("a100-g10")
    assert found is not None
    rate, host, ssd = 15.754e9, Tier("host", 128 << 30, 15.754e9, 15.754e9), Tier("ssd", 800 * 10**9, 3.2e9, 3.2e9)
    assert found.faults == Faults(4096, 4096, 4096, 45_000.0, inf, "none", "lru")
    assert found.allocation_ns == pytest.approx(4 / 1.2, rel=1e-3), "4 cycles of 1.2 GHz"
    assert replace(found, faults=None, allocation_ns=0.0) == MemorySystem(
        "gpu",
        40 << 30,
        (host, replace(ssd, in_ns=12_000.0, out_ns=16_000.0)),
        (Bus(rate, rate, 5000.0, into="host->gpu", out_of="gpu->host"),),
    )


@pytest.mark.parametrize(("machine", "capacity", "rate"), [("v100-uvm", 32e9, 12e9), ("a100-uvm", 40e9, 25e9)])
def test_unified_memory_has_a_tree_prefetcher(machine: str, capacity: float, rate: float) -> None:
    found = system(machine)
    assert found is not None
    assert (found.capacity, found.in_rate, found.out_rate) == (capacity, rate, rate)
    assert found.faults == Faults(4 << 10, 64 << 10, 2 << 20, 45_000.0, 5e9, "tree", "migrated", 51)
    assert [tier.name for tier in found.tiers] == ["host"]


def test_a_machine_without_memory_behind_a_link_has_no_memory_system() -> None:
    assert system("a100") is None
    assert system("pimflow") is None, "the PIM's channels are the GPU's"
    assert system("a100-g10", "gpu") is not None


def test_the_memory_of_other_devices_is_a_tier_as_far_as_it_is_free() -> None:
    """The rows of a PIM on the GPU's board, and the memory of an expander; each behind a bus of its own."""
    found = system("a100-aim")
    assert found is not None
    assert [(tier.name, tier.capacity, tier.lent) for tier in found.tiers] == [("pim", 16 << 30, True)]
    assert (found.dedicated, found.faults) == (None, None)
    machine = Machine.of(
        ndpir.parse(
            'hw.device @gpu = "v100_sxm2"\nhw.device @host = "host_managed"\nhw.device @ndp = "ndpx"\n'
            'hw.link @gpu to @host = "pcie3_copies"\nhw.link @gpu to @ndp = "expander_link"'
        )
    )
    both = MemorySystem.of(machine, held={"ndp": 1000, "gpu": 5})
    assert both is not None
    assert [(tier.name, tier.bus, tier.lent) for tier in both.tiers] == [("ndp", 1, True), ("host", 0, False)]
    assert both.tiers[0].capacity == machine.devices["ndp"].memory_bytes - 1000
    assert [bus.into for bus in both.buses] == ["host->gpu", "ndp->gpu"]
    assert both.dedicated == system("v100-uvm"), "page faults use the host alone"
    assert MemorySystem.of(machine, held={"ndp": machine.devices["ndp"].memory_bytes}) == both.dedicated


@pytest.mark.parametrize("link", ["same_memory", "at_controllers", "in_turns", "memory_bus"])
def test_memory_inside_the_devices_own_or_behind_a_half_duplex_link_is_no_tier(link: str) -> None:
    text = f'hw.device @gpu = "toy_gpu"\nhw.device @pim = "toy_pim"\nhw.link @gpu to @pim = "{link}"'
    assert of_text(text) is None


def test_the_rate_of_a_copy_grows_with_its_size() -> None:
    link = load_link("pcie3_copies")
    rates = [nbytes / link.moving_ns(nbytes) for nbytes in (4 << 10, 64 << 10, 2 << 20, 1 << 30)]
    assert rates == [pytest.approx(wanted, rel=0.01) for wanted in (2.17, 10.37, 11.95, 12.0)]
    assert link.moving_ns(0) == 0.0
    assert Ramp(1000).share(1000) == pytest.approx(0.5)
    assert load_link("pcie3").moving_ns(1575) == pytest.approx(100.0)


CHAIN = """
hw.device @gpu = "toy_gpu"
hw.device @host = "toy_host"
hw.device @ssd = "toy_ssd"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"
"""


def test_memory_behind_the_host_uses_the_hosts_link() -> None:
    chain = of_text(CHAIN + 'hw.link @gpu to @host = "toy_bus"\nhw.link @ssd to @host = "toy_link"')
    assert chain is not None
    chain = chain.dedicated
    assert chain is not None
    assert (chain.in_rate, chain.out_rate, [bus.latency_ns for bus in chain.buses]) == (10e9, 10e9, [0.0])
    assert chain.tier("ssd") == Tier("ssd", 10 * 10**9, 2e9, 1e9, 11_000.0, 21_000.0), "its own access, and toy_link"
    slow = of_text(
        CHAIN + 'hw.link @gpu to @host = "toy_bus" {bandwidth = "1.5 GB/s"}\nhw.link @ssd to @host = "toy_bus"'
    )
    assert slow is not None
    assert slow.dedicated is not None
    assert [(tier.in_rate, tier.out_rate) for tier in slow.dedicated.tiers] == [(1.5e9, 1.5e9), (1.5e9, 1e9)]


def test_memories_on_separate_links_do_not_share_bandwidth() -> None:
    apart = of_text(CHAIN + 'hw.link @gpu to @host = "toy_bus"\nhw.link @gpu to @ssd = "toy_bus"')
    assert apart is not None
    apart = apart.dedicated
    assert apart is not None
    assert [bus.in_rate for bus in apart.buses] == [10e9, 10e9]
    assert [(tier.in_rate, tier.bus) for tier in apart.tiers] == [(10e9, 0), (2e9, 1)]


def test_unsupported_links_are_rejected() -> None:
    with pytest.raises(InputError, match=r"toy_bus is half-duplex \(`duplex no`\)"):
        of_text(CHAIN + 'hw.link @gpu to @host = "toy_bus" {duplex = "no"}')


def test_memories_behind_the_same_first_link_share_its_bus() -> None:
    more = 'hw.device @far = "toy_host"\nhw.link @gpu to @host = "toy_bus"\nhw.link @gpu to @ssd = "toy_bus"\n'
    found = of_text(CHAIN + more + 'hw.link @host to @far = "toy_bus" {latency = "1 us"}')
    assert found is not None
    assert found.dedicated is not None
    assert {tier.name: tier.bus for tier in found.dedicated.tiers} == {"host": 0, "ssd": 1, "far": 0}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"paging.block": "6 KiB"}, "a block is whole pages of 4096 bytes, but 6144 bytes were met"),
        ({"paging.chunk": "192 KiB"}, "a chunk is a binary tree of blocks: 65536 bytes, twice that, four times that"),
        ({"paging.chunk": "4 KiB"}, "a chunk is a binary tree of blocks"),
        ({"paging.prefetcher": "trees"}, "`paging.prefetcher` must be one of tree, none, not `trees`"),
        ({"fault.service": "5 GB"}, r"an amount of memory was met, but a bandwidth \(in B/s, say\) is expected"),
        ({"memory": 0}, "0 B was met, but a number above 0 is expected"),
        ({"bandwidth": "5 GB/s"}, "there is no field `bandwidth`"),
    ],
)
def test_invalid_changes_are_rejected(change: dict[str, int | str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_device("host_managed", change)


def test_an_error_states_its_line(tmp_path: Path) -> None:
    sheet = tmp_path / "mine.sheet"
    sheet.write_text(
        'device mine : memory "Mine"\n  source "made up"\n  memory 8 GB\n'
        "  paging demand yes, page 4 KiB,\n         block 6 KiB\n"
    )
    with pytest.raises(InputError, match="a block is whole pages") as met:
        load_device(str(sheet))
    assert met.value.place == f"{sheet}:5:10"


def test_fault_settings_without_demand_paging_have_a_note(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    sheet = tmp_path / "mine.sheet"
    sheet.write_text('device mine : memory "Mine"\n  source "made up"\n  memory 8 GB\n  fault latency 45 us\n')
    load_device(str(sheet))
    output = capsys.readouterr().err
    assert "mine.sheet:4:9: note: `fault latency` has no effect: it applies to paging on demand" in output


def test_memory_is_no_primary_device_and_runs_no_ops() -> None:
    with pytest.raises(InputError, match="@host comes first, so its memory would hold arguments and results") as met:
        Machine.of(ndpir.parse('hw.device @host = "toy_host"\nhw.device @gpu = "toy_gpu"'))
    assert met.value.place is not None
    text = CHAIN + (
        'hw.link @gpu to @host = "toy_bus"\n'
        "func.func @main(%x: !task.on<@host, tensor<8xf32>>) -> !task.on<@host, tensor<8xf32>> {\n"
        "  %y = task.run @host (%a = %x) {\n    %b = graph.tanh %a : tensor<8xf32>\n    task.yield %b\n  }\n"
        "  func.return %y : !task.on<@host, tensor<8xf32>>\n}\n"
    )
    with pytest.raises(InputError, match=r"@host \(toy_host\) can't run graph.tanh: it holds values and runs nothing"):
        ndpir.simulate(ndpir.parse(text))


PROGRAM = """
func.func @main(%x: tensor<64x512xf32>, %w: tensor<512x512xf32>) -> tensor<64x512xf32> {
  %y = graph.matmul %x, %w : tensor<64x512xf32>, tensor<512x512xf32>
  %z = graph.softmax %y axis = 1 : tensor<64x512xf32>
  func.return %z : tensor<64x512xf32>
}
"""


@pytest.mark.parametrize("pipeline", ["place{effort=1}", "place", "optimal", "thorough", "place{policy=path}"])
def test_a_program_that_fits_is_placed_and_timed_as_without_tiers(
    pipeline: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pim = 'hw.device @pim = "toy_simd"\nhw.link @gpu to @pim = "toy_link"\n'
    behind = 'hw.device @host = "toy_host"\nhw.link @gpu to @host = "toy_bus"\nhw.device @ssd = "toy_ssd"\n'
    found = [
        ndpir.compile(ndpir.parse('hw.device @gpu = "toy_gpu"\n' + pim + tiers + PROGRAM), pipeline)
        for tiers in ("", behind + 'hw.link @host to @ssd = "toy_bus"\n')
    ]
    plain, tiered = (ndpir.simulate(module) for module in found)
    assert tiered.makespan_ns == plain.makespan_ns
    assert "@host" not in capsys.readouterr().err, "no message states that memory runs no ops"
    functions = [str(module)[str(module).index("func.func") :] for module in found]
    assert functions[0].partition("->")[0] == functions[1].partition("->")[0]
    assert functions[0].count("task.run @") == functions[1].count("task.run @")


@pytest.mark.parametrize("options", ["effort=1", "policy=optimal", "policy=path", "policy=greedy", "policy=gpu"])
def test_a_program_larger_than_the_primary_device_is_stored_behind_it(
    options: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """A program whose values exceed the primary device's memory is placed by each policy, and runs with host memory
    behind the GPU; no policy calls a solver for the memory limit."""
    weights = "".join(f'  %w{n} = graph.weight "{n}" = uniform(0, 1, {n}) : tensor<512x512xf32>\n' for n in range(4))
    products = "".join(
        f"  %x{n + 1} = graph.matmul %x{n}, %w{n} : tensor<8x512xf32>, tensor<512x512xf32>\n" for n in range(4)
    )
    text = (
        'hw.device @gpu = "toy_gpu" {memory = "3 MB"}\nhw.device @host = "toy_host"\n'
        'hw.link @gpu to @host = "toy_bus"\nhw.device @pim = "toy_simd"\nhw.link @gpu to @pim = "toy_link"\n'
        f"func.func @main(%x0: tensor<8x512xf32>) -> tensor<8x512xf32> {{\n{weights}{products}  func.return %x4 : "
        "tensor<8x512xf32>\n}"
    )
    module = ndpir.compile(ndpir.parse(text), f"place{{{options}}}")
    assert ndpir.simulate(module).makespan_ns > 0
    assert "linear_solver" not in capfd.readouterr().err
