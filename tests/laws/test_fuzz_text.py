"""Whatever a program's text becomes, it is read or refused with a place, and what is read prints back to itself.

Valid programs of all levels (those of the lit tests and examples) are mutated: tokens and lines deleted, doubled,
swapped, replaced by others of the corpus; numbers changed; characters inserted; the end cut off.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

import ndpir
from dialects.diagnostics import InputError, notes_to
from ndpir.machines import machine_of
from ndpir.registry import Registry
from ndpir.steps import passes_of

ROOT = Path(__file__).parents[2]
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|[%@#!^]?[\w$.-]+|->|\s+|.', re.DOTALL)
NUMBERS = (
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "127",
    "65536",
    "4294967296",
    "99999999999999999999",
    "0x7F",
    "1e400",
    "nan",
    "inf",
)
CHARACTERS = '%@#!^{}()[]<>:,="\\/\0\n\t -+*|&?_é\U0001f600'
BATCH = 25
"""Mutants an example: hypothesis's own work costs as much as some of them."""
SECONDS = 20


def _programs() -> list[str]:
    """The programs of the corpus, without comments; parts of split files one by one."""
    files = [*(ROOT / "tests" / "lit").rglob("*.mlir"), *(ROOT / "examples").glob("*.mlir")]
    texts: list[str] = []
    for path in sorted(files):
        if "Output" in path.parts or "Inputs" in path.parts:
            continue
        for part in path.read_text(encoding="utf-8", errors="replace").split("// -----"):
            program = "\n".join(
                line for line in part.splitlines() if line.strip() and not line.lstrip().startswith("//")
            )
            if 0 < len(program) < 2500:
                texts.append(program)
    return texts


PROGRAMS = _programs()
WORDS = sorted({token for text in PROGRAMS for token in TOKEN.findall(text) if not token.isspace()})


def mutated(text: str, random: Random) -> str:
    """The text after one to four mutations."""
    for _ in range(random.randint(1, 4)):
        tokens = TOKEN.findall(text) or [""]
        at = random.randrange(len(tokens))
        match random.randrange(11):
            case 0:
                del tokens[at]
            case 1:
                tokens.insert(at, tokens[at])
            case 2:
                other = random.randrange(len(tokens))
                tokens[at], tokens[other] = tokens[other], tokens[at]
            case 3 | 4:
                tokens[at] = random.choice(WORDS)
            case 5:
                tokens.insert(at, random.choice(WORDS) + " ")
            case 6 | 7:
                numbers = [index for index, token in enumerate(tokens) if re.search(r"\d", token)]
                if numbers:
                    at = random.choice(numbers)
                    tokens[at] = re.sub(r"\d+", lambda _: random.choice(NUMBERS), tokens[at], count=1)
            case 8:
                tokens.insert(at, random.choice(CHARACTERS))
            case 9:
                lines = text.splitlines()
                line = random.randrange(len(lines)) if lines else 0
                tokens = [
                    "\n".join(
                        lines[:line] + lines[line + 1 :] if random.random() < 0.5 else [*lines, *lines[line : line + 1]]
                    )
                ]
            case _:
                tokens = tokens[:at] if random.random() < 0.3 else tokens
        text = "".join(tokens)
    return text


PASSES = "canonicalize{fold=true cse=false},cse,place{policy=greedy},offload,scf-for-loop-unroll,fuse,to-pim"


def _mutated_passes(seed: int) -> str:
    random = Random(seed)
    return mutated(PASSES, random)


@contextmanager
def time_limit(text: str) -> Generator[None]:
    """Fails instead of hanging."""

    def stop(number: int, frame: object) -> None:
        pytest.fail(f"no end after {SECONDS} s with\n{text}")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        with notes_to(lambda message, place: None):
            yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def read(text: str) -> ModuleOp | None:
    """The program, or None where it is refused as it should be."""
    try:
        return ndpir.parse(text, "fuzz.mlir")
    except InputError as error:
        refusal = error
    except Exception as error:
        raise AssertionError(f"{type(error).__name__}: {error}, while reading\n{text}") from error
    assert refusal.place
    assert str(refusal).startswith(f"{refusal.place}: ")  # of the text, or what a written `loc(…)` claims
    assert "\n" not in str(refusal)
    return None


def check_read(text: str) -> None:
    """What is read is printed and read again as the same."""
    if (module := read(text)) is None:
        return
    try:
        printed = ndpir.write(module)
        again = ndpir.write(ndpir.parse(printed, "printed.mlir"))
    except Exception as error:
        raise AssertionError(f"{type(error).__name__}: {error}, after printing what was read from\n{text}") from error
    assert again == printed, text


def check_passes(text: str, passes: str, *targets: str) -> None:
    """What is read goes through passes and to targets, or is refused with a sentence."""
    if (module := read(text)) is None:
        return
    try:
        result = ndpir.compile(module, passes, machine=None if machine_of(module) else "toy")
        for target in targets:
            ndpir.write(result, target)
    except InputError as error:
        refusal = str(error)
    except Exception as error:
        raise AssertionError(f"{type(error).__name__}: {error}, while running {passes} on\n{text}") from error
    else:
        return
    assert "\n" not in refusal


def test_the_corpus_covers_all_levels() -> None:
    whole = "\n".join(PROGRAMS)
    for word in ("graph.matmul", "hw.device", "task.run", "pim.kernel", "func.func"):
        assert word in whole


@given(st.integers(0, 2**32))
def test_mutated_text_is_read_or_refused(seed: int) -> None:
    random = Random(seed)
    for _ in range(BATCH):
        text = mutated(random.choice(PROGRAMS), random)
        with time_limit(text):
            check_read(text)


@given(st.integers(0, 2**32))
def test_mutated_programs_pass_or_are_refused(seed: int) -> None:
    random = Random(seed)
    for _ in range(BATCH):
        text = mutated(random.choice(PROGRAMS), random)
        with time_limit(text):
            check_passes(text, "canonicalize,fuse")


@given(st.integers(0, 2**32))
def test_mutated_programs_are_placed_or_refused(seed: int) -> None:
    random = Random(seed)
    for _ in range(BATCH):
        text = mutated(random.choice(PROGRAMS), random)
        with time_limit(text):
            check_passes(text, "offload", "timeline", "summary")


@given(st.text(alphabet='canfuseplo-_{}=,. "[]#0123%', max_size=40) | st.integers(0, 2**32).map(_mutated_passes))
def test_lists_of_passes_are_understood_or_refused(text: str) -> None:
    registry = Registry()
    try:
        passes_of(text, registry)
    except InputError as error:
        refusal = error
    else:
        return
    assert refusal.place is not None
    assert refusal.place.startswith(("-p:1:", "pipeline "))
