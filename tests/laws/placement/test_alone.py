"""Law of baselines: a plan on the primary device alone, after any list of passes, is never faster than that device
alone at its best."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

import ndpir
from dialects.diagnostics import notes_to
from lowering.graph.kinds import KINDS
from ndpir.reports.run import Run
from ndpir.reports.summary import Comparison, summary_answer
from tests.amount import EXAMPLES, cases
from tests.laws.graph.programs import F16, F32, programs
from tests.laws.memory.beside import PARTS, drawn, short_memory

EXAMPLES_DIR = Path(__file__).parents[3] / "examples"
SMALL = ("mlp.mlir", "encoder_layer.mlir", "models/mlp_step.mlir", "models/scan_step.mlir")
"""Example programs that compile in less than a second; larger ones are drawn with NDPIR_EXAMPLES=60 or more."""
LARGE = tuple(
    str(path.relative_to(EXAMPLES_DIR))
    for folder in ("models", "models/steps")
    for path in sorted((EXAMPLES_DIR / folder).iterdir())
    if path.suffix in (".onnx", ".mlir")
)
MACHINES = ("a100", "a100-newton", "rtx4090-newton", "h100-aim", "v100-ndpx", "cpu-pim", "t4")
SHARES = ("0.5", "0.25", "0.9", "0.97", "0.3", "0.25,0.25,0.25")


def a_pass(random: Random) -> str:
    """A random pass that keeps a program on graph level, as after `-p`."""
    match random.choice(("inline", "canonicalize", "fuse", "fuse", "layout", "types", "split", "chain")):
        case "fuse":
            off = [f"{word}=false" for word in ("recognize", "group", "residual", "join") if random.random() < 0.2]
            attention = ["attention=true"] if random.random() < 0.5 else []
            without = [f"without={random.choice(list(KINDS))}"] if random.random() < 0.3 else []
            return f"fuse{{{' '.join([*off, *attention, *without])}}}"
        case "types":
            target = random.choice(("auto", "f16", "bf16", "keep"))
            return f"reduce-precision{{to={target} scope={random.choice(('all', 'weights'))}}}"
        case "split":
            where = random.choice(("", "axis=0", "axis=-1", "op=conv", "op=matmul", "op=softmax", "op=add"))
            return f"split{{{where} at={random.choice(SHARES)}}}"
        case "chain":
            return f"chain{{axis={random.choice((0, 1, 2))} stages={random.choice((2, 3))}}}"
        case name:
            return name


def passes(random: Random) -> str:
    """A random list of passes that ends with all ops on processors."""
    steps = [a_pass(random) for _ in range(random.randint(0, 5))]
    return ",".join([*steps, random.choice(("place{policy=gpu}", "place{policy=gpu},order"))])


def compared(program: ModuleOp, machine: str, steps: str) -> Comparison | None:
    """The comparison of a plan with the primary device alone; None if a pass can't process the program."""
    with notes_to(lambda message, place: None):
        try:
            compiled = ndpir.compile(program, steps, machine=machine)
        except ndpir.InputError:  # an axis that an op does not have, for instance
            return None
        return summary_answer(Run(compiled)).comparison


def check(program: ModuleOp, machine: str, steps: str) -> None:
    found = compared(program, machine, steps)
    assert found is None or found.speed_up <= 1 + 1e-6, (machine, steps, found.form)


@pytest.mark.slow
@given(st.sampled_from((F16, F32)).flatmap(programs), st.sampled_from(MACHINES), st.integers(0, 1 << 30))
def test_random_programs(program: ModuleOp, machine: str, seed: int) -> None:
    check(program, machine, passes(Random(seed)))


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE if EXAMPLES >= 60 else SMALL)
def test_example_programs(name: str) -> None:
    random = Random(name)
    program = ndpir.read(EXAMPLES_DIR / name, batch=2 if "dynbatch" in name else None)
    for _ in range(cases(10)):
        check(program, random.choice(MACHINES), passes(random))


GROUPED = ("", "fuse,", "fuse,layout,", "fuse{residual=false},layout,")
PLACED = ("place{policy=gpu},", "place{policy=optimal},", "place{effort=1},order,")
RECOMPUTED = ("", "recompute,", "recompute{mode=move},")
MOVED = ("", "{mode=copy}", "{mode=move}", "{policy=pump}", "{policy=lookahead}")


@pytest.mark.slow
@settings(max_examples=cases(10))
@given(
    st.integers(0, 199),
    st.sampled_from(PARTS),
    *map(st.sampled_from, (GROUPED, PLACED, RECOMPUTED, MOVED)),
)
def test_programs_larger_than_memory(
    seed: int, part: float, grouped: str, placed: str, recomputed: str, moved: str
) -> None:
    """Programs with planned moves. No planner finds the best moves for every order and grouping, so that a plan may be
    faster than the baseline by some per cent; in 71 random ones, the largest speed-up was 1.009x. Two kinds of plans
    are left out, which the baseline does not try: splits, with which parts of a weight are moved while others are used,
    and values that the program computes twice."""
    program = drawn(seed, "ndp")
    if (memory := short_memory(program, part)) is None or not (program.faults or "policy" not in moved):
        return
    steps = f"canonicalize,{grouped}{placed}{recomputed}prefetch{moved}"
    with notes_to(lambda message, place: None):
        try:
            compiled = ndpir.compile(ndpir.parse(program.text(memory, alone=True)), steps)
            found = summary_answer(Run(compiled)).comparison
        except ndpir.InputError:  # a plan of moves that needs a larger memory
            return
    assert found is None or found.speed_up <= 1.03, (steps, found.form)
