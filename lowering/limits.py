"""The limits of all searches of this package, in one record: how much each may look at before it takes the best that it
has.

Limits count work (nodes, entries, trials, CP-SAT's deterministic seconds), never seconds of a clock: a plan is the same
on every computer. What users may set (`limit`, `gap`, `width`) stands in the options of the pass `place`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """A field for each limit. Its sentence begins with the unit; the number is the most that is allowed, unless the
    sentence says otherwise."""

    # Placement: rules and moves
    climbing_placed: int = 300_000
    """Nodes placed, over all trials: hill climbing over moves of nodes and regions ends then (a second or two)."""

    # Placement: exact search
    whole_nodes: int = 32
    """Nodes: programs of no more are searched exactly as a whole, by `cost` and by `optimal`."""
    cost_effort: float = 0.2
    """Deterministic seconds of CP-SAT: the exact search of policy `cost`, a second or two by the clock."""
    whole_effort: float = 1.0
    """Deterministic seconds of CP-SAT: the exact search of a whole program by `optimal`."""
    segment_nodes: int = 160
    """Nodes: segments of no more are searched exactly."""
    segment_effort: float = 0.1
    """Deterministic seconds of CP-SAT: the first search of a segment."""
    segment_most_effort: float = 10.0
    """Deterministic seconds of CP-SAT: a segment is searched no longer than this, where no limit in seconds is
    given."""
    optimal_effort: float = 3.0
    """Deterministic seconds of CP-SAT: all searches of `optimal` together, where no limit in seconds is given."""
    memory_units: int = 1 << 26
    """Units of memory that all values and weights of a device come to in CP-SAT's model: products with times fit 64
    bits."""

    proved: float = 1e-6
    """Fraction above its bound that a schedule may end and still count as the best: what rounding to units costs."""
    branching_nodes: int = 8
    """Nodes of a problem that is tried by branch and bound first."""
    branching_steps: int = 2_000
    """Runs placed, and pairs of jobs ordered, by that."""
    branching_rate: int = 20_000
    """The same for each deterministic second of CP-SAT, where branch and bound is asked alone."""
    branching_depth: int = 300
    """Decisions in a row of branch and bound: a search that would go deeper counts as one that used up its steps."""

    # Tiles of thread blocks, and their loops
    tile_trials: int = 40
    """Schedules: those of a product that are simulated."""
    interval_effort: float = 0.1
    """Deterministic seconds of CP-SAT: the search for one interval between turns of a loop."""
    interval_ops: int = 64
    """Ops of a turn: intervals of more are not searched exactly, but placed and bounded."""
    interval_placed: int = 8
    """Times that each op of a turn is placed, on average, before a schedule at an interval counts as not found."""
    interval_gap: float = 2e-3
    """Fraction above its bound at which the shortest interval of a loop need not be searched further."""

    # Placement: searches of a whole program
    assembly_gain: float = 1e-3
    """Fraction of the makespan: all segments are put together anew once they have become shorter by this."""
    beside_ratio: float = 1.02
    """Ratio of makespans: searches of the whole program go on beside those of segments while they end no later than
    this times the best schedule."""
    windows_effort: float = 0.5
    """Deterministic seconds of CP-SAT: all searches with some nodes free, where no limit in seconds is given."""
    windows_model_nodes: int = 100
    """Nodes: for each so many of a program, making the model of a search with some nodes free counts as much as
    searching."""
    window_nodes: int = 8
    """Nodes that are free at first, and at least."""
    window_effort: float = 0.05
    """Deterministic seconds of CP-SAT: one search with some nodes free."""
    window_growth: float = 1.25
    """Factor by which the number of free nodes grows or shrinks."""
    window_program_nodes: int = 1000
    """Nodes of a program up to which some are set free: all are in each model, though few are free."""
    window_memory_nodes: int = 200
    """The same where memory is short: what all values hold at each time is in each model, too, which makes one of 600
    nodes take a minute to begin with."""
    justified_placed: int = 160_000
    """Nodes placed by list scheduling to and fro."""
    justified_patience: int = 8
    """Passes to and fro that may end no earlier before list scheduling begins anew in another way."""
    beam_entries: int = 3_000_000
    """Entries of the array of the times at which values are there, for all starts of a beam together."""
    beam_idle_ratio: float = 2.0
    """Ratio: an idle time so many times as long as a later one is remembered instead of it."""
    beam_width: int = 50
    """Starts of schedules that the first beam searches keep."""
    beam_most_width: int = 20_000
    """Starts of schedules that the last beam searches keep."""
    beam_patience: int = 4
    """Beam searches that may find nothing better before wider ones begin."""
    beam_placed: int = 150_000
    """Nodes placed, in each start for itself, by all beam searches together, where no limit in seconds is given."""
    rounding: float = 1e-9
    """Fraction: times that differ by no more are equal, since sums of the same numbers in another order do."""

    # Placement: one after another
    path_lists: int = 24
    """Priority lists of devices that `path` is held against beyond its width: all, of up to four devices."""
    elimination_bound_entries: int = 1 << 28
    """Entries of tables in all that a bound by elimination may take: a second or two."""
    elimination_part_width: int = 1 << 14
    """Entries of a table when a part of the nodes is improved at once."""
    elimination_rounds: int = 12
    """Times that a part of the nodes is improved at once."""
    elimination_width: int = 1 << 26
    """Entries of one table of an elimination, which memory always holds."""
    elimination_entries: int = 1 << 32
    """Entries of all tables of an elimination: half a minute, and a byte for each of a third of them."""
    elimination_sets: int = 128
    """Sets of devices of a value that one variable tells apart; beyond, there is one variable a device."""
    memory_rounds: int = 4
    """Times that the placement of least sequential time is sought in the memory that live values leave."""
    memory_effort: float = 1.0
    """Deterministic seconds of CP-SAT: one such search."""
    mending_placed: int = 100_000
    """Nodes placed, over all trials, by moving single nodes of a placement that memory must hold: a second or so."""

    # Placement: bounds
    case_nodes: int = 15_000
    """Nodes looked at to bound subproblems closer by cases: half of what is left of them at each level of cuts."""
    case_subproblem_nodes: int = 48
    """Nodes of a subproblem that is bounded by cases: those of a larger one are too many to be told apart."""
    bound_groups: int = 5000
    """Nodes on which the best weights of loads are sought; what these prove is summed up over all nodes."""
    bound_copies_nodes: int = 400
    """Nodes of a subproblem up to which its bound counts the load of copies over links."""

    # Placement: kernels beside those of the primary device
    overlap_flips: int = 300
    """Candidates, and as many pairs of candidates, that are moved the primary device, or away from it, to see whether
    that takes less."""
    overlap_trials: int = 250
    """Choices of candidates that are tried by the timeline."""
    overlap_group: float = 1e-3
    """Fraction of what all kernels take on the primary device: candidates of one kind that take less in all are not
    moved."""
    overlap_cases: int = 4_000
    """Candidates, over all linear programs that are solved for cases: a few seconds."""
    overlap_near: float = 1e-4
    """Fraction above its bound at which a choice of candidates is good enough."""

    # Placement: wrong costs and assumptions
    robust_scenarios: int = 16
    """Scenarios of wrong costs that a plan is chosen on, and as many others that it is tried on."""
    robust_placed: int = 600_000
    """Nodes placed, over all trials, by the improvement of a robust plan: a few seconds, whatever the size of the
    program."""
    robust_near: float = 0.02
    """Fraction: gap above its bound at which a decision in a scenario ends: it is one candidate among many, and there
    are 32."""
    worth_kernels: int = 700
    """Kernels of a program up to which its moves are planned anew to tell what each fact of a memory is worth."""
    assumption_events: int = 50_000
    """Tasks and copies of a program up to which it is asked what its figures hang on."""
    assumption_noticed: float = 0.05
    """Fraction by which a figure must move for an assumption to be named."""

    # Profiling runs
    forest_states: int = 20_000
    """Ways to part the runs among kinds of choices of one node that are looked at."""
    forest_covers: int = 4_000
    """Sets of cells that cover the hops of one edge."""
    forest_columns: int = 256
    """Sets of places of a value's readers together that the relaxation tells apart."""
    runs_literals: int = 200_000
    """Literals of the model of CP-SAT that asks whether so many runs are enough."""
    runs_effort: float = 2.0
    """Deterministic seconds of CP-SAT: one such question."""

    # Plans: the policy `best`
    rival_lists: int = 720
    """Priority lists of devices that are tried: all of up to six devices; of more devices, each one in the first
    place."""
    best_trials: int = 100
    """Forms of runs of ops that are simulated."""
    best_forms: int = 3
    """Forms of one run that are simulated."""
    best_groups: int = 12
    """Groups of equal steps that are tried one by one."""
    best_finalists: int = 2
    """Plans that are improved by moving single ops in the end."""
    ratio_rounds: int = 5
    """Halvings of the step of the search for a ratio: from a quarter of the extent to a 64th."""
    ratio_near: tuple[int, ...] = (0, -1, 1, 2)
    """16ths of the extent: ratios that are simulated, the one that looks best without copies and so many more for the
    processor."""
    worth: float = 0.98
    """Ratio: a way that looks as if it took more than this share of the time known so far is not simulated."""
    many_rows: int = 16
    """Rows of an image of which a part can be found for any ratio that matters."""
    stages: tuple[int, ...] = (2, 3, 4)
    """Numbers of stages that a pipeline is tried with."""
    run_ops: int = 8
    """Ops of a pipeline at the most."""
    choosing_ops: int = 4
    """Ops of a run that are tried on both devices, of those that the PIM could take."""
    nested_shares: tuple[float, ...] = (0.125, 0.25, 0.375, 0.5)
    """Fractions: shares of the processor that are tried in the stages of an op on the PIM."""
    certificate_shares: tuple[int, ...] = (2, 4, 8)
    """Parts of an op, as one over each of these, that are asked whether they take less than their share of its time."""

    # Plans: the policy `joint`
    joint_states: int = 32
    """States that are kept at one node."""
    joint_ends: int = 8
    """Placements that one search hands back."""
    polish_effort: float = 1.0
    """Deterministic seconds of CP-SAT: the exact search of one plan's places and order."""
    polished_nodes: int = 60
    """Nodes of a plan up to which its places and order are searched exactly."""
    joint_rounds: int = 6
    """Times that the search goes on with what it found."""
    joint_sequences: int = 2
    """Orders of nodes in which it goes on."""
    joint_carried: int = 4
    """Plans of one round that are carried out."""
    joint_small_nodes: int = 80
    """Nodes of a program up to which the whole of it, with regions, is searched exactly."""
    joint_regions: int = 40
    """Regions among which the exact search chooses: those of the best schedules first."""
    joint_effort: float = 6.0
    """Deterministic seconds of CP-SAT: the exact search with regions."""
    joint_climbed: int = 20_000
    """Nodes placed, each in several orders, over all trials of moves where the search is not exact."""
    joint_finalists: int = 3
    """Plans that are improved by moving single nodes in the end."""
    joint_finer: tuple[int, ...] = (-2, -1, 1, 2)
    """32nds of the extent by which a cut is moved."""
    joint_sweeps: int = 3
    """Times that all nodes of a way are gone through for a better place."""
    form_cuts: int = 8
    """Cuts of one op, of those that were timed, that are tried."""
    form_staged: int = 3
    """Forms of one run of ops, of those that were timed, that are tried."""
    form_hidden: float = 1.15
    """Ratio: a pipeline that looks as if it took no more than this many times what its ops take alone may pay among
    others."""
    form_more: int = 2
    """Forms of one run that look so."""
    form_beside: tuple[int, ...] = (0, -1, 1)
    """16ths of an extent by which the first device gets more than what makes both end at once."""
    one_by_one_nodes: int = 80
    """Nodes of a program up to which whole ops are placed by exact search before they are cut."""
    insertions_placed: int = 1_000_000
    """Nodes placed, over all trials, by putting cuts into a placement."""

    # Groups, folds and stages
    groups_of_op: int = 64
    """Groups that are looked at for one op."""
    kernel_ops: int = 64
    """Ops of a kernel that takes in no more: longer chains become several kernels."""
    detour: int = 256
    """Ops and groups that are looked at for a way from a kernel back to itself; one that more lead from stays apart."""
    row_elements: int = 1 << 16
    """Elements of a row that a block of threads reduces and goes over again."""
    repeated_ops: int = 8
    """Ops that a kernel repeats in place of reading what they make."""
    canonicalize_rounds: int = 4
    """Times that rules and merging alternate; merging seldom gives rules anything to do."""
    folded_elements: int = 1 << 16
    """Elements of the largest array that folding computes on the way to a small constant."""
    folded_flops: int = 1 << 22
    """Flops that folding spends on one op."""
    mask_elements: int = 1 << 24
    """Elements of the largest array that is computed to see which keys an attention's mask hides."""
    mask_ops: int = 64
    """Values that are computed for that."""
    stage_reach: int = 64
    """Indices by which a stage's end is moved on, to where parts can be computed alone: whole rows of a merged axis,
    whole groups."""

    # Memory: what runs again
    recomputed_units: int = 64
    """Kernels that one kernel takes along when it runs again."""
    recompute_batch: float = 0.1
    """Fraction: of what is above a memory's capacity, what is freed between two looks at what still is."""
    recompute_rounds: int = 8
    """Times that the relaxation of moves is asked for prices."""
    recompute_trials: int = 200
    """Kernels that are left out again, to see whether what is left fits."""

    # Bank programs
    mappings: int = 8
    """Mappings of a product that the clock is asked about: those that look best by the estimate."""
    mappings_by_command: int = 3
    """The same where a controller schedules writes by itself, so that every command is looked at."""
    mappings_close: float = 1.02
    """Ratio of times: mappings that are so much slower than the fastest one, refreshes left out, are timed with
    refreshes, too."""
    mappings_refreshed: int = 2
    """Mappings that are timed with refreshes."""


LIMITS = Limits()
