"""Near-data programs of training steps before and after passes that shorten them (forms), compared with NDPX's.

    python -m benchmarks ndpx_programs                     # the nine steps in examples/models/steps
    python -m benchmarks ndpx_programs STEP.mlir …         # other programs
    python -m benchmarks ndpx_programs --kernels           # only public kernels, with the errors of the law

All ops that near-data units support are placed on them, each group of `fuse` as one kernel. The form `none` is the
output of `to-ndp`; other forms are the output after further passes: `memory` after `forward-stores`, `numbering` after
`number-values`, `both` after both of these, `split` after both and `split-outputs`. Cycles are of one unit with its
shard, without waits for the memory, summed over all launches; a ratio is the cycles of `none` divided by those of a
form. Published ratios are of the network with the same name (of a transformer for GPT-2).

Kernels of equal counts: if one of ndpir's programs has the same numbers of inputs, outputs and ops in form `none` as a
public kernel, the table shows the inputs and ops of both in all other forms; `same`: a public kernel has the same
counts as ndpir's program in all forms.

By outputs: the fraction of the cycles of `both` in kernels with several outputs, whose stores no pass removes, and the
ratio of `none` to `both` for kernels with several outputs and with one, for ndpir's kernels and for public kernels.

Public kernels (tests/data/ndpx/kernels_open.csv): the ratios over all kernels of a network, measured and predicted by
the shipped law. With `--kernels` also errors of the law on each form, |predicted - cycles| / cycles, over all kernels,
in five folds of shapes (equal numbers of elements and equal counts in all forms), and in five folds of signatures
(equal counts): the law is fitted to the rows of costs_open.csv and to the kernels whose shape, or signature, no
evaluated kernel has. `mean of groups`: the mean over shapes or signatures, each with the weight of one kernel.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # another installed package may be called benchmarks

import numpy as np
from xdsl.dialects.builtin import ModuleOp

import ndpir
from benchmarks.near_data.ndpx_cost import FOLDS, SEED, read
from benchmarks.near_data.public_kernels import (
    DATA,
    PublicKernel,
    errors,
    predicted,
    public_kernels,
    published_ratios,
    with_public_scratch_price,
)
from benchmarks.near_data.public_kernels import FORMS as PUBLISHED
from dialects.diagnostics import InputError, notes_to
from dialects.ndp import LaunchOp, ProgramOp
from dialects.text.columns import table
from interp.kinds.ndp.costs import NearDataCosts
from interp.kinds.ndp.files import law_of
from interp.kinds.ndp.fit import Rows, fit
from interp.kinds.ndp.law import Floats, Law
from interp.kinds.ndp.streams import streams
from interp.machine.composition import Machine
from interp.machine.near_data import as_near_data, near_data_devices
from interp.walk.level import device_of

REPOSITORY = Path(__file__).resolve().parents[2]
STEPS = REPOSITORY / "examples" / "models" / "steps"
FORMS = {
    "none": "",
    "memory": "forward-stores",
    "numbering": "number-values",
    "both": "forward-stores,number-values",
    "split": "forward-stores,number-values,split-outputs",
}
NETWORKS = {"bert_base": "bert", "bert_large": "bert", "gpt2": "transformer"}
"""The published network that is most similar to a training step, for steps whose name differs."""


class Program(NamedTuple):
    """The counts of a near-data program: inputs, outputs, ops and lines; and its cycles by the cost law."""

    inputs: int
    outputs: int
    ops: int
    lines: int
    cycles: float


def programs_of(module: ModuleOp) -> Iterator[tuple[int, Program]]:
    """Yield the number of launches and the counts of each program of a module, in program order."""
    machine = Machine.of(module)
    launches = Counter(op.kernel.root_reference.data for op in module.walk() if isinstance(op, LaunchOp))
    for program in module.body.block.ops:
        if isinstance(program, ProgramOp):
            device = as_near_data(machine.device(device_of(program), program), device_of(program), program)
            found = streams(program)
            cycles = sum(each.floor + each.stream for each in NearDataCosts(device).cycles(found))
            yield (
                launches[program.sym_name.data],
                Program(
                    sum(each.inputs for each in found),
                    len(program.outputs),
                    sum(each.ops for each in found),
                    len(program.body.block.ops),
                    cycles,
                ),
            )


def forms_of(path: Path, machine: str) -> dict[str, list[tuple[int, Program]]]:
    """Return the near-data programs of a training step for each form of `FORMS` (the passes run after `to-ndp`), each
    program with its number of launches."""
    with notes_to(lambda _message, _place: None):
        naive = ndpir.compile(ndpir.read(path), "fuse,place{policy=pim-first},to-ndp", machine=machine)
        modules = {form: ndpir.compile(naive, passes) if passes else naive for form, passes in FORMS.items()}
    return {form: list(programs_of(module)) for form, module in modules.items()}


def compare_forms(name: str, forms: Mapping[str, Sequence[tuple[int, Program]]]) -> list[tuple[str, ...]]:
    """Return the rows of a training step in the table of forms, with sums over all launches."""
    published = published_ratios().get(NETWORKS.get(name, name), {})
    rows: list[tuple[str, ...]] = []
    base = 0.0
    for form, programs in forms.items():
        sums = [sum(count * program[field] for count, program in programs) for field in (0, 2, 3, 4)]
        base = base or sums[-1]
        count = sum(count for count, _ in programs)
        ratio = f"{base / sums[-1]:.2f}" if sums[-1] else "-"
        rows.append((name, form, f"{count:,}", *(f"{each:,.0f}" for each in sums), ratio, published.get(form, "-")))
    return rows


def equal_counts(
    forms: Mapping[str, Sequence[tuple[int, Program]]], public: Sequence[PublicKernel]
) -> dict[tuple[int, ...], int]:
    """Return the counts of ndpir's programs whose form `none` has the counts of a public kernel, each with its number
    of launches.

    Counts are inputs, outputs and ops of the form `none`, then inputs and ops of each other form.
    """
    known = {each.before for each in public}
    found = Counter[tuple[int, ...]]()
    for same in zip(*(forms[form] for form in PUBLISHED), strict=True):
        count, naive = same[0]
        if (naive.inputs, naive.outputs, naive.ops) in known:
            after = [number for _, program in same[1:] for number in (program.inputs, program.ops)]
            found[(naive.inputs, naive.outputs, naive.ops, *after)] += count
    return found


def by_outputs(name: str, kernels: Sequence[tuple[int, float, float]]) -> tuple[str, ...]:
    """Return a row of the table by outputs. `kernels`: for each kernel, its number of outputs, and its cycles in the
    forms `none` and `both`."""
    rows = np.array([each for each in kernels if each[0]]).reshape(-1, 3)
    several = rows[:, 0] > 1
    fraction = rows[several, 2].sum() / rows[:, 2].sum()
    ratios = [
        f"{rows[which, 1].sum() / rows[which, 2].sum():.2f}" if which.any() else "-" for which in (several, ~several)
    ]
    return (name, f"{100 * fraction:.0f} %", *ratios)


def _equal_rows(found: Mapping[tuple[int, ...], int], public: Sequence[PublicKernel]) -> list[tuple[str, ...]]:
    outcomes = defaultdict[tuple[int, ...], Counter[tuple[int, ...]]](Counter)
    for each in public:
        outcomes[each.before][tuple(n for form in PUBLISHED[1:] for n in each.forms[form][:2])] += 1

    def counts_text(after: Sequence[int]) -> str:
        return "  ".join(f"{a}, {b}" for a, b in zip(after[::2], after[1::2], strict=True))

    rows: list[tuple[str, ...]] = []
    for counts, launches in sorted(found.items()):
        before, after = counts[:3], counts[3:]
        theirs = outcomes[before[0], before[1], before[2]]
        same = sum(any(after[at : at + 2] == each[at : at + 2] for each in theirs) for at in range(0, len(after), 2))
        shown = "; ".join(f"{counts_text(each)} ({n})" for each, n in theirs.most_common(3))
        rows.append((", ".join(map(str, before)), f"{launches:,}", counts_text(after), shown, f"{same} of 3"))
    return rows


def folds(
    public: Sequence[PublicKernel], part: Callable[[PublicKernel], Hashable]
) -> Iterator[tuple[list[PublicKernel], list[int]]]:
    """Yield five pairs (kernels of the fit, numbers of the evaluated kernels). The distinct values of `part` are
    divided into five parts, at random with a fixed seed; kernels of equal values are in the same part."""
    values = list(dict.fromkeys(part(each) for each in public))
    order: list[int] = np.random.default_rng(SEED).permutation(len(values)).tolist()
    fold = {values[value]: place % FOLDS for place, value in enumerate(order)}
    for number in range(FOLDS):
        evaluated = [index for index, each in enumerate(public) if fold[part(each)] == number]
        yield [each for each in public if fold[part(each)] != number], evaluated


def without(rows: Rows, kernels: Sequence[PublicKernel], any_size: bool) -> Rows:
    """Return the rows of other kernels: without rows that have the numbers of elements, inputs, outputs and ops of one
    of these kernels in any form; with `any_size`, whatever the number of elements."""
    known = {
        (each.elements, each.forms[form][0], each.outputs, each.forms[form][1])[any_size:]
        for each in kernels
        for form in PUBLISHED
    }
    return rows.pick(np.array([key[any_size:4] not in known for key in rows.identities()]))


def fold_errors(rows: Rows, public: Sequence[PublicKernel], any_size: bool) -> dict[str, Floats]:
    """Return the error of each public kernel in each form, by a law that was fitted to other kernels: rows of
    costs_open.csv, and public kernels for the cost of accesses to a unit's own memory. `any_size`: they differ in
    inputs, outputs or ops, not only in the number of elements."""
    found = {form: np.zeros(len(public)) for form in PUBLISHED}
    for known, evaluated in folds(public, lambda each: each.shape[any_size:]):
        unknown = [public[index] for index in evaluated]
        law = with_public_scratch_price(fit(without(rows, unknown, any_size)), known)
        for form, off in found.items():
            off[evaluated] = errors(law, unknown, form)
    return found


def _print_errors(public: Sequence[PublicKernel]) -> None:
    rows = read(DATA / "costs_open.csv")
    for any_size, words in ((False, "shapes"), (True, "signatures")):
        groups = Counter(each.shape[any_size:] for each in public)
        weights = [1 / groups[each.shape[any_size:]] for each in public]
        lines: list[tuple[str, ...]] = []
        for form, off in fold_errors(rows, public, any_size).items():
            numbers = off.mean(), np.median(off), np.percentile(off, 90), off.max(), np.average(off, weights=weights)
            lines.append((form, f"{len(off)}", *(f"{100 * float(each):.1f} %" for each in numbers)))
        print(f"{FOLDS} folds of {len(groups)} {words}; the law is fitted to kernels of other {words}")
        print(table(("public kernels", "kernels", "mean", "median", "p90", "worst", "mean of groups"), lines, left=[0]))


def _print_ratios(law: Law, public: Sequence[PublicKernel]) -> None:
    rows: list[tuple[str, ...]] = []
    for network in dict.fromkeys(each.network for each in public):
        mine = [each for each in public if each.network == network]
        took = {form: sum(each.forms[form][2] for each in mine) for form in PUBLISHED}
        said = {form: float(predicted(law, mine, form).sum()) for form in PUBLISHED}
        ratios = [f"{sums['none'] / sums[form]:.2f}" for form in PUBLISHED[1:] for sums in (took, said)]
        rows.append((network, f"{len(mine)}", *ratios))
    header = [f"{form}{word}" for form in PUBLISHED[1:] for word in ("", ", predicted")]
    print(table(("network", "kernels", *header), rows, left=[0]))


def main(arguments: Sequence[str] | None = None) -> int:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="training steps (default: all nine)")
    parser.add_argument("--machine", default="v100-ndpx", help="machine with near-data units (default: %(default)s)")
    parser.add_argument("--kernels", action="store_true", help="only the public kernels, with the errors of the law")
    options = parser.parse_args(arguments)
    public = public_kernels()
    try:
        if not options.kernels:
            _print_steps(options.files or sorted(STEPS.glob("*.mlir")), options.machine, public)
        module = ndpir.compile(ndpir.parse(""), "", machine=options.machine)
        units = near_data_devices(Machine.of(module).devices)
        if not units:
            raise InputError(
                f"machine {options.machine} has no near-data units; give one that has some, such as v100-ndpx"
            )
        if options.kernels:
            _print_errors(public)
        _print_ratios(law_of(next(iter(units.values()))), public)
    except InputError as error:
        print(f"{error.place}: error: {error.message}" if error.place else f"error: {error.message}", file=sys.stderr)
        return 1
    return 0


def _print_steps(files: Sequence[Path], machine: str, public: Sequence[PublicKernel]) -> None:
    rows, output_rows, same = list[tuple[str, ...]](), list[tuple[str, ...]](), Counter[tuple[int, ...]]()
    for file in files:
        if sys.stderr.isatty():
            print(f"{file.stem} …", file=sys.stderr)
        forms = forms_of(file, machine)
        rows += compare_forms(file.stem, forms)
        same.update(equal_counts(forms, public))
        pairs = zip(forms["none"], forms["both"], strict=True)
        output_rows.append(
            by_outputs(file.stem, [(one.outputs, n * one.cycles, n * other.cycles) for (n, one), (_, other) in pairs])
        )
    header = ("step", "form", "kernels", "inputs", "ops", "lines", "cycles", "ratio", "published")
    print(table(header, rows, left=[0, 1]))
    for network in dict.fromkeys(each.network for each in public):
        theirs = [each for each in public if each.network == network]
        cycles = [(each.outputs, float(each.forms["none"][2]), float(each.forms["both"][2])) for each in theirs]
        output_rows.append(by_outputs(f"public {network}", cycles))
    print(table(("by outputs", "share of several", "ratio of several", "ratio of one"), output_rows, left=[0]))
    header = ("inputs, outputs, ops", "launches", "ours: memory  numbering  both", "public kernels (how many)", "same")
    print(table(header, _equal_rows(same, public), left=[0, 2, 3]))


if __name__ == "__main__":
    sys.exit(main())
