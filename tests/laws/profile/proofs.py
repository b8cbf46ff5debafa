"""The proof that a plan of profiling runs has as few runs as possible."""

from lowering.profiling.plan import RunPlan


def proved(plan: RunPlan) -> bool:
    """True if the number of runs is proved to be minimal in the plan's mode."""
    figures = (plan.together,) if all(run.kind == "both" for run in plan.runs) else (plan.nodes, plan.copies)
    return all(figure.runs == figure.least for figure in figures)
