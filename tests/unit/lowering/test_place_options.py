"""Options of the pass `place`: each belongs to the policies that read it, and is refused for all others."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import product

import pytest

from dialects.diagnostics import InputError
from lowering.instance.options import Options, PolicyOptions
from lowering.optimise.policies import POLICIES, reads
from lowering.partition.planners import PLANNERS
from lowering.place.place import PlacePass
from lowering.tasks.placing import in_words

GIVEN: dict[str, object] = {
    "mode": "mddp",
    "devices": ("pim", "gpu"),
    "width": 7,
    "effort": 3,
    "limit": 2.0,
    "gap": 0.5,
    "without": ("devices", "moves"),
    "split": True,
    "accounting": "published",
}
"""A value that is not the default, for each option."""


def passes_with(policy: str, option: str) -> PlacePass:
    listed = {"devices": ("gpu",)} if policy == "priority" else {}
    return replace(PlacePass(policy), **{**listed, option: GIVEN[option]})


def test_each_option_is_read_by_a_policy() -> None:
    assert [field.name for field in fields(PolicyOptions)] == [*GIVEN]
    assert all(any(reads(policy, option) for policy in (*POLICIES, *PLANNERS)) for option in GIVEN)


@pytest.mark.parametrize(("policy", "option"), list(product((*POLICIES, *PLANNERS), GIVEN)))
def test_an_option_reaches_the_policies_that_read_it_and_no_others(policy: str, option: str) -> None:
    if reads(policy, option):
        assert getattr(passes_with(policy, option).options(), option) == GIVEN[option]
        return
    with pytest.raises(InputError, match=rf"applies to polic.*, not to {policy}; remove it"):
        passes_with(policy, option).options()


def test_a_plugins_policy_reads_the_usual_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(POLICIES, "mine", POLICIES["gpu"])
    assert PlacePass("mine", split=True).options() == Options(split=True)
    with pytest.raises(InputError, match=r"option `gap` applies to policy optimal, not to mine"):
        PlacePass("mine", gap=0.1).options()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (PlacePass("bets"), r"`policy` must be one of gpu, .*, not `bets`"),
        (PlacePass("path", width=0), "`width` must be 1 or more, not 0"),
        (PlacePass("optimal", gap=float("nan")), "`gap` must be 0 or more, not nan"),
        (PlacePass(effort=4), "`effort` must be from 1 to 3, not 4"),
        (PlacePass("overlap", accounting="none"), "`accounting` must be one of full, published, not `none`"),
        (PlacePass("pimflow", mode="all"), "`mode` must be one of newton, pipeline, mddp, pimflow, not `all`"),
    ],
)
def test_values_out_of_range_are_refused(given: PlacePass, message: str) -> None:
    with pytest.raises(InputError, match=message):
        given.options()


def test_a_policy_in_words_names_the_changed_options() -> None:
    assert in_words("optimal", Options(limit=3.0, split=True, behind=True)) == "optimal limit=3.0 split=true"
    assert in_words("priority", Options(devices=("pim", "gpu"))) == "priority devices=pim,gpu"
