"""The fuzzer: mutates inputs of all kinds for a given time, and stores cases that the tools handle wrongly as seeds.

    python -m tests.fuzz --minutes 60 --seed 1          all kinds
    python -m tests.fuzz --kind onnx --cases 10000      a number of cases of one kind
    python -m tests.fuzz --only mlir:1:5000             one case again, with all of its output

A seed and a number always give the same case, and runs with different seeds never have common cases. Each failing case
is reduced and written to `tests/fuzz/seeds/KIND/`, from where `pytest tests/fuzz` runs it again. Cases run in a
separate process with a limit on its memory; if it crashes or hangs in C code, this is a failure, too, and a new process
continues with the next case.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import hashlib
import multiprocessing
import os
import re
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from time import monotonic, process_time

from tests.fuzz.case import SEEDS, SUFFIX, Case
from tests.fuzz.judge import WALL_SECONDS, judge, shape_of, workbench
from tests.fuzz.kinds import KINDS, draw, kind_of
from tests.fuzz.shrink import shrunk

BATCH = 2000
"""The number of cases per process, limited since caches grow with every case."""
SHRINK_SECONDS = 20.0
"""The processor time in seconds for reducing a failing case."""
CaseResult = tuple[int, str, int, str, str, str, float]
"""The result of a case: number, kind, exit status, failure, its signature, the message's shape, processor time."""


@dataclass
class Tally:
    """Counts of a fuzzing run by kind of case: cases, rejected inputs and failures; and the first case of each distinct
    failure."""

    cases: Counter[str] = field(default_factory=Counter[str])
    refused: Counter[str] = field(default_factory=Counter[str])
    finds: Counter[str] = field(default_factory=Counter[str])
    known: dict[str, str] = field(default_factory=dict[str, str])
    """The first failing case of each signature."""
    messages: dict[str, tuple[int, str]] = field(default_factory=dict[str, tuple[int, str]])
    processor: float = 0.0

    def table(self, seconds: float) -> str:
        """The table of the numbers of a run with a row for each kind of case, and the list of failure signatures, as
        text; `seconds` is the duration of the run."""
        rows = [f"{'kind':<12}{'cases':>9}{'refused':>9}{'finds':>7}"]
        rows += [f"{k:<12}{self.cases[k]:>9}{self.refused[k]:>9}{self.finds[k]:>7}" for k in KINDS if self.cases[k]]
        total = self.cases.total()
        rows += [f"{'all':<12}{total:>9}{self.refused.total():>9}{self.finds.total():>7}"]
        rate = total / max(self.processor, 1e-9)
        rows += [
            f"{seconds:.0f} s by the clock, {self.processor:.0f} s of a processor: {rate:.0f} cases a second of it"
        ]
        rows += [f"{len(self.known)} signatures:", *(f"  {case}  {name}" for name, case in sorted(self.known.items()))]
        return "\n".join(rows) + "\n"


def main(words: Sequence[str] | None = None) -> int:
    """Run the fuzzer; returns 1 if a case failed, else 0."""
    said = _parsed(words)
    if said.only:
        return _once(*said.only)
    kinds, started, tally = said.kind or list(KINDS), monotonic(), Tally()
    for kind in kinds:
        draw(kind, said.seed, 0)  # reads the corpora before processes are forked
    gc.freeze()
    number, last = said.start, said.start + said.cases if said.cases else sys.maxsize
    try:
        while number < last and not _over(said, started):
            number = _batch(said, kinds, number, min(number + BATCH, last), started, tally)
    except KeyboardInterrupt:
        pass
    sys.stderr.write("\n")
    sys.stdout.write(tally.table(monotonic() - started))
    if said.messages:
        for shape, (count, example) in sorted(tally.messages.items()):
            sys.stdout.write(f"{count:>7}  {shape}   [{example}]\n")
    return 1 if tally.known else 0


