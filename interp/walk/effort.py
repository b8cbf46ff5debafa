"""The number of ops and commands that a run executes, with calls and loops expanded: counted before the run, in time
linear in the program's text, and limited (`--effort N` raises the limit)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from math import log10

from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation

from dialects.diagnostics import InputError
from dialects.repeating import RepeatingOp
from dialects.task import RunOp
from interp.walk.entry import with_loops
from interp.walk.level import is_launch, is_program, launched_name, level_with

EFFORT: ContextVar[float] = ContextVar("EFFORT", default=1.0)
"""The factor by which the limits on work are raised; a driver sets it (`--effort N`)."""
MOST_OPS = 250_000
"""The maximum number of ops to which calls may be expanded if each expanded op is kept (for inlining, or in the plan of
a timeline)."""
MOST_STEPS = 10_000_000
"""The maximum number of ops and commands that a run executes serially."""
_ENDLESS = 10**100
"""The greatest count: larger numbers are replaced by it, so that counts have at most 101 digits."""

Counts = Mapping[FuncOp, int]


def check_inlining(functions: Mapping[str, FuncOp], entries: Iterable[FuncOp], what: str) -> list[FuncOp]:
    """All functions reachable from `entries`, including these, each after the functions that it calls.

    `entries`: the functions into which all calls are expanded. `what`: the purpose as messages name it, such as
    "inlining". Raises InputError, at the call, for a function that calls itself or is missing, and if calls expand to
    more than MOST_OPS ops.
    """
    entries = list(entries)
    order = called_first(functions, entries, what)
    counts = counted(functions, order, lambda op: 1)
    total = sum(counts[entry] for entry in entries)
    if total > MOST_OPS * EFFORT.get() and total > sum(len(_ops(entry)) for entry in entries):
        entry = max(entries, key=lambda entry: counts[entry])
        heaviest = max(calls_in(entry), key=lambda call: _callee(call, functions, counts))
        raise InputError(
            f"{what} expands all calls to {shown(total)} ops, {shown(_callee(heaviest, functions, counts))} of them "
            f"for this call, but at most {MOST_OPS:,} are allowed; reduce the number of "
            f"calls{_flag(total / MOST_OPS)}",
            heaviest,
        )
    return order


def check_steps(functions: Mapping[str, FuncOp], programs: Mapping[str, Operation], entry: Operation) -> None:
    """Raises InputError for a run of more than MOST_STEPS ops and commands, at the call, loop or program that
    contributes most of them, and for recursive calls."""

    def launched(op: Operation) -> int:
        program = programs.get(launched_name(op)) if is_launch(op) else None
        return 1 if program is None else min(level_with(program).steps(program), _ENDLESS)

    def steps(op: Operation) -> int:
        return sum(launched(inner) for inner in op.body.block.ops) if isinstance(op, RunOp) else launched(op)

    def iterations(op: Operation) -> int:
        """The number of times that an op is executed in one call of the function that contains it."""
        around = op.parent_op()
        return around.iterations * iterations(around) if isinstance(around, RepeatingOp) else 1

    if not isinstance(entry, FuncOp):
        _check_steps(min(level_with(entry).steps(entry), _ENDLESS), entry)
        return
    counts = counted(functions, called_first(functions, [entry], "a run"), steps, iterations)

    def weight(op: Operation) -> int:
        return iterations(op) * (_callee(op, functions, counts) if isinstance(op, CallOp) else steps(op))

    heaviest = max(_ops(entry), key=weight, default=entry)
    launches = [op for op in heaviest.walk() if is_launch(op) and launched(op) > 1]
    launch = max(launches, key=launched, default=None)
    at = heaviest if launch is None else programs[launched_name(launch)]
    _check_steps(counts[entry], at)


def _check_steps(total: int, at: Operation) -> None:
    if total <= MOST_STEPS * EFFORT.get():
        return
    out = "reduce the number of calls"
    if isinstance(loop := at.parent_op(), RepeatingOp):
        at, out = (
            loop,
            f"this loop runs {loop.iterations:,} times: shorten it, or request only time and energy (-t timeline)",
        )
    elif is_program(at):
        out = "request only time and energy (-t timeline, -t banks)"
        if (found := level_with(at).heaviest(at)) is not None:
            at, rounds = found
            out = f"this loop makes {rounds:,} rounds: shorten it, or {out}"
    raise InputError(
        f"a run executes {shown(total)} ops and commands serially, but at most {MOST_STEPS:,} are allowed; {out}"
        + _flag(total / MOST_STEPS),
        at,
    )


def called_first(functions: Mapping[str, FuncOp], entries: Iterable[FuncOp], what: str) -> list[FuncOp]:
    """The functions that `entries` reach, each after the functions that it calls. Raises InputError as
    `check_inlining`."""
    done: dict[FuncOp, None] = {}
    for entry in entries:
        open_: dict[FuncOp, list[CallOp]] = {}
        if entry not in done:
            open_[entry] = calls_in(entry)
        while open_:
            function, calls = next(reversed(open_.items()))
            if not calls:
                del open_[function]
                done[function] = None
                continue
            call = calls.pop()
            callee = functions.get(call.callee.string_value())
            if callee is None:
                raise InputError(f"func.call: there is no function {call.callee} with a body", call)
            if callee in open_:
                name = callee.sym_name.data
                raise InputError(
                    f"func.call: @{name} calls itself; {what} needs calls without recursion; remove this call", call
                )
            if callee not in done:
                open_[callee] = calls_in(callee)
    return list(done)


def counted(
    functions: Mapping[str, FuncOp],
    order: Iterable[FuncOp],
    weight: Callable[[Operation], int],
    times: Callable[[Operation], int] = lambda op: 1,
) -> dict[FuncOp, int]:
    """The total weight of each function: the sum over its ops of an op's weight times `times(op)`. The weight of an op
    is `weight(op)`; the weight of a call is the total weight of the called function."""
    counts: dict[FuncOp, int] = {}
    for function in order:
        counts[function] = 0
        for op in _ops(function):
            each = _callee(op, functions, counts) if isinstance(op, CallOp) else weight(op)
            counts[function] = min(counts[function] + times(op) * each, _ENDLESS)
    return counts


def calls_in(function: FuncOp) -> list[CallOp]:
    """The calls in a function's body and in the bodies of its loops; empty for a function of several blocks, which is
    refused elsewhere."""
    return [op for op in _ops(function) if isinstance(op, CallOp)]


def _callee(call: Operation, functions: Mapping[str, FuncOp], counts: Counts) -> int:
    assert isinstance(call, CallOp)
    return counts[functions[call.callee.string_value()]]


def _ops(function: FuncOp) -> list[Operation]:
    """The ops in a function's body and in the bodies of its loops."""
    blocks = function.body.blocks if len(function.body.blocks) == 1 else ()
    return [op for block in with_loops(blocks) for op in block.ops]


def shown(count: int) -> str:
    """A count as short text, however many digits it has."""
    if count >= _ENDLESS:
        return "more than 10^100"
    return f"{count:,}" if count < 10**15 else f"about 10^{round(log10(count))}"


def _flag(times: float) -> str:
    """The advice to raise the limit by a factor (`--effort`), for error messages; empty if the factor is 100,000 or
    more, since such a run would not end in reasonable time."""
    return f", or allow it (--effort {int(times) + 1})" if times < 1e5 else ""
