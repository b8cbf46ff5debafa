"""The start and end times of jobs whose durations differ between variants, for all variants at once.

Jobs that share nothing and wait in one queue for each resource run in program order, whatever they take
(`loop.spans`). The order of other jobs may depend on their durations; these are run variant by variant.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from interp.simulate.events.jobs import SEPARATE, Job, SharingRules
from interp.simulate.events.loop import spans

Times: TypeAlias = NDArray[np.float64]
"""(jobs, variants) in ns."""


def has_fixed_order(jobs: Sequence[Job], rules: SharingRules = SEPARATE) -> bool:
    """True if jobs run in program order for any durations, and each occupies its resource for its duration."""
    queues = {(job.resource, job.queue) for job in jobs}
    one_each = len({resource for resource, _ in queues}) == len(queues)
    return rules.among(jobs).separate and one_each and not any(job.streams for job in jobs)


def spans_of_many(jobs: Sequence[Job], ns: Times, rules: SharingRules = SEPARATE) -> tuple[Times, Times]:
    """The start and the end of each job in each variant, to the last digit as `spans` returns them for its durations.
    `ns`: (jobs, variants), the durations. Phases of jobs that produce or consume streams are those of `jobs`."""
    begins, ends = np.zeros_like(ns), np.zeros_like(ns)
    if not has_fixed_order(jobs, rules):
        for at in range(ns.shape[1]):
            mine = [job._replace(ns=float(lasts)) for job, lasts in zip(jobs, ns[:, at], strict=True)]
            begins[:, at], ends[:, at] = spans(mine, rules)
        return begins, ends
    free: dict[str, NDArray[np.float64]] = {}
    for index, job in enumerate(jobs):
        start = begins[index]
        if job.resource in free:
            start[:] = free[job.resource]
        for other in job.after:
            np.maximum(start, ends[other], out=start)
        np.add(start, ns[index], out=ends[index])
        free[job.resource] = ends[index]
    return begins, ends


def heads_of_many(jobs: Sequence[Job], ns: Times) -> Times:
    """The length in ns of the longest chain up to each job's end (`jobs.heads`), in each variant. `ns`: (jobs,
    variants), the durations of the jobs, which consume no streams."""
    ends = np.zeros_like(ns)
    for index, job in enumerate(jobs):
        for other in job.after:
            np.maximum(ends[index], ends[other], out=ends[index])
        ends[index] += ns[index]
    return ends
