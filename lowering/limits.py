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
    """Nodes: programs with at most this many nodes are searched exactly as a whole, by `cost` and by `optimal`."""
    cost_effort: float = 0.2
    """Deterministic seconds of CP-SAT: the exact search of policy `cost`, one or two seconds of wall-clock time."""
    whole_effort: float = 1.0
    """Deterministic seconds of CP-SAT: the exact search of a whole program by `optimal`, or of the placement and order
    of one plan that partitions ops."""
    segment_nodes: int = 160
    """Nodes: segments of a program with at most this many nodes are searched exactly."""
    segment_effort: float = 0.1
    """Deterministic seconds of CP-SAT: the first search of a segment of a program."""
    segment_most_effort: float = 10.0
    """Deterministic seconds of CP-SAT: all searches of one segment, if no limit in seconds is given."""
    optimal_effort: float = 3.0
    """Deterministic seconds of CP-SAT: all searches of `optimal` together, if no limit in seconds is given."""
    memory_units: int = 1 << 26
    """Units in which CP-SAT's model counts the bytes of all values and weights of a device: so few that products of
    units and times fit 64 bits."""

    proved: float = 1e-6
    """Fraction above the lower bound below which a schedule counts as optimal: the error of rounding to units."""
    branching_nodes: int = 8
    """Nodes: problems with at most this many nodes are first solved by branch and bound."""
    branching_steps: int = 2_000
    """Steps of the branch and bound of `branching_nodes`: runs placed, and pairs of jobs ordered."""
    branching_rate: int = 20_000
    """Steps of branch and bound for each deterministic second of CP-SAT, if branch and bound is used alone."""
    branching_depth: int = 300
    """Depth of branch and bound, in decisions: a search that would go deeper counts as one that used up its steps."""

    # Placement: searches of a whole program
    assembly_gain: float = 1e-3
    """Fraction of the makespan: the schedules of all segments are assembled again when the sum of their makespans has
    decreased by this."""
    concurrent_ratio: float = 1.02
    """Ratio of makespans: searches of the whole program continue along with those of segments as long as their result
    is within this factor of the best schedule."""
    windows_effort: float = 0.5
    """Deterministic seconds of CP-SAT: all neighbourhood searches, if no limit in seconds is given."""
    windows_model_nodes: int = 100
    """Nodes of a program: for a program of n times this many nodes, building the model of a neighbourhood search counts
    as n times the work of the search itself (n >= 1)."""
    window_nodes: int = 8
    """Free nodes of the first neighbourhood search, and minimum number of free nodes."""
    window_effort: float = 0.05
    """Deterministic seconds of CP-SAT: one neighbourhood search."""
    window_growth: float = 1.25
    """Factor by which the number of free nodes of a neighbourhood search grows or shrinks."""
    window_program_nodes: int = 1000
    """Nodes of a program up to which neighbourhood search is used: all nodes are in each model, though few are free."""
    window_memory_nodes: int = 200
    """Nodes of a program up to which neighbourhood search is used if memory is short: the memory of all values at each
    time is then in each model, too, which for 600 nodes takes a minute to build."""
    justified_placed: int = 160_000
    """Nodes placed by forward-backward list scheduling."""
    justified_patience: int = 8
    """Passes without an improvement after which forward-backward list scheduling restarts from another initial order.
    """
    beam_entries: int = 3_000_000
    """Entries of the array of arrival times of values, for all partial schedules of a beam together."""
    beam_idle_ratio: float = 2.0
    """Ratio of lengths: an idle interval is remembered instead of a later one if it is longer by this factor."""
    beam_width: int = 50
    """Partial schedules kept by the first beam searches."""
    beam_most_width: int = 20_000
    """Partial schedules kept by the last beam searches."""
    beam_patience: int = 4
    """Beam searches without an improvement after which wider ones begin."""
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

    # Bank programs and thread blocks
    mappings: int = 8
    """Mappings of a product to banks that are timed by the clock: the best ones by the estimate."""
    tile_trials: int = 40
    """Schedules of a kernel of thread blocks that are simulated to find a fast one."""
    interval_effort: float = 0.1
    """Deterministic seconds of CP-SAT: the search for a modulo schedule of a loop at one initiation interval."""


LIMITS = Limits()
