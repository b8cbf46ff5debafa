"""The comparison of machines and pipelines for one program: a row for each pair, as `ndpir.compare` returns them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from os import fspath

from xdsl.passes import ModulePass, PassPipeline

from ndpir.compiler.compilation import Pass, Path, Request, Variants
from ndpir.frontends.machines import DEFAULT, machine_of
from ndpir.reports.columns import FIGURES
from ndpir.reports.run import Run
from ndpir.reports.summary import summary_answer


@dataclass(frozen=True)
class Compared:
    """A program on one machine, compiled by one pipeline. The figures are those of the run's summary; null if there is
    an error, or if the summary has no value for a figure."""

    machine: str | None
    """The machine's name or path as the caller wrote it; null for the program's own machine, or the default machine."""
    pipeline: str
    makespan_ns: float | None = None
    types: str | None = None
    """The element types of the run's contractions, those with the most multiplications first: `f16`, `f32 without
    TF32`. Rows of different types do not compute the same numbers."""
    alone_form: str | None = None
    """The form of the program on the primary device alone, to which `speed_up` is relative: the type to which it was
    converted, or `as read`."""
    speed_up: float | None = None
    """The time of the primary device alone, divided by the makespan."""
    energy_nj: float | None = None
    """Energy of the run in nJ: the sum over operations, bytes and commands, and over idle power if a sheet states
    one."""
    rel_energy: float | None = None
    """Energy of the run divided by the energy of the same program on the primary device alone."""
    bound_ns: float | None = None
    """A lower bound on the makespan of any schedule of the same tasks and copies."""
    bound_by: str | None = None
    gap: float | None = None
    """Makespan divided by the bound, minus 1."""
    opaque_share: float | None = None
    """The part of the time of all tasks and copies that operators take of which only the bytes are known (`opaque`)."""
    error: str | None = None
    """The reason why the program can't be compiled or simulated."""


def compared(
    variants: Variants,
    machines: Sequence[Path | None],
    pipelines: Sequence[Pass | Sequence[Pass]],
    request: Request,
    failure: Callable[[Exception], str | None],
) -> Iterator[Compared]:
    """A row for each machine and pipeline: first all pipelines of the first machine, then all of the second, and so on.
    `request`: the request to compile, whose machine and passes are replaced for each row. `failure`: the function
    that returns the text of an exception due to the input, and None for any other exception, which is raised."""
    needed = None if machine_of(variants.program) else DEFAULT  # figures need a machine, even if no pass does
    for machine in machines:
        for pipeline in pipelines:
            row = Compared(None if machine is None else fspath(machine), text_of(pipeline))
            try:
                module = variants.compiled(replace(request, machine=machine or needed, passes=pipeline))
                yield _with_figures(row, Run(module))
            except Exception as error:
                text = failure(error)
                if text is None:
                    raise
                yield replace(row, error=text)


def _with_figures(row: Compared, run: Run) -> Compared:
    answer = summary_answer(run, depends=False)
    figures = {each.name: FIGURES[each.name](answer) for each in fields(Compared) if each.name in FIGURES}
    return replace(row, bound_by=answer.totals.bound_by, **figures)


def text_of(passes: Pass | Sequence[Pass]) -> str:
    """The text of passes, written as after `-p`."""
    match passes:
        case str():
            return passes
        case ModulePass():
            return str(passes)
        case PassPipeline():
            return ",".join(map(text_of, passes.passes))
        case _:
            return ",".join(map(text_of, passes))
