"""Law of ndpir's own pipelines: each ends no later than the primary device alone, and no later than the same pipeline
without conversion of types."""

from __future__ import annotations

from random import Random

import pytest

import ndpir
from dialects.diagnostics import notes_to
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
