"""A corrupted data sheet either loads or is rejected with a message: no traceback, no hang."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialects.diagnostics import InputError
from interp.kinds.pages import describe_device
from interp.machine.sheets.files import blocks_in, load
from interp.machine.sheets.language import read_blocks
from interp.machine.sheets.search import SHIPPED

SHEETS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(SHIPPED.glob("*.sheet"))}
BITS = [
    *"()+-*/,:|=\"#\\.\n\t\r\0é",
    "->", "device", "link", "verb", "gap", "refresh", "source", "assume", "assumed", "with", "every", "none", "after",
    "next", "same", "first", "timing", "shape", "energy", "energy.mac", "tRP", "tRC", "1e99", "1e-99", "0", "-1", "0.5",
    "9" * 50, "GHz", "ns", "GB/s", "pJ/bit", "f16", "yes", "newton", "\"a source\"", "1 / 0", "((", "16 *",
    "max(", "rows by", "controller", "decoder", "queue", "waits", "sync", "scope", "bank", "all", "rank", "latency",
    "closes", "rowless", "mode", "window", "window 4", "reading of", "keeps", "drain", "pJ/bank", "preact", "scheduler",
    "twin", "alone", "reach", "as", "pseudochannel",
]  # fmt: skip


def judge(text: str) -> None:
    """Read a sheet and build every record in it; an InputError is a message for the user, any other exception is a
    defect."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "fuzz.sheet"
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        complaint = None
        try:
            for name in blocks_in(path):
                assert describe_device(load(f"{path}:{name}", {})).startswith(f"{name} : ")
        except InputError as error:
            complaint = error
        if complaint is not None:
            assert complaint.message.strip()
            assert "\n" not in complaint.message
            assert complaint.place is not None
            assert complaint.place.startswith((f"{path}:", f"{SHIPPED}/"))


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A shipped sheet after some cuts, repeats, swaps and insertions."""
    text = SHEETS[draw(st.sampled_from(sorted(SHEETS)))]
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 30)))
        match draw(st.sampled_from(["cut", "repeat", "insert", "replace", "end", "move"])):
            case "cut":
                text = text[:start] + text[end:]
            case "repeat":
                text = text[:end] + text[start:]
            case "insert":
                text = text[:start] + draw(st.sampled_from(BITS)) + text[start:]
            case "replace":
                text = text[:start] + draw(st.sampled_from(BITS)) + text[end:]
            case "end":
                text = text[:start]
            case _:
                at = draw(st.integers(0, len(text)))
                text = text[:at] + text[start:end] + text[at:]
    return text


@pytest.mark.slow
@given(mutated())
def test_mutated_sheets(text: str):
    judge(text)


@given(st.lists(st.sampled_from([*BITS, " ", "device x : pim", "clock 1 GHz"]), max_size=40).map(" ".join))
def test_random_words(text: str):
    judge(text)


@given(st.binary(max_size=200))
def test_random_bytes(data: bytes):
    judge(data.decode("utf-8", "surrogateescape"))


@pytest.mark.slow
@given(st.sampled_from(sorted(SHEETS)), st.sets(st.integers(0, 60)))
def test_a_comment_or_an_empty_line_behind_any_line_means_nothing(name: str, where: set[int]):
    lines = SHEETS[name].split("\n")
    changed = [f'{line}  # no, "really"\n' if index in where else line for index, line in enumerate(lines)]

    def reading(text: str) -> list[object]:
        blocks = read_blocks(text, "x")
        return [(block.name, list(block.statements), [s.source for s in block.statements.values()]) for block in blocks]

    assert reading("\n".join(changed)) == reading(SHEETS[name])
