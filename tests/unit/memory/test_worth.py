"""Tests of the summary's estimates for a program that waits for memory: the time that it would take if one number of
the memory system were twice as good."""

from __future__ import annotations

import pytest

import ndpir
from dialects.task import MemoryAttr
from interp.simulate.memory.residence import Residence
from interp.simulate.simulation import simulate
from lowering.banks.templates import clock_for
from lowering.memory.prefetch import PrefetchPass
from lowering.memory.worth import ParameterEffect, parameter_effects, planner_of

MACHINE = """
hw.device @gpu = "toy_gpu" {memory = "1 MB"}
hw.device @host = "toy_host"
hw.device @ssd = "toy_ssd"
hw.link @gpu to @host = "toy_bus"
hw.link @host to @ssd = "pcie3_x4"
"""


def chain(layers: int = 6) -> str:
    """A chain of matmuls whose weights have 262 kB each."""
    kind = "tensor<256x256xf32>"
    lines = ["func.func @main(%x0: tensor<8x256xf32>) -> tensor<8x256xf32> {"]
    for n in range(layers):
        lines.append(f'  %w{n} = graph.weight "w{n}" = uniform(-1, 1, {n}) : {kind}')
        lines.append(f"  %x{n + 1} = graph.matmul %x{n}, %w{n} : tensor<8x256xf32>, {kind}")
    return "\n".join([*lines, f"  func.return %x{layers} : tensor<8x256xf32>\n}}"])


def found(pipeline: str, machine: str = MACHINE) -> tuple[Residence, dict[str, ParameterEffect]]:
    module = ndpir.compile(ndpir.parse(machine + chain()), pipeline)
    clock = clock_for(module)
    residence = simulate(module, clock).residence
    assert residence is not None
    return residence, {worth.name: worth for worth in parameter_effects(module, residence, clock)}


def test_demand_paging_gains_from_a_larger_memory_and_a_faster_fault_service() -> None:
    residence, worth = found("place")
    assert set(worth) == {
        "gpu.memory", "host.memory", "host.fault.service", "host.fault.latency", "ssd.memory", "ssd.read", "ssd.write",
        "toy_bus.bandwidth", "pcie3_x4.bandwidth",
    }  # fmt: skip
    assert not any(each.replanned for each in worth.values())
    assert worth["gpu.memory"].ns == pytest.approx(residence.ideal_ns), "2 MB hold all weights, so nothing waits"
    assert (worth["gpu.memory"].stated, worth["gpu.memory"].other) == ("1 MB", "2 MB")
    latency = worth["host.fault.latency"].ns
    assert latency is not None
    assert residence.ideal_ns < latency < residence.makespan_ns
    assert worth["ssd.read"].ns == residence.makespan_ns, "no tensor is on the SSD"
    assert next(iter(worth)) == "gpu.memory", "the largest improvement must come first"


@pytest.mark.parametrize("policy", ["pump factor=60", "lookahead degree=2", "plan", "plan mode=move"])
def test_a_policy_replans_for_each_changed_number(policy: str) -> None:
    residence, worth = found(f"place,prefetch{{policy={policy}}}")
    assert all(each.replanned for each in worth.values())
    assert worth["gpu.memory"].ns == pytest.approx(residence.ideal_ns, rel=0.2), "2 MB hold all weights"
    if "plan" not in policy:  # a plan may use the SSD
        assert worth["ssd.read"].ns == residence.makespan_ns, "no tensor is on the SSD"
    assert next(iter(worth)) == "gpu.memory"
    assert (worth["toy_bus.bandwidth"].ns or 0) < residence.makespan_ns


def test_each_change_of_a_program_that_just_fits_has_a_time() -> None:
    _, worth = found("place", MACHINE.replace('"toy_host"', '"toy_host" {memory = "1.4 MB"}'))
    assert all(each.ns is not None for each in worth.values())


@pytest.mark.parametrize("planner", [PrefetchPass(policy="pump", factor=60, reuse=False), PrefetchPass(mode="move")])
def test_a_note_on_moves_holds_the_options_of_their_planner(planner: PrefetchPass) -> None:
    note = {"pump": "pump factor=60 reuse=false", "plan": "plan mode=move"}[planner.policy]
    assert planner_of(MemoryAttr.of(note)) == planner
    assert planner_of(MemoryAttr.of("by hand")) is None
    assert planner_of(MemoryAttr.of("plan depth=3")) is None
