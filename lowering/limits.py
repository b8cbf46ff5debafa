"""The budgets of all searches of this package, in one record: the amount of work after which each search returns its
best result.

A budget of a whole search (its effort, trials or entries) and the size of a program up to which a search is used are
fields here: those a user turns for a better plan or a shorter search, and a test for a search that stops early. A
constant of one algorithm (its rounds, its steps, the size of its tables) is a constant of the algorithm's module, with
its unit and meaning. A budget that is a share of another one is computed from that.

Budgets count work (nodes, entries, trials, CP-SAT's deterministic seconds), never seconds of a clock: a plan is the
same on every computer. Limits that users may set (`limit`, `gap`, `width`) are options of the pass `place`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The limits of all searches, a field for each. The docstring of a field begins with the unit that is counted; the
    value of the field is the maximum number of these units, unless stated otherwise."""

    # Placement: rules and moves
    climbing_placed: int = 300_000
    """Nodes placed, over all trials: after so many placements, hill climbing over moves of nodes and regions stops,
    which takes a second or two."""

    # Placement: exact search
    whole_nodes: int = 32
    """Nodes: programs with at most this many nodes are searched exactly as a whole, with any effort."""
    whole_effort: float = 1.0
    """Deterministic seconds of CP-SAT: the exact search of a whole program by `optimal`, or of the placement and order
    of one plan that partitions ops."""
    segment_nodes: int = 160
    """Nodes: segments of a program with at most this many nodes are searched exactly."""
    segment_effort: float = 0.1
    """Deterministic seconds of CP-SAT: the first search of a segment of a program."""
    optimal_effort: float = 3.0
    """Deterministic seconds of CP-SAT: all searches of `optimal` together, if no limit in seconds is given."""

    # Placement: searches of a whole program
    beam_entries: int = 3_000_000
    """Entries of the array of arrival times of values, for all partial schedules of a beam together."""
    beam_placed: int = 150_000
    """Nodes placed, counted per partial schedule, by all beam searches together, if no limit in seconds is given."""
    rounding: float = 1e-9
    """Fraction: times that differ by no more are treated as equal, since sums of the same numbers in another order
    differ by as much."""

    # Placement: serial time
    elimination_entries: int = 1 << 32
    """Entries of all tables of one variable elimination: computing these takes half a minute, and one byte of memory
    for every third entry."""

    # Placement: bounds
    case_nodes: int = 15_000
    """Nodes evaluated by branch and bound to tighten the bounds of subproblems; each level of cuts may use half of the
    nodes that the previous levels have not used."""

    # Placement: offloading to near-data units
    overlap_trials: int = 250
    """Sets of offloaded candidates that are evaluated by the timeline."""
    overlap_cases: int = 4_000
    """Candidates in all linear programs that branch and bound solves, added up: a few seconds."""

    # Profiling runs
    runs_effort: float = 2.0
    """Deterministic seconds of CP-SAT: the decision whether a number of profiling runs suffices."""

    # Complete plans
    plans: int = 60
    """Complete plans that policy `optimal` carries out and times, the plans of rules included."""

    # Devices and memories together
    relaxations: int = 120
    """Linear programs of moves, in those of a program of a hundred nodes, that the search for a plan of a program
    larger than its memory solves."""

    # Bank programs and thread blocks
    mappings: int = 8
    """Mappings of a product to banks that are timed by the clock: the best ones by the estimate."""
    tile_trials: int = 40
    """Schedules of a kernel of thread blocks that are simulated to find a fast one."""
    interval_effort: float = 0.1
    """Deterministic seconds of CP-SAT: the search for a modulo schedule of a loop at one initiation interval."""


LIMITS = Limits()
