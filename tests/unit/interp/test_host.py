"""The processor cores of the process that runs ndpir, and the pause of its garbage collection."""

from __future__ import annotations

import gc

from interp.host import cores, without_collection


def test_collection_is_off_inside_and_afterwards_as_before() -> None:
    assert gc.isenabled()
    with without_collection():
        with without_collection():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_process_has_a_core() -> None:
    assert cores() >= 1
