"""`--timing`: the wall time of a run by section as a tree, and the applied patterns of each pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter


@dataclass
class TimedSection:
    """The wall time of a named section of the run, with its subsections; times of subsections of one name are added."""

    name: str
    seconds: float = 0.0
    parts: dict[str, TimedSection] = field(default_factory=dict[str, "TimedSection"])

    def part(self, name: str) -> TimedSection:
        """The subsection of this name; it is created if it does not exist."""
        return self.parts.setdefault(name, TimedSection(name))


class Timer:
    """A timer of nested sections: `with timer("parse"): …`."""

    def __init__(self, started: float) -> None:
        self._started = started
        self._root = TimedSection("total")
        self._open = [self._root]
        self._changes: dict[str, tuple[Counter[str], Counter[str]]] = {}
        """Counts by pass: applications of each pattern, and ops inserted, replaced and erased."""

    @contextmanager
    def __call__(self, name: str) -> Generator[None]:
        section = self._open[-1].part(name)
        self._open.append(section)
        before = perf_counter()
        try:
            yield
        finally:
            section.seconds += perf_counter() - before
            self._open.pop()

    def add(self, name: str, seconds: float) -> None:
        """Add a time, measured by the caller, to a subsection of the current section."""
        self._open[-1].part(name).seconds += seconds

    def add_changes(self, name: str, fired: Counter[str], ops: Counter[str]) -> None:
        """Add the changes of a pass. `fired`: applications of each pattern; `ops`: ops inserted, replaced and
        erased."""
        for total, new in zip(self._changes.setdefault(name, (Counter(), Counter())), (fired, ops), strict=True):
            total.update(new)

    def table(self) -> str:
        """The tree as text: seconds, fraction of the total, name; subsections are indented, with a row for the time
        outside of all subsections. Then the applied patterns and numbers of changed ops of each pass."""
        self._root.seconds = perf_counter() - self._started
        rows: list[str] = ["  seconds    share  section"]
        self._rows(self._root, 0, rows)
        for name, (fired, ops) in self._changes.items():
            for head, counts in ((f"    fired  pattern of {name}", fired), (f"      ops  of {name}", ops)):
                if counts:
                    rows += ["", head, *(f"{count:9}  {what}" for what, count in counts.most_common())]
        return "\n".join(rows) + "\n"

    def _rows(self, section: TimedSection, depth: int, rows: list[str]) -> None:
        fraction = section.seconds / self._root.seconds if self._root.seconds else 0.0
        rows.append(f"{section.seconds:9.4f}  {fraction:6.1%}  {'  ' * depth}{section.name}")
        for part in section.parts.values():
            self._rows(part, depth + 1, rows)
        rest = section.seconds - sum(part.seconds for part in section.parts.values())
        if section.parts and rest > 0.01 * self._root.seconds:
            self._rows(TimedSection("rest", rest), depth + 1, rows)
