"""Law of the policy `optimal`: with each effort, a program ends no later than by any other policy, on machines with
PIMs and with near-data units."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

import ndpir
from dialects.diagnostics import InputError, notes_to
from interp.machine.composition import Machine
from lowering.instance.options import EFFORTS
from lowering.optimise.policies import POLICIES
from ndpir.compiler.compilation import Request, Variants
from ndpir.registry.names import Registry
from ndpir.reports.run import Run
from tests.amount import cases
from tests.laws.placement.test_never_slower import network

MACHINES = ("a100-newton", "pimflow", "toy", "v100-ndpx", "v100-matndp", "toy-ndp")
LAYERS = """
func.func @main(%x: tensor<1x32x14x14xf16>) -> tensor<1x32x14x14xf16> {{
  %v = graph.weight "v" = uniform(-1.0, 1.0, 1) : tensor<{mid}x32x1x1xf16>
  %w = graph.weight "w" = uniform(-1.0, 1.0, 2) : tensor<32x{mid}x1x1xf16>
  %a = graph.conv %x, %v : tensor<1x32x14x14xf16>, tensor<{mid}x32x1x1xf16>
  %b = graph.relu %a : tensor<1x{mid}x14x14xf16>
  %c = graph.conv %b, %w : tensor<1x{mid}x14x14xf16>, tensor<32x{mid}x1x1xf16>
  %d = graph.add %c, %x : tensor<1x32x14x14xf16>
  func.return %d : tensor<1x32x14x14xf16>
}}
"""
"""Layers that PIMFlow splits and pipelines."""


def rules(machine: Machine) -> Iterator[str]:
    """The passes that place by each policy but `optimal`, with options that state what it needs."""
    for name in POLICIES:
        if name == "priority":
            yield from (f"place{{policy=priority devices={device}}}" for device in machine.devices)
        else:
            yield f"place{{policy={name}}}"
    yield "place{policy=pimflow}"


def check(text: str, machine: str) -> None:
    registry = Registry()
    registry.discover()
    with notes_to(lambda message, place: None):
        variants = Variants(ndpir.parse(text), registry)

        def ns(place: str) -> float | None:
            try:
                return Run(variants.compiled(Request(f"choose-form,{place}", machine))).timeline.makespan_ns
            except InputError:  # policies of near-data units on other machines
                return None

        least = Run(variants.compiled(Request("choose-form,place", machine))).clock.machine
        ruled = {place: found for place in rules(least) if (found := ns(place)) is not None}
        for effort in EFFORTS:
            found = ns(f"place{{effort={effort}}}")
            assert found is not None
            for place, rule in ruled.items():
                assert found <= rule * (1 + 1e-9), f"effort {effort} on {machine}, but {place}, of\n{text}"


@pytest.mark.slow
@pytest.mark.parametrize("machine", MACHINES)
def test_no_effort_ends_later_than_a_policy(machine: str) -> None:
    random = Random(11)
    for _ in range(cases(4)):
        check(network(random), machine)


@pytest.mark.parametrize("machine", ["pimflow", "a100-newton", "toy-ndp"])
def test_no_effort_ends_later_than_pimflow(machine: str) -> None:
    check(LAYERS.format(mid=64), machine)
