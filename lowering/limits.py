"""The limits of all searches of this package, in one record: the amount of work after which each search returns its
best result.

Limits count work (nodes, entries, trials, CP-SAT's deterministic seconds), never seconds of a clock: a plan is the same
on every computer. Limits that users may set (`limit`, `gap`, `width`) are options of the pass `place`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The limits of all searches, a field for each. The docstring of a field begins with the unit that is counted; the
    value of the field is the maximum number of these units, unless stated otherwise."""

    # Placement: rules and moves
    ordered_for_moves: int = 64
    """Ops: the time on the primary device alone of a program that exceeds its memory is the least over several orders
    and recomputations for at most this many ops; for more, it is that of the program's own order."""
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

    # Loops of thread blocks
    interval_effort: float = 0.1
    """Deterministic seconds of CP-SAT: the search for a modulo schedule of a loop at one initiation interval."""
    interval_ops: int = 64
    """Ops of a loop's body: larger loops are scheduled heuristically and bounded, not searched exactly."""
    interval_placed: int = 8
    """Times that each op of a loop's body is placed, on average, before the search at one initiation interval stops."""
    interval_gap: float = 2e-3
    """Fraction above its lower bound at which a loop's shortest initiation interval so far is good enough."""

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
    path_lists: int = 24
    """Priority lists of devices with which `path` compares its placement if an exact search would exceed its width: all
    lists of up to four devices."""
    elimination_bound_entries: int = 1 << 28
    """Entries of all tables of variable elimination for a lower bound: a second or two."""
    elimination_part_width: int = 1 << 14
    """Entries of one table of variable elimination when some of the nodes are improved together."""
    elimination_rounds: int = 12
    """Rounds in which some of the nodes are improved together."""
    elimination_width: int = 1 << 26
    """Entries of one table of variable elimination; such a table always fits the computer's memory."""
    elimination_entries: int = 1 << 32
    """Entries of all tables of one variable elimination: computing these takes half a minute, and one byte of memory
    for every third entry."""
    elimination_sets: int = 128
    """Sets of devices of a value that one variable distinguishes; a value with more sets has one variable per
    device."""
    memory_rounds: int = 4
    """Rounds of the search for the placement of minimum serial time in the memory that live values leave free."""
    memory_effort: float = 1.0
    """Deterministic seconds of CP-SAT: the search of one of the `memory_rounds`."""
    mending_placed: int = 100_000
    """Nodes placed, over all trials of moving single nodes to make a placement fit memory: a second or so."""

    # Placement: bounds
    case_nodes: int = 15_000
    """Nodes evaluated by branch and bound to tighten the bounds of subproblems; each level of cuts may use half of the
    nodes that the previous levels have not used."""
    case_subproblem_nodes: int = 48
    """Nodes: subproblems with at most this many nodes are bounded by branch and bound; larger ones have too many
    cases."""
    bound_groups: int = 5000
    """Nodes in the sample on which the multipliers of loads are optimised; the bound is summed up over all nodes."""
    bound_copies_nodes: int = 400
    """Nodes of a subproblem up to which its bound includes the load of copies over links."""

    # Placement: offloading to near-data units
    overlap_flips: int = 300
    """Candidates, and pairs of candidates, that are moved to or from the primary device in local search."""
    overlap_trials: int = 250
    """Sets of offloaded candidates that are evaluated by the timeline."""
    overlap_group: float = 1e-3
    """Fraction of the time of all kernels on the primary device: groups of candidates with less total time are not
    offloaded or returned by hill climbing."""
    overlap_cases: int = 4_000
    """Candidates in all linear programs that branch and bound solves, added up: a few seconds."""
    overlap_near: float = 1e-4
    """Fraction above the lower bound at which a set of offloaded candidates is good enough."""

    # Placement: wrong costs and assumptions
    replanned_kernels: int = 700
    """Kernels of a program up to which its data movement is planned again to determine the value of each parameter of a
    memory."""
    assumption_events: int = 50_000
    """Tasks and copies of a program up to which its sensitivity to assumptions is computed."""
    assumption_noticed: float = 0.05
    """Fraction by which a figure must change for an assumption to be reported."""

    # Profiling runs
    forest_states: int = 20_000
    """Divisions of a node's profiling runs among the kinds of its choices."""
    forest_covers: int = 4_000
    """Sets of pairs (choice of the producer, choice of the consumer) that together need all hops of one edge."""
    forest_columns: int = 256
    """Combinations of the choices of a value's consumers that the relaxation distinguishes."""
    runs_literals: int = 200_000
    """Literals of the CP-SAT model that decides whether a number of profiling runs suffices."""
    runs_effort: float = 2.0
    """Deterministic seconds of CP-SAT: the decision whether a number of profiling runs suffices."""

    # Complete plans
    plans: int = 60
    """Complete plans that policy `optimal` carries out and times, the plans of rules included."""

    # Groups, folds and stages
    groups_of_op: int = 64
    """Groups that are considered for fusion with one op."""
    kernel_ops: int = 64
    """Ops of a kernel up to which more ops are fused into it: longer chains become several kernels."""
    detour: int = 1024
    """Reads that are followed from each end in search of a cycle through a fused kernel; if there are more, the op is
    not fused."""
    row_elements: int = 1 << 16
    """Elements of a row that a thread block reduces and then reads again."""
    repeated_ops: int = 8
    """Ops that a kernel recomputes instead of reading their results."""
    factored_ops: int = 16
    """Multiplications, divisions and negations of a product in which an activation is recognised."""
    canonicalize_rounds: int = 4
    """Rounds of `canonicalize` in which rules and merging alternate; merging rarely enables further rules."""
    folded_elements: int = 1 << 16
    """Elements of the largest intermediate array that is computed to fold ops into a small constant."""
    folded_flops: int = 1 << 22
    """Floating-point operations that are spent on folding one op into a constant."""
    mask_elements: int = 1 << 24
    """Elements of the largest array that is computed to determine the keys hidden by an attention's mask."""
    mask_ops: int = 64
    """Values that are computed to determine a mask."""
    stage_reach: int = 64
    """Indices by which the end of a pipeline stage is moved at most, to reach a position at which the stage can be
    computed alone: the end of a row of a merged axis, or of a group."""

    # Memory: recomputation
    recomputed_units: int = 64
    """Kernels that one kernel recomputes along with itself."""
    recompute_batch: float = 0.1
    """Fraction of the bytes above a memory's capacity that one step of recomputation frees; then the bytes above the
    capacity are counted again."""
    recompute_rounds: int = 8
    """Rounds of recomputation; each solves the relaxation of data movement to obtain prices of memory."""
    recompute_trials: int = 200
    """Recomputed kernels that are tentatively removed from the plan, to see whether the rest fits."""

    # Bank programs
    mappings: int = 8
    """Mappings of a product to banks that are timed by the clock: the best ones by the estimate."""
    mappings_by_command: int = 3
    """Mappings of a product that are timed by the clock if a controller schedules writes by itself, so that every
    command is simulated."""
    mappings_close: float = 1.02
    """Ratio of times: mappings that are slower than the fastest one, both without refreshes, by at most this factor are
    timed with refreshes, too."""
    mappings_refreshed: int = 2
    """Mappings of a product that are timed with refreshes."""


LIMITS = Limits()
