"""Placement policies by name: each selects one of the choices of every node of a placement problem.

A plugin adds one with `POLICIES["mine"] = my_policy`, where `my_policy` is a function from a `Problem` to one choice
per node, or to a `Schedule` that also fixes the order of tasks and copies; `place{policy=mine}` then uses it. The pass
checks the answer: each choice must belong to its node, streams must be possible, and the plan must fit memory.
"""

from __future__ import annotations

from xdsl.ir import Operation

from dialects.diagnostics import InputError
from interp.simulate.schedule.routes import Copy
from lowering.instance.choice import Placement
from lowering.instance.options import (
    FormOptions,
    OverlapOptions,
    PimflowOptions,
    PriorityOptions,
    SearchOptions,
    SerialOptions,
)
from lowering.instance.problem import Policy, Problem, Schedule
from lowering.optimise.quick.heuristics import gpu, greedy, pim_first, priority


def path(problem: Problem) -> Placement | Schedule:
    """The minimum serial time of all tasks and copies (lowering/optimise/serial/path.py)."""
    from lowering.optimise.serial.path import place_path

    return place_path(problem)


def pattern(problem: Problem) -> Schedule:
    """Placement on near-data units by NDPX's rule, which uses the depth of kernels in the graph alone
    (lowering/optimise/overlap/rules.py)."""
    from lowering.optimise.overlap.policies import place_pattern

    return place_pattern(problem)


def xla_ndp(problem: Problem) -> Schedule:
    """Placement on near-data units by XLA-NDP's rule, which decides by cost, kernel by kernel
    (lowering/optimise/overlap/rules.py)."""
    from lowering.optimise.overlap.policies import place_xla_ndp

    return place_xla_ndp(problem)


def overlap(problem: Problem) -> Schedule:
    """Placement on near-data units by the time hidden behind kernels on the primary device
    (lowering/optimise/overlap/search.py)."""
    from lowering.optimise.overlap.policies import place_overlap

    return place_overlap(problem)


POLICIES: dict[str, Policy] = {
    "gpu": gpu,
    "pim-first": pim_first,
    "priority": priority,
    "greedy": greedy,
    "path": path,
    "pattern": pattern,
    "xla-ndp": xla_ndp,
    "overlap": overlap,
}


SEARCHING = ("optimal", "overlap")
"""The names of the policies that search for the shortest makespan; all others follow published or simple rules. The
policy `optimal`, which may also split ops, is in lowering/partition/planners.py."""


FORMER = {"cost": 1, "best": 2, "joint": 3}
"""Former names of the policy `optimal`, each with the effort that it stands for."""


BESIDE = ("pattern", "xla-ndp", "overlap")
"""The names of policies for a primary device with near-data units; on other machines they raise InputError."""


def checked(problem: Problem, schedule: Schedule, policy: str, at: Operation) -> Schedule:
    """A policy's schedule, after checking that it has one valid choice for each node. Raises InputError, at a node's op
    or at `at`."""
    placement = schedule.placement
    if len(placement) != len(problem.nodes):
        raise InputError(f"policy {policy} returned {len(placement)} choices for {len(problem.nodes)} nodes", at)
    for node, choice in zip(problem.nodes, placement, strict=True):
        if choice not in node.choices:
            theirs = ", ".join(each.label for each in node.choices)
            raise InputError(f"policy {policy} must return one of the choices of {node.op.name}: {theirs}", node.op)
    for value, device in schedule.input_devices.items():
        if value not in problem.movable or not problem.routes.reaches(problem.primary, device):
            raise InputError(
                f"policy {policy} keeps value {value} on @{device}, but only an argument outside of loops that is "
                "donated to one result may be kept on another device, and only if a link joins the device with the "
                "primary device",
                at,
            )
    steps, jobs = problem.walk(placement, schedule.input_devices), problem.jobs(placement, schedule.input_devices)
    for job, other in schedule.streams:
        taker, maker = steps[job][1], steps[other][1]
        source = taker.source if isinstance(taker, Copy) else maker.source if isinstance(maker, Copy) else maker.device
        target = taker.target if isinstance(taker, Copy) else taker.device
        if other not in jobs[job].after or not problem.clock.machine.streams(source, target):
            raise InputError(f"policy {policy} plans a stream from @{source} to @{target} that is not possible", at)
    return schedule


USUAL = (FormOptions,)
OPTIONS: dict[str, tuple[type[object], ...]] = {
    "priority": (PriorityOptions, *USUAL),
    "path": (SerialOptions, *USUAL),
    "optimal": (SearchOptions, *USUAL),
    "pimflow": (PimflowOptions,),
    **dict.fromkeys(BESIDE, (OverlapOptions, FormOptions)),
}
"""For each policy, the options of `place` that it reads; a policy that is not listed, such as a plugin's, reads those
of `USUAL`."""


def reads(policy: str, option: str) -> bool:
    """True if a policy reads an option of `place`."""
    return any(hasattr(kind, option) for kind in OPTIONS.get(policy, USUAL))
