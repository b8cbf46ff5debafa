"""Random steps of programs with state: caches that grow, rings, caches whose rows are replaced, and moments."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import strategies as st

HEADS, DEPTH = 2, 16
"""The extents of a cache beside its rows; a row fills the lanes of the PIM of these programs."""


class Cache(NamedTuple):
    """One state and what a step does with it. `kind`: appended, rows, ring, updated, or overwritten. `made`: an op
    makes the new rows, or they are an argument. `read`: attention reads the cache, or nothing does."""

    kind: str
    rows: int
    new: int
    made: bool
    read: bool


caches = st.builds(
    Cache,
    kind=st.sampled_from(["appended", "rows", "ring", "updated", "overwritten"]),
    rows=st.integers(2, 40),
    new=st.integers(1, 2),
    made=st.booleans(),
    read=st.booleans(),
)


def step(states: list[Cache], pim: str) -> str:
    """The text of a step of a program with these states, on a GPU beside the PIM with this sheet."""
    return "\n".join(
        [
            'hw.device @gpu = "toy_gpu"',
            f"hw.device @pim = {pim}",
            'hw.link @gpu to @pim = "toy_link"',
            *_function(states),
        ]
    )


def _function(states: list[Cache]) -> list[str]:
    arguments, lines, results = list[str](), ["%z = graph.constant 0 : tensor<i32>"], list[tuple[str, str]]()
    for number, (kind, rows, new, made, read) in enumerate(states):
        past, fresh, query = (f"tensor<{HEADS}x{n}x{DEPTH}xf16>" for n in (rows, new, 1))
        n = str(number)
        arguments += [f"%s{n}: {past}", f"%q{n}: {query}", f"%x{n}: {fresh}"]
        rows_in = f"%x{n}"
        if made:
            lines.append(f"%n{n} = graph.add %x{n}, %x{n} : {fresh}")
            rows_in = f"%n{n}"
        full, content = past, f"%c{n}"
        if kind in ("appended", "rows", "ring"):
            full = f"tensor<{HEADS}x{rows + new}x{DEPTH}xf16>"
            lines.append(f"%c{n} = graph.concat %s{n}, {rows_in} axis = 1 : {past}, {fresh}")
        elif kind == "updated":
            arguments.append(f"%p{n}: tensor<i32>")
            types = f"{past}, {fresh}, tensor<i32>, tensor<i32>, tensor<i32>"
            lines.append(f"%c{n} = graph.dynamic_update_slice %s{n}, {rows_in}, %z, %p{n}, %z : {types}")
        else:
            lines.append(f"%c{n} = graph.relu %s{n} : {past}")
        if kind == "ring":
            content = f"%r{n}"
            extents = f"starts = [0, {new}, 0], ends = [{HEADS}, {rows + new}, {DEPTH}]"
            lines.append(f"%r{n} = graph.slice %c{n} {extents} : {full}")
        if kind == "rows":
            results.append((rows_in, fresh))
        else:
            results.append((content, past if kind == "ring" else full))
        if read or kind == "rows":
            scores = f"tensor<{HEADS}x1x{rows + new * (kind in ('appended', 'rows', 'ring'))}xf16>"
            lines += [
                f"%a{n} = graph.matmul %q{n}, %c{n} transpose_b : {query}, {full}",
                f"%w{n} = graph.softmax %a{n} : {scores}",
                f"%y{n} = graph.matmul %w{n}, %c{n} : {scores}, {full}",
            ]
            results.append((f"%y{n}", query))
    types = ", ".join(type_ for _, type_ in results)
    names = ", ".join(name for name, _ in results)
    return [
        f"func.func @main({', '.join(arguments)}) -> ({types}) {{",
        *(f"  {line}" for line in lines),
        f"  func.return {names} : {types}",
        "}",
    ]
