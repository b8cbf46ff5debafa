"""Searches for the best placement and order of a placement problem (lowering/instance/problem.py); policies name them.

    least serial time              serial/: path.py; variable elimination (elimination.py) over sums of tables
                                   (factors.py); under memory limits: in_memory.py
    least makespan, quickly        quick/: rules, and moves of single nodes and groups
    least makespan                 search/: small.py (the least effort of policy `optimal`), optimal.py (more effort):
                                   segments between cuts are solved by exact/ and combined by a shortest path; for
                                   programs without cuts beams (improving.py) in orders of urgency (urgency.py),
                                   then large neighbourhoods (windows.py)
    overlap of near-data units     overlap/: candidates (kernels.py), the published accounting (plan.py) and rules
    with a GPU's kernels           (rules.py), our search (search.py), from a linear program (fractions.py) over pools
                                   of kernels (pools.py) and greatest flows (hiding.py); by simulation: timed.py
    lower bound of any placement   search/lowest.py: the greatest of several, from lowering/bounds/

The pass records the predicted makespan (lowering/tasks/prediction.py); the summary compares it with the timeline. The
limits of all searches are in lowering/limits.py. Splits and pipelines are decided in lowering/partition/.
"""
