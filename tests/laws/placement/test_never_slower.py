"""Law of ndpir's own pipelines: each ends no later than the primary device alone, and no later than the same pipeline
without conversion of types. And of the policy `optimal`: with each effort, a program ends no later than by any other
policy, on machines with PIMs and with near-data units."""

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
from ndpir.reports.summary import summary_answer
from tests.amount import cases

MACHINES = ("a100-newton", "h100-aim", "h100-hbm_pim", "rtx4090-newton", "pimflow", "cpu-pim", "v100-ndpx", "toy")
PIPELINES = ("offload", "optimal", "thorough")
WIDTHS = (64, 256, 1024, 2048)


def network(random: Random) -> str:
    """A random network of products by weights, products of values, norms and element-wise ops, with shortcuts."""
    element, rows = random.choice(("f32", "f16", "bf16")), random.choice((1, 4, 64))
    lines: list[str] = []
    values = {"%x": random.choice(WIDTHS)}

    def type_of(*shape: int) -> str:
        return f"tensor<{'x'.join(map(str, shape))}x{element}>"

    for number in range(random.randint(2, 7)):
        name, width = random.choice(list(values.items()))
        here, new = type_of(rows, width), f"%v{number}"
        match random.choice(("weight", "weight", "relu", "softmax", "add", "attention")):
            case "weight":
                made = random.choice(WIDTHS)
                weight = f'graph.weight "w{number}" = uniform(-0.1, 0.1, {number})'
                lines.append(f"%w{number} = {weight} : {type_of(width, made)}")
                lines.append(f"{new} = graph.matmul {name}, %w{number} : {here}, {type_of(width, made)}")
            case "attention":
                made, scores = width, type_of(rows, rows)
                lines.append(f"%s{number} = graph.matmul {name}, {name} transpose_b : {here}, {here}")
                lines.append(f"%p{number} = graph.softmax %s{number} axis = 1 : {scores}")
                lines.append(f"{new} = graph.matmul %p{number}, {name} : {scores}, {here}")
            case "add":
                made = width
                other = random.choice([each for each, size in values.items() if size == width])
                lines.append(f"{new} = graph.add {name}, {other} : {here}, {here}")
            case kind:
                made = width
                lines.append(f"{new} = graph.{kind} {name}{' axis = 1' if kind == 'softmax' else ''} : {here}")
        values[new] = made
    name, width = list(values.items())[-1]
    body = "\n  ".join(lines)
    first, last = type_of(rows, values["%x"]), type_of(rows, width)
    return f"func.func @main(%x: {first}) -> {last} {{\n  {body}\n  func.return {name} : {last}\n}}"


@pytest.mark.slow
def test_no_pipeline_makes_a_program_slower() -> None:
    random, registry = Random(7), Registry()
    registry.discover()
    for _ in range(cases(20)):
        text, machine = network(random), random.choice(MACHINES)
        with notes_to(lambda message, place: None):
            variants = Variants(ndpir.parse(text), registry)
            for pipeline in PIPELINES:
                run = Run(variants.compiled(Request(pipeline, machine)))
                compared = summary_answer(run, depends=False).comparison
                kept = Run(variants.compiled(Request(pipeline, machine, keep_types=True))).timeline.makespan_ns
                assert compared is not None
                assert compared.speed_up >= 1 - 1e-6, f"{pipeline} on {machine} of\n{text}"
                assert run.timeline.makespan_ns <= kept * (1 + 1e-6), f"{pipeline} on {machine} of\n{text}"


RULED = ("a100-newton", "pimflow", "toy", "v100-ndpx", "v100-matndp", "toy-ndp")
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


def rules_on(machine: Machine) -> Iterator[str]:
    """The passes that place by each policy but `optimal`, with options that state what it needs."""
    for name in POLICIES:
        if name == "priority":
            yield from (f"place{{policy=priority devices={device}}}" for device in machine.devices)
        else:
            yield f"place{{policy={name}}}"
    yield "place{policy=pimflow}"


def check_efforts(text: str, machine: str) -> None:
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
        ruled = {place: found for place in rules_on(least) if (found := ns(place)) is not None}
        near_data = "place{policy=overlap}" in ruled  # elsewhere, the least effort tries no other rules
        for effort in EFFORTS if near_data else EFFORTS[1:]:
            found = ns(f"place{{effort={effort}}}")
            assert found is not None
            for place, rule in ruled.items():
                assert found <= rule * (1 + 1e-9), f"effort {effort} on {machine}, but {place}, of\n{text}"


@pytest.mark.slow
@pytest.mark.parametrize("machine", RULED)
def test_no_effort_ends_later_than_a_policy(machine: str) -> None:
    random = Random(11)
    for _ in range(cases(4)):
        check_efforts(network(random), machine)


@pytest.mark.parametrize("machine", ["pimflow", "a100-newton", "toy-ndp"])
def test_no_effort_ends_later_than_pimflow(machine: str) -> None:
    check_efforts(LAYERS.format(mid=64), machine)
