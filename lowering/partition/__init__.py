"""Plans that split ops into shards for several devices, and into pipeline stages that overlap: policies `pimflow`
and `optimal`.

A plan (plans/plan.py) is a list of steps over graph ops: an op on a device, an op split between devices, or a pipeline
of ops in stages, which may be split as well. The passes `split`, `chain` and `layout`, and the folding of slices,
execute a plan; each shard is marked with its device (lowering/graph/marks.py), and `place` puts it there. A plan uses
the primary device, which must be a processor, and the devices that a link joins with it; of these, PIMFlow's plans use
only devices that are no processors.

    time of an op, or of a shard that does not exist yet   plans/part_costs.py, from the clock
    time of a region of the program after a step           plans/simulated.py: extracts the region (plans/regions.py),
                                                           executes the step and simulates it; equal regions once
    candidate steps                                        pimflow/space.py, pimflow/search.py: PIMFlow's, as published;
                                                           search/forms.py: any axis, any ratio, any run of ops
    the steps of least total cost that cover the program   plans/cover.py, exact
    complete plans, each simulated, and their improvement  search/planning.py: policy `optimal`, from the plans of rules
    splits and pipelines as alternatives in one search     search/together.py: candidates (offers.py) become regions of
                                                           the placement problem (space.py), one search decides on all
                                                           (states.py)
    lower bound with splits                                certificate.py: the load of all devices, for any split
"""