def _parsed(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=0.0, help="stop after this time (default: never)")
    parser.add_argument("--cases", type=int, default=0, help="stop after so many cases (default: never)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0, help="the number of the first case")
    parser.add_argument("--kind", action="append", choices=list(KINDS), help="only this kind (repeatable)")
    parser.add_argument("--only", type=_named, metavar="KIND:SEED:NUMBER", help="run one case, and say all of it")
    parser.add_argument("--messages", action="store_true", help="list the distinct errors that were met")
    parser.add_argument("--no-seeds", action="store_true", help="write no seeds")
    return parser.parse_args(words)


def _named(text: str) -> tuple[str, int, int]:
    match = re.fullmatch(r"(\w+):(\d+):(\d+)", text)
    if match is None or match[1] not in KINDS:
        raise argparse.ArgumentTypeError("a case is KIND:SEED:NUMBER")
    return match[1], int(match[2]), int(match[3])


def _over(said: argparse.Namespace, started: float) -> bool:
    return bool(said.minutes) and monotonic() - started > 60 * said.minutes


def _once(kind: str, seed: int, number: int) -> int:
    case = draw(kind, seed, number)
    with workbench(limited=True):
        run = judge(case)
    sys.stdout.write(
        f"{' '.join(case.words)}\n{case.data.decode('utf-8', 'replace')}\n--- status {run.status}\n{run.out}{run.err}\n"
    )
    if run.find is not None:
        sys.stdout.write(f"--- {run.find.what}: {run.find.signature}\n{run.find.detail}\n")
    return 1 if run.find else 0


def _batch(said: argparse.Namespace, kinds: Sequence[str], first: int, end: int, started: float, tally: Tally) -> int:
    """Run the cases with numbers from `first` to `end` - 1 in a separate process, and count their results in `tally`;
    returns the number of the first case that was not run (`end` if all were run)."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    at = multiprocessing.Value(ctypes.c_longlong, first)
    context = multiprocessing.get_context("fork")
    worker = context.Process(
        target=_work, args=(theirs, at, said, kinds, first, end, {each.partition(": ")[2] for each in tally.known})
    )
    worker.start()
    theirs.close()
    seen, heard = first, monotonic()
    while not _over(said, started):
        if ours.poll(1.0):
            try:
                result: CaseResult = ours.recv()
            except EOFError:
                break
            heard, seen = monotonic(), result[0] + 1
            _count(result, said, tally)
            _show(tally, started)
        elif not worker.is_alive() and not ours.poll(0):
            break
        elif monotonic() - heard > 3 * WALL_SECONDS + SHRINK_SECONDS:
            assert worker.pid is not None
            os.kill(worker.pid, signal.SIGKILL)
            worker.join()
            break
    if _over(said, started) and worker.is_alive():
        worker.terminate()
        worker.join()
        return seen
    worker.join()
    ours.close()
    if worker.exitcode or seen < min(end, at.value):
        number = at.value
        kind = kind_of(said.seed, number, kinds)
        result = (number, kind, -1, "death", f"the process ended with {worker.exitcode}", "", 0.0)
        _count(result, said, tally)
        _keep(said, kind, draw(kind, said.seed, number), f"death {number}")
        return number + 1
    return end


def _work(
    pipe: Connection,
    at: ctypes.c_longlong,
    said: argparse.Namespace,
    kinds: Sequence[str],
    first: int,
    end: int,
    known: set[str],
) -> None:
    """Run cases one after another, and send the result of each through the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    with workbench(limited=True):
        for number in range(first, end):
            at.value = number
            began = process_time()
            kind = kind_of(said.seed, number, kinds)
            case = draw(kind, said.seed, number)
            run = judge(case)
            spent = process_time() - began
            what, signature = (run.find.what, run.find.signature) if run.find else ("", "")
            if signature and signature not in known:
                known.add(signature)
                _keep(said, kind, shrunk(case, signature, SHRINK_SECONDS), signature)
            pipe.send((number, kind, run.status, what, signature, shape_of(run.message or ""), spent))
    pipe.close()


def _keep(said: argparse.Namespace, kind: str, case: Case, signature: str) -> None:
    if said.no_seeds:
        return
    name = re.sub(r"[^\w.]+", "-", signature).strip("-")[:48]
    folder = SEEDS / kind
    folder.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(case.to_bytes()).hexdigest()[:6]
    (folder / f"{name}-{digest}{SUFFIX}").write_bytes(case.to_bytes())


def _count(result: CaseResult, said: argparse.Namespace, tally: Tally) -> None:
    number, kind, status, what, signature, shape, spent = result
    tally.cases[kind] += 1
    tally.processor += spent
    tally.refused[kind] += status != 0
    name = f"{kind}:{said.seed}:{number}"
    if shape:
        count, example = tally.messages.get(shape, (0, name))
        tally.messages[shape] = (count + 1, example)
    if signature:
        tally.finds[kind] += 1
        if f"{what}: {signature}" not in tally.known:
            tally.known[f"{what}: {signature}"] = name
            sys.stderr.write(f"\r{name}  {what}: {signature}\n")


def _show(tally: Tally, started: float) -> None:
    if sys.stderr.isatty() and tally.cases.total() % 50 == 0:
        sys.stderr.write(
            f"\r{tally.cases.total()} cases, {len(tally.known)} signatures, {monotonic() - started:.0f} s "
        )


if __name__ == "__main__":
    sys.exit(main())
