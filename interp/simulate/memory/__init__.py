"""Execution of programs larger than their device's memory: which bytes each memory holds, the moves between memories,
demand paging, and the times of these moves.

    problem.py    a kernel trace: kernels in order, tensors, and the moves of a plan, as plain data
    tiered.py     the memory as a resource of the event loop (interp/simulate/events/), which runs kernels and other
                  devices' jobs; replay.py repeats traces and programs in it, iteration by iteration
    engine.py     the state of a memory: which kernel may start, and what its start and end change. Its layers below:
                  foresight.py (events, room for the next kernel), moving/ (moves of a plan, and bytes on the way, as
                  fluid flows that share links), contents.py (which memory holds each byte)
    paging.py     demand paging by a GPU's driver, through the interface pager.py
    log.py        the engine's log; checker.py verifies it by the rules, and shares no code with the engine

Traces come from programs (interp/simulate/program_trace.py) or from lists of measured kernels (ndpir/traces/). Plans
and bounds are made in lowering/memory/.
"""
