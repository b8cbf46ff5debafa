"""Accuracy bars of the GPU models (the errors that they must not exceed), and checks of groups of measurements against
the bars.

A bar is met if three conditions hold: the mean error over the groups of a class is at most the bar, no group's error is
above twice the bar, and each group's rank correlation is above 0.97.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from interp.kinds.gpu.constants.measurement import FitErrors

LEAST_RANK = 0.97
WORST = 2.0
"""The largest allowed error of a group, as a multiple of the bar."""


@dataclass(frozen=True)
class Score:
    """Errors of predictions for one group, relative to the group's measurements."""

    source: str
    gpu: str
    element: str
    label: str
    kernel_class: str
    errors: Mapping[str, FitErrors]
    """The errors by method: `model`, and the baselines `roofline` and `two constants`."""
    origin: str = ""
    """A description of the rows to which the model's constants were fitted."""
    constants: Mapping[str, float] = field(default_factory=dict[str, float])
    library: str = ""
    left_out: int | None = None
    """The number of the group's rows that were skipped because a fit used them; None if the fits used a different
    directory."""

    @property
    def name(self) -> str:
        return f"{self.source} {self.gpu} {self.library} {self.element} {self.label}"

    @property
    def model(self) -> FitErrors:
        return self.errors["model"]


@dataclass(frozen=True)
class Bar:
    """An upper limit on the mean absolute error, in per cent, over the groups of a kernel class."""

    name: str
    mape: float
    holds: Callable[[Score], bool]


def _of(kernel_class: str, *labels: str) -> Callable[[Score], bool]:
    return lambda score: score.kernel_class == kernel_class and (not labels or score.label in labels)


def _kinds(word: str, bars: Mapping[str, float]) -> tuple[Bar, ...]:
    """Return a bar for each kind of kernel; `word`: the ending of their names."""
    holds: dict[str, Callable[[Score], bool]] = {
        "GEMM": lambda score: score.kernel_class == "gemm" and score.label != "bmm",
        "batched GEMM": _of("gemm", "bmm"),
        "GEMM with scaled blocks": _of("gemm_blocks"),
        "convolution forward": _of("conv_forward"),
        "convolution backward": lambda score: score.kernel_class.startswith("conv_backward"),
        "element-wise": _of("elementwise"),
        "layer norm": _of("norm"),
        "softmax": _of("softmax"),
        "embedding": _of("gather"),
        "attention prefill": lambda score: score.kernel_class == "prefill" and score.label != "mixed attention",
        "attention prefill and decode": _of("prefill", "mixed attention"),
        "attention prefill, f8 cache": _of("prefill_narrow"),
        "attention of encoders": _of("bidirectional"),
        "attention decode": _of("decode"),
        "attention decode, f8 cache": _of("decode_narrow"),
        "routed experts": _of("experts"),
        "routed experts without a gate": _of("experts_ungated"),
        "routed experts with scaled blocks": _of("experts_blocks"),
    }
    return tuple(Bar(f"{name}{word}", bars.get(name, 0), each) for name, each in holds.items())


_MEASURED = {
    **{"GEMM": 8, "batched GEMM": 9, "convolution forward": 14, "convolution backward": 17, "element-wise": 5.5},
    **{"layer norm": 6, "softmax": 6, "attention prefill": 7, "attention decode": 9},
}
BARS = (
    *_kinds("", _MEASURED),
    Bar("complete convolutional networks", 7, _of("network")),
    Bar("complete vision transformers", 0, _of("other network")),
    Bar("complete language models, f32", 8.9, _of("language model")),
    *(
        Bar(f"board energy, {name}{long}", mape if long else 8, _of(f"{word} {kernel_class}"))
        for word, long in (("energy", ""), ("long", ", repeated for 1 s or more"))
        for kernel_class, name, mape in (
            ("gemm", "GEMM", 9),
            ("prefill", "attention prefill", 15),
            ("decode", "attention decode", 15),
        )
    ),
)
"""The bars for models whose constants were fitted on measurements of the same GPU and library; 0: no bar."""

LIBRARY_BARS = _kinds(", library never seen here", {"GEMM": 10, "attention prefill": 18, "attention decode": 22})
"""The bars for a library on a GPU on which only other libraries were fitted; 0: no bar."""

TRANSFER_BARS = _kinds(
    ", GPU never seen",
    {
        **{"GEMM": 13, "batched GEMM": 15, "convolution forward": 25, "convolution backward": 25, "element-wise": 12},
        **{"layer norm": 13, "softmax": 14, "attention prefill": 16, "attention decode": 22},
    },
)
"""The bars for models whose constants were fitted on other GPUs; 0: no bar."""


@dataclass(frozen=True)
class Verdict:
    """The scores of all groups for which a bar is defined, and the results of the comparison with the bar."""

    bar: Bar
    scores: Sequence[Score]

    def mean(self, method: str = "model") -> float | None:
        """Return the mean error of a method over the groups, %; None if a group has no error for this method."""
        known = [score.errors[method].mape for score in self.scores if method in score.errors]
        return sum(known) / len(known) if len(known) == len(self.scores) else None

    @property
    def rows(self) -> int:
        """The number of measurements."""
        return sum(score.model.count for score in self.scores)

    @property
    def of_rows(self) -> float:
        """The model's mean error over all measurements of all groups, %."""
        return sum(score.model.mape * score.model.count for score in self.scores) / self.rows

    @property
    def median(self) -> float:
        """The model's error on the middle group, %."""
        return median(score.model.mape for score in self.scores)

    @property
    def bias(self) -> float:
        return sum(score.model.bias for score in self.scores) / len(self.scores)

    @property
    def worst(self) -> Score:
        return max(self.scores, key=lambda score: score.model.mape)

    @property
    def least_rank(self) -> Score:
        return min(self.scores, key=lambda score: score.model.rank)

    @property
    def misses(self) -> list[str]:
        """Return a description of each violated condition; an empty list if the bar is met."""
        mean, limit = self.mean() or 0.0, self.bar.mape
        if not limit:
            return []
        found = [f"mean {mean - limit:.1f} points above the bar"] if mean > limit else []
        above = sum(score.model.mape > WORST * limit for score in self.scores)
        found += [f"{above} of {len(self.scores)} groups above {WORST * limit:g} %"] if above else []
        low = sum(score.model.rank <= LEAST_RANK for score in self.scores)
        found += [f"{low} with rank correlation {LEAST_RANK:g} or less"] if low else []
        return found


def verdicts(scores: Sequence[Score], bars: Sequence[Bar]) -> list[Verdict]:
    """Return a verdict for each bar that applies to at least one score (one group of measurements)."""
    found = [Verdict(bar, [score for score in scores if bar.holds(score)]) for bar in bars]
    return [verdict for verdict in found if verdict.scores]
