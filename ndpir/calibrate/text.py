"""Output of `ndp-calibrate`: the errors of a fit as a table or JSON, and the classes of kernels with their columns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from dialects.text import columns
from interp.figures import multiple
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.measurement import FitErrors
from interp.kinds.gpu.kernel_class import KernelClass
from interp.units import in_unit
from ndpir.calibrate.fit import ClassFit, FitOptions, WayErrors
from ndpir.calibrate.rows import GENERAL, WAYS

_HEAD = ("class", "type", "way", "fitted", "held out", "MAPE", "median", "bias", "rank", "before", "worst", "at")


def table(fits: Sequence[ClassFit]) -> str:
    """A table with one line per class, element type and way: errors in % on held-out shapes, and `before`, the error of
    the previous constants."""
    if not fits:
        return ""
    rows = (_row(found, way) for found in fits for way in found.ways)
    return columns.table(_HEAD, rows, left=(0, 1, 2, 11)) + "".join(f"{line}\n" for line in _host(fits))


def _row(found: ClassFit, way: WayErrors) -> tuple[str, ...]:
    held = way.held
    return (
        found.kernel_class,
        found.element,
        way.way,
        str(len(found.fitted)),
        str(held.count) if found.held else "none",
        f"{held.mape:.1f}",
        f"{held.median:.1f}",
        f"{held.bias:+.1f}",
        f"{held.rank:.4f}",
        f"{way.before.mape:.1f}",
        multiple(way.worst),
        way.worst_place,
    )


def _host(fits: Sequence[ClassFit]) -> Iterator[str]:
    """Lines of text with the time that the host takes to submit a kernel: for each way of submission with measurements,
    the median over all classes."""
    for name in WAYS:
        times = sorted(
            way.submission.dispatch_ns
            for found in fits
            for way in found.ways
            if way.way == name and way.submission.dispatch_ns > 0
        )
        if times:
            middle = in_unit(times[len(times) // 2], "ns")
            yield f"the host takes {middle} to submit a kernel ({name}); write `dispatch {name} {middle}` in the sheet"


def json_report(fits: Sequence[ClassFit], rows: int, left_out: int, choice: FitOptions) -> str:
    """The errors and the constants of fits as JSON text; `rows`: the number of rows read; `left_out`: the number of
    rows skipped."""
    classes = [
        {
            "class": found.kernel_class,
            "element": found.element,
            "fitted": len(found.fitted),
            "held_out": len(found.held),
            "before": found.before,
            "constants": dict(found.record.constants) if found.record is not None else None,
            "ways": [_way(way) for way in found.ways],
        }
        for found in fits
    ]
    read = {"rows": rows, "left_out": left_out, "adjusted": choice.scope, "library": choice.library}
    return json.dumps({**read, "classes": classes}, indent=2) + "\n"


def _way(way: WayErrors) -> Mapping[str, object]:
    return {
        "way": way.way,
        **_numbers(way.held),
        "before": _numbers(way.before),
        "dispatch_ns": way.submission.dispatch_ns,
        "overlap": way.submission.overlap,
        "worst": way.worst,
        "worst_place": way.worst_place,
    }


def _numbers(errors: FitErrors) -> Mapping[str, float]:
    return {"mape": errors.mape, "median": errors.median, "bias": errors.bias, "rank": errors.rank}


def class_list() -> str:
    """The columns of a file of measurements as text: those of all classes, then those of each class."""
    parts = ["columns of every class", *_columns(GENERAL), ""]
    for kernel_class in CLASSES.values():
        parts += [f"{kernel_class.name}: {kernel_class.meaning}", *_columns(_meanings(kernel_class)), ""]
    return "\n".join(parts)


def _meanings(kernel_class: KernelClass) -> dict[str, str]:
    return {
        column.name: column.meaning + ("" if column.default is None else f" (default {column.default:g})")
        for column in kernel_class.columns
    }


def _columns(meanings: Mapping[str, str]) -> Iterator[str]:
    return columns.aligned(meanings.items(), indent="    ")
