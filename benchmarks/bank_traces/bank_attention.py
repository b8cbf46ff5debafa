"""Cycles of attention in the banks of PIMs, beside those of AttAcc's own generator on its simulator.

    python -m benchmarks bank_attention [LENGTH…]

One step of decoding: each of 32 heads (or 16, as on a stack of AttAcc's) attends with 1 query of 128 elements to LENGTH
keys; heads may share a cache. On AttAcc (one stack of 16 channels) one program computes scores, softmax and context. On
other PIMs there are two programs, scores and context, between which the GPU computes the softmax, whose time is not
included. `appends`: the cycles that writing the new key and value of each cache adds; empty where the banks have no
command for it.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import sqrt
from pathlib import Path

from dialects.pim import WriteOp
from interp.kinds.pim.timing.clock import kernel_time
from interp.machine.records import Pim
from interp.machine.sheets import load_device
from lowering.banks.attention.kernel import attention_kernel
from lowering.banks.attention.mapping import AttentionWork, attention_mapping
from lowering.banks.products.mapping import Product
from lowering.banks.products.plan import can_append
from lowering.banks.products.search import search

GENERATOR = Path(__file__).resolve().parents[2] / "tests" / "data" / "attacc" / "attention.csv"
PLACEMENTS = {"attacc": "bank", "attacc_bg": "bg", "attacc_buffer": "buffer"}
OTHERS = "aim", "hbm_pim", "newton"
LENGTHS = 512, 2048, 8192
CASES = ((16, 16, 1), (32, 32, 1), (32, 8, 1), (32, 8, 16))
"""Heads, caches of one sequence, sequences."""
DEPTH = 128


def in_one_program(sheet: Pim, caches: int, queries: int, keys: int) -> tuple[int, int]:
    """The cycles of attention without, and with, the appends of one key and value."""
    seen = (range(keys),) * queries
    work = AttentionWork(caches, queries, keys, DEPTH, DEPTH, sheet.element, 1 / sqrt(DEPTH), seen, keys)
    found: list[int] = []
    for kept in (keys, keys - 1):
        mapping = attention_mapping(replace(work, kept=kept), sheet)
        assert not isinstance(mapping, str), mapping
        found.append(kernel_time(attention_kernel(mapping, sheet), sheet).cycles)
    return found[0], found[1]


def in_two_programs(sheet: Pim, caches: int, queries: int, keys: int) -> tuple[int, int | None]:
    """The cycles of scores and context, without and with appends; None if the device can't append."""
    scores = Product(caches, queries, keys, DEPTH, sheet.element)
    context = Product(caches, queries, DEPTH, keys, sheet.element)
    grown = (
        replace(scores, grows="outputs", kept=keys - 1),
        replace(context, grows="inner", kept=(keys - 1) & -sheet.lanes),
    )
    able = can_append(sheet) and WriteOp.COMMAND.verb in sheet.verbs
    return _cycles((scores, context), sheet), _cycles(grown, sheet) if able else None


def _cycles(products: Sequence[Product], sheet: Pim) -> int:
    total = 0
    for product in products:
        found = search(product, sheet)
        assert not isinstance(found, str), found
        total += found.time.cycles
    return total


def rows(lengths: Sequence[int]) -> Iterator[tuple[str, ...]]:
    """The rows of the table."""
    known = {
        (row["placement"], int(row["heads"]), int(row["length"])): row["cycles"]
        for row in csv.DictReader(GENERATOR.read_text().splitlines())
    }
    for name in (*PLACEMENTS, *OTHERS):
        sheet = load_device(name)
        assert isinstance(sheet, Pim)
        for heads, groups, batch in CASES:
            for keys in lengths:
                time = in_one_program if name in PLACEMENTS else in_two_programs
                alone, grown = time(sheet, batch * groups, heads // groups, keys)
                generator = (
                    known.get((PLACEMENTS.get(name, ""), heads, keys), "") if (groups, batch) == (heads, 1) else ""
                )
                appends = "" if grown is None else str(grown - alone)
                yield name, str(keys), str(heads), str(groups), str(batch), str(alone), generator, appends


def main() -> None:
    print("| sheet | length | heads | caches | batch | cycles | generator | appends |")
    print("|---|---|---|---|---|---|---|---|")
    for row in rows([int(word) for word in sys.argv[1:]] or LENGTHS):
        print("|", " | ".join(row), "|", flush=True)


if __name__ == "__main__":
    main()
