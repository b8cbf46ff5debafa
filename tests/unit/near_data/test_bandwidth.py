"""The bandwidth of an expander's memory: which work and copies share it, and what depends on it."""

from __future__ import annotations

import pytest

import ndpir
from interp.kinds.clock import Clock
from interp.machine.composition import Machine
from interp.simulate.schedule.arbitration import rules_of

SHAPE = "tensor<1048576xf32>"
FMA = (
    f"func.func @main(%x: {SHAPE}, %y: {SHAPE}, %z: {SHAPE}) -> {SHAPE} {{\n"
    f"  %r = graph.fused (%a = %x, %b = %y, %c = %z) {{\n    %0 = graph.mul %a, %b : {SHAPE}\n"
    f"    %1 = graph.add %0, %c : {SHAPE}\n    graph.yield %1\n  }}\n  func.return %r : {SHAPE}\n}}"
)
BETWEEN = (
    'hw.device @gpu = "v100_sxm2"\nhw.device @one = "ndpx"\nhw.device @two = "ndpx" {bandwidth = "225 GB/s"}\n'
    'hw.link @gpu to @one = "expander_link"\nhw.link @one to @two = "expander_link"\n'
)


def machine(text: str = "", name: str | None = None) -> Machine:
    return Machine.of(ndpir.compile(ndpir.parse(text), "", machine=name))


def test_units_and_copies_share_the_memory_of_an_expander() -> None:
    found = rules_of(machine(name="v100-ndpx")).bandwidths
    assert found == {name: {"ndp": pytest.approx(409.6)} for name in ("ndp", "gpu->ndp", "ndp->gpu")}


def test_units_in_the_memory_of_a_gpu_share_its_bandwidth_or_run_alone() -> None:
    found = rules_of(machine(name="v100-matndp")).bandwidths
    assert found == {name: {"gpu": 900.0} for name in ("gpu", "ndp", "gpu->ndp", "ndp->gpu")}
    assert rules_of(machine(name="v100-ndp_turns")).bandwidths == {}
    assert rules_of(machine(name="a100-newton")).bandwidths == {}


def test_a_copy_between_two_expanders_draws_on_both_memories() -> None:
    both = machine(BETWEEN)
    found = rules_of(both).bandwidths
    assert found["one->two"] == {"one": pytest.approx(409.6), "two": pytest.approx(225)}
    assert found["gpu->one"].keys() == {"one"}
    assert "gpu" not in found


@pytest.mark.parametrize(
    ("bandwidth", "ns", "bound"), [(60.5, 10.0, "link"), (225.0, 10.0, "link"), (10.0, 60.5, "memory")]
)
def test_no_copy_is_faster_than_the_memory(bandwidth: float, ns: float, bound: str) -> None:
    text = (
        f'hw.device @gpu = "v100_sxm2"\nhw.device @ndp = "ndpx" {{bandwidth = "{bandwidth} GB/s"}}\n'
        'hw.link @gpu to @ndp = "expander_link" {latency = 0, bandwidth = "60.5 GB/s"}\n'
    )
    cost = Clock(machine(text)).copy_cost(605, "gpu", "ndp")
    assert (cost.ns, cost.bound) == (pytest.approx(ns), bound)


@pytest.mark.parametrize("passes", ["", ",to-ndp,forward-stores,number-values"], ids=["task", "program"])
def test_the_summary_states_what_depends_on_the_bandwidth(passes: str) -> None:
    placed = ndpir.compile(ndpir.parse(FMA), f"place{{policy=pim-first}}{passes}", machine="v100-ndpx")
    lines = [line for line in ndpir.write(placed, "summary").splitlines() if "ndpx.bandwidth" in line]
    assert len(lines) == 1
    assert "225" in lines[0]
    assert "900" in lines[0]


def test_time_and_energy_follow_the_bandwidth() -> None:
    """A slower memory takes longer; its bytes cost the same energy, and idle power adds to it for longer."""
    found = [
        ndpir.simulate(
            ndpir.compile(
                ndpir.parse(FMA),
                "place{policy=pim-first}",
                machine="v100-ndpx",
                settings=[f"ndpx.bandwidth={bandwidth}GB/s"],
            )
        )
        for bandwidth in (900, 409.6, 225)
    ]
    times = [each.makespan_ns for each in found]
    assert times == sorted(times)
    assert times[0] < times[-1]
    assert len({round(sum(each.energy_nj.values()), 3) for each in found}) == 1
    assert [each.total_energy_nj for each in found] == sorted(each.total_energy_nj for each in found)
    assert found[0].total_energy_nj < found[-1].total_energy_nj
