"""Execution of programs larger than their device's memory: which bytes each memory holds, the moves between memories,
demand paging, and the times of these moves.

    problem.py    a kernel trace: kernels in order, tensors, and the moves of a plan, as plain data
    engine.py     simulates traces; transfers share links as fluid flows (flows.py), the contents of a tensor are a few
                  intervals of bytes (contents.py), a kernel starts when all its operands are resident
    replay.py     runs a trace alone, iteration by iteration; gate.py runs it in the event loop with other devices
    paging.py     demand paging by a GPU's driver, through the interface pager.py
    log.py        the engine's log; checker.py verifies it by the rules, and shares no code with the engine

Traces come from programs (interp/simulate/program_trace.py) or from lists of measured kernels (ndpir/traces/). Plans
and bounds are made in lowering/memory/.
"""
