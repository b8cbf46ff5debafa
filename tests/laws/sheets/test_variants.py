"""A field that a program changes where it names the device, and a variant sheet with the same change, give the same
device."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from interp.machine.records import Pim
from interp.machine.sheets import load_device

CHANGES = {
    "clock": st.integers(1, 4000).map(lambda mhz: f"{mhz} MHz"),
    "channels": st.integers(1, 64).map(str),
    "lanes": st.integers(1, 64).map(str),
    "tRC": st.integers(0, 5000).map(lambda tenths: f"{tenths / 10} ns") | st.integers(0, 99).map(str),
    "timing.tRP": st.integers(0, 99).map(lambda cycles: f"2 * tCCD + {cycles}"),
    "energy.mac": st.integers(0, 99).map(lambda energy: f"{energy} nJ"),
    "reopen": st.sampled_from(["yes", "no"]),
    "element": st.sampled_from(["f16", "bf16", "f32"]),
}


@st.composite
def some_changes(draw: st.DrawFn) -> dict[str, str]:
    names = draw(st.lists(st.sampled_from(sorted(CHANGES)), unique=True, min_size=1))
    return {name: draw(CHANGES[name]) for name in names}


def numbers(record: object) -> dict[str, object]:
    """The fields of a record without its name and source locations."""
    assert isinstance(record, Pim)
    said = ("name", "description", "sources", "places", "formulas", "file", "bases")
    return {name: value for name, value in asdict(record).items() if name not in said}


@given(some_changes())
def test_changes_are_variants(changes: dict[str, str]):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "v.sheet"
        path.write_text(
            "device v = newton with " + ", ".join(f"{name} {value}" for name, value in changes.items()) + "\n"
        )
        variant = load_device(str(path))
    assert numbers(variant) == numbers(load_device("newton", changes))


@given(some_changes(), some_changes())
def test_the_last_variant_wins(first: dict[str, str], second: dict[str, str]):
    both = {name.rpartition(".")[2]: value for name, value in first.items()}
    both |= {name.rpartition(".")[2]: value for name, value in second.items()}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "v.sheet"
        written = [", ".join(f"{name} {value}" for name, value in changes.items()) for changes in (first, second)]
        path.write_text(f"device a = newton with {written[0]}\ndevice b = a with {written[1]}\n")
        variant = load_device(f"{path}:b")
    assert numbers(variant) == numbers(load_device("newton", both))
