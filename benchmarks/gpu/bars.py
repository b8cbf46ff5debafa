"""The groups of measurements to which bars on a GPU model's accuracy apply, and whether the bars are met: the mean
error over a class's groups, no group above twice the bar, no rank correlation at or below 0.97."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from interp.cost.gpu.constants.measurement import FitErrors

LEAST_RANK = 0.97
WORST = 2.0
"""No group may lie above so many times the bar."""


@dataclass(frozen=True)
class Score:
    """Errors of predictions against the measurements of one group."""

    source: str
    gpu: str
    element: str
    label: str
    kernel_class: str
    errors: Mapping[str, FitErrors]
    """Of the `model`, and of baselines: `roofline`, `two constants`."""
    origin: str = ""
    """The rows on which the model's constants were fitted."""
    constants: Mapping[str, float] = field(default_factory=dict[str, float])
    left_out: int | None = None
    """Rows of the group that were fitted on, and left out; None where all groups' rows are of another directory."""

    @property
    def name(self) -> str:
        return f"{self.source} {self.gpu} {self.element} {self.label}"

    @property
    def model(self) -> FitErrors:
        return self.errors["model"]


@dataclass(frozen=True)
class Bar:
    """A bar of the mean absolute error over the groups of a class, %."""

    name: str
    mape: float
    holds: Callable[[Score], bool]


def _of(kernel_class: str, *labels: str) -> Callable[[Score], bool]:
    return lambda score: score.kernel_class == kernel_class and (not labels or score.label in labels)


BARS = (
    Bar("GEMM, own GPU calibrated", 8, lambda score: score.kernel_class == "gemm" and score.label != "bmm"),
    Bar("batched GEMM", 10, _of("gemm", "bmm")),
    Bar("convolution forward", 15, _of("conv_forward")),
    Bar("convolution backward", 25, lambda score: score.kernel_class.startswith("conv_backward")),
    Bar("element-wise", 7, _of("elementwise")),
    Bar("layer norm", 9, _of("norm")),
    Bar("softmax", 10, _of("softmax")),
    Bar("attention prefill", 12, _of("prefill")),
    Bar("attention decode", 15, _of("decode")),
    Bar("whole convolutional networks", 12, _of("network")),
    Bar("whole language models, f32", 8.9, _of("language model")),
    Bar("board energy", 8, lambda score: score.kernel_class.startswith("energy")),
    Bar("board energy, repeated for 1 s or more", 8, lambda score: score.kernel_class.startswith("long")),
)
"""The bars where a GPU's own measurements were fitted."""

TRANSFER_BARS = (
    Bar("GEMM, GPU never seen", 15, _of("gemm")),
    Bar("convolution forward, GPU never seen", 0, _of("conv_forward")),
    Bar("convolution backward, GPU never seen", 0, lambda score: score.kernel_class.startswith("conv_backward")),
    Bar("element-wise, GPU never seen", 0, _of("elementwise")),
    Bar("layer norm, GPU never seen", 0, _of("norm")),
    Bar("softmax, GPU never seen", 0, _of("softmax")),
    Bar("attention prefill, GPU never seen", 0, _of("prefill")),
    Bar("attention decode, GPU never seen", 0, _of("decode")),
    Bar("whole networks, GPU never seen", 0, _of("network")),
)
"""The bars of constants that come from other GPUs; 0 where there is none."""


@dataclass(frozen=True)
class Verdict:
    """The summary of the scores of a bar's groups."""

    bar: Bar
    scores: Sequence[Score]

    def mean(self, method: str = "model") -> float | None:
        """Mean error over the groups, %; None where a baseline is not known for all of them."""
        known = [score.errors[method].mape for score in self.scores if method in score.errors]
        return sum(known) / len(known) if len(known) == len(self.scores) else None

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
        """The distance from the bar, in words; none where it is met."""
        mean, limit = self.mean() or 0.0, self.bar.mape
        if not limit:
            return []
        found = [f"mean {mean - limit:.1f} too high"] if mean > limit else []
        above = sum(score.model.mape > WORST * limit for score in self.scores)
        found += [f"{above} of {len(self.scores)} groups above {WORST * limit:g} %"] if above else []
        low = sum(score.model.rank <= LEAST_RANK for score in self.scores)
        found += [f"{low} with rank to {LEAST_RANK:g}"] if low else []
        return found


def verdicts(scores: Sequence[Score], bars: Sequence[Bar]) -> list[Verdict]:
    """A verdict for each bar that there are groups of."""
    found = [Verdict(bar, [score for score in scores if bar.holds(score)]) for bar in bars]
    return [verdict for verdict in found if verdict.scores]
