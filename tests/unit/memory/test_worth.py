"""The time that a program which waits for memory takes with each fact of the memory system twice as good."""

from __future__ import annotations

import pytest

import ndpir
from dialects.task import MemoryAttr
from interp.memory.residence import Residence
from interp.schedule.simulation import simulate
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
    """Products with weights of 262 kB."""
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


def test_the_driver_is_helped_by_what_holds_faults_back() -> None:
    residence, worth = found("place")
    assert set(worth) == {
        "gpu.memory", "host.memory", "host.fault.service", "host.fault.latency", "ssd.memory", "ssd.read", "ssd.write",
        "toy_bus.bandwidth", "pcie3_x4.bandwidth",
    }  # fmt: skip
    assert not any(each.replanned for each in worth.values())
    assert worth["gpu.memory"].ns == pytest.approx(residence.ideal_ns), "2 MB hold all weights"
    assert (worth["gpu.memory"].stated, worth["gpu.memory"].other) == ("1 MB", "2 MB")
    latency = worth["host.fault.latency"].ns
    assert latency is not None
    assert residence.ideal_ns < latency < residence.makespan_ns
    assert worth["ssd.read"].ns == residence.makespan_ns, "nothing lies there"
    assert next(iter(worth)) == "gpu.memory", "what helps most comes first"


@pytest.mark.parametrize("policy", ["pump factor=60", "lookahead degree=2", "plan", "plan mode=move"])
def test_a_policy_plans_anew(policy: str) -> None:
    residence, worth = found(f"place,prefetch{{policy={policy}}}")
    assert all(each.replanned for each in worth.values())
    assert worth["gpu.memory"].ns == pytest.approx(residence.ideal_ns, rel=0.2), "2 MB hold all weights"
    if "plan" not in policy:  # a plan may put something there
        assert worth["ssd.read"].ns == residence.makespan_ns, "nothing lies there"
    assert next(iter(worth)) == "gpu.memory"
    assert (worth["toy_bus.bandwidth"].ns or 0) < residence.makespan_ns


def test_what_can_not_run_has_no_time() -> None:
    _, worth = found("place", MACHINE.replace('"toy_host"', '"toy_host" {memory = "1.4 MB"}'))
    assert all(each.ns is not None for each in worth.values())


@pytest.mark.parametrize("planner", [PrefetchPass(policy="pump", factor=60, reuse=False), PrefetchPass(mode="move")])
def test_a_note_says_how_its_moves_were_planned(planner: PrefetchPass) -> None:
    told = {"pump": "pump factor=60 reuse=false", "plan": "plan mode=move"}[planner.policy]
    assert planner_of(MemoryAttr.of(told)) == planner
    assert planner_of(MemoryAttr.of("by hand")) is None
    assert planner_of(MemoryAttr.of("plan depth=3")) is None
