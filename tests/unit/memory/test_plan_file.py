"""Tests of plan files: moves in ndpir's text form, and in G10's tables."""

from __future__ import annotations

import random
from pathlib import Path
from typing import get_args

import pytest

from dialects.diagnostics import InputError
from interp.simulate.memory.problem import Kernel, KernelTrace, Move, MoveKind, Tensor
from lowering.memory.plan_file import plan_text, read_plan
from ndpir.traces.g10 import read_g10

TRACE = KernelTrace(
    tuple(Kernel(f"k{number}", 1.0, (0, 1), (2, 3)) for number in range(6)),
    (Tensor("weight", 4096, True), Tensor("x", 100), Tensor("x", 100), Tensor("two words", 64)),
)


def moves_of(tmp_path: Path, text: str) -> list[Move]:
    (tmp_path / "a.plan").write_text(text)
    return read_plan(tmp_path / "a.plan", TRACE)


def test_a_plan_has_one_move_per_line(tmp_path: Path) -> None:
    text = """
        at 3 evict weight to host        // when kernel 2 has ended
        // nothing
        at 3 evict weight [0 to 2048] to ssd after 4
        at 6 prefetch #1 behind 0 before 5
        at 4 write_back weight[1 to 2] to host
        at 5 discard #3
        at 5 discard weight in host
        at 0 evict #2"""
    assert moves_of(tmp_path, text) == [
        Move("evict", 0, 3, tier="host"),
        Move("evict", 0, 3, 0, 2048, "ssd", after=4),
        Move("prefetch", 1, 6, behind=0, before=5),
        Move("write_back", 0, 4, 1, 2, "host"),
        Move("discard", 3, 5),
        Move("discard", 0, 5, tier="host"),
        Move("evict", 2, 0),
    ]


def test_a_written_plan_parses_to_the_same(tmp_path: Path) -> None:
    draw = random.Random(5)

    def maybe(number: int) -> int | None:
        return draw.randrange(number) if number and draw.random() < 0.3 else None

    moves: list[Move] = []
    for number in range(200):
        kind: MoveKind = draw.choice(get_args(MoveKind))
        tensor = draw.randrange(4)
        first, last = sorted(draw.choices(range(TRACE.tensors[tensor].nbytes + 1), k=2))
        all_bytes = draw.random() < 0.5
        moves.append(
            Move(
                kind,
                tensor,
                draw.randint(0, 6),
                0 if all_bytes else first,
                None if all_bytes else last,
                "" if kind == "prefetch" else draw.choice(["", "host", "ssd"]),
                maybe(6),
                maybe(number),
                maybe(6),
            )
        )
    assert moves_of(tmp_path, plan_text(moves, TRACE)) == moves


def test_a_plan_in_g10_s_form_is_read() -> None:
    trace = read_g10("tests/data/g10", "Small_1").trace
    moves = read_plan("tests/data/g10/Small_1_g10_plan.csv", trace)
    assert moves[:2] == [Move("prefetch", 0, 0), Move("prefetch", 1, 0)]
    assert moves[5:7] == [Move("evict", 1, 2, tier="host"), Move("evict", 0, 2, tier="ssd")]
    assert moves[-1] == Move("discard", 17, 16)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on 3 evict weight", "1:1: met `on`, expected `at` and the number of the kernel"),
        ("at 3", "1:5: the line ends, expected one of prefetch, evict, write_back, discard"),
        ("at 7 evict weight", "1:4: met `7`, expected the number of a kernel, 0 to 6"),
        ("at x evict weight", "1:4: met `x`, expected the number of a kernel"),
        ("at 3 evct weight", "1:6: met `evct`; did you mean `evict`?"),
        ("at 3 evict wieght", "1:12: there is no tensor `wieght`; did you mean `weight`?"),
        ("at 3 evict x", "1:12: several tensors are called `x`; tensors are also called by their number"),
        ("at 3 evict #4", "1:12: there is no tensor #4; the trace has 4"),
        ("at 3 evict weight [0 to 5000]", "1:25: met `5000`, expected the number of the byte after the last one, 0"),
        ("at 3 evict weight [0 5]", "1:22: met `5`, expected `to`"),
        ("at 3 evict weight [0 to 5", "1:26: the line ends, expected `]`"),
        ("at 3 evict weight to", "1:21: the line ends, expected the name of a tier"),
        ("at 3 prefetch weight to host", "1:22: met `to`, expected `after`, `behind`, `before` and a number, or the"),
        ("at 3 evict weight after 6", "1:25: met `6`, expected the number of a kernel, 0 to 5"),
        ("at 3 evict weight after 5 after 4", "1:27: met `after`, expected `to` and a tier, `behind`, `before`"),
        (
            "at 3 evict weight behind 0",
            "1:26: met `0`, expected the number of an earlier move, but there is none before this line",
        ),
        ("kernel,tensor\n1,2", "1:1: a plan of G10 must have a column `to`"),
        ("kernel,tensor,to\n7,2,In_gpu", "2:1: met `7` in column `kernel`"),
        ("kernel,tensor,to\n1,9,In_gpu", "2:3: met `9` in column `tensor`"),
        ("kernel,tensor,to\n1,2,Gpu", "2:5: met `Gpu` in column `to`, expected one of In_gpu, In_cpu, In_ssd, Not_p"),
    ],
)
def test_a_wrong_plan_is_an_error_with_line_and_column(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        moves_of(tmp_path, text)
    location = (caught.value.place or "").removeprefix(f"{tmp_path}/a.plan:")
    assert f"{location}: {caught.value.message}".startswith(expected)
    assert "\n" not in caught.value.message


def test_a_missing_plan_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be read: no such file or directory; expected a plan"):
        read_plan(tmp_path / "none", TRACE)
    assert moves_of(tmp_path, "") == []
