"""A plugin with a policy that places all ops on near-data units, stores the movable arguments (the optimizer's state)
there from the start, and copies values as streams."""

from __future__ import annotations

from interp.simulate.schedule.routes import Copy
from lowering.instance.problem import Problem, Schedule


def stay(problem: Problem) -> Schedule:
    placement = [node.on("ndp") or node.choices[0] for node in problem.nodes]
    input_devices = dict.fromkeys(problem.movable, "ndp")
    jobs, steps = problem.jobs(placement, input_devices), problem.walk(placement, input_devices)
    streams = [
        (job, other)
        for job, (_, step) in enumerate(steps)
        for other in jobs[job].after
        if isinstance(step, Copy) or isinstance(steps[other][1], Copy)
    ]
    return Schedule(placement, streams=tuple(streams), input_devices=input_devices)


POLICIES = {"stay": stay}
