"""Entries of outputs of bank programs: programs with random changes are refused before timing only if a run refuses
them, and each store that a run refuses, and each entry that is never stored to, is found before timing."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from dialects.element_types import dtype_of
from dialects.pim import KernelOp, memref_of
from interp.kinds.pim.checks.accesses import check_accesses
from interp.kinds.pim.checks.hazards import check_hazards
from interp.kinds.pim.program import check_kernel
from interp.kinds.pim.values.run import run_kernel
from tests.amount import cases
from tests.laws.accesses.mutations import judged
from tests.pim_sheets import VERBS, small_pim, verb_of
from tests.programs import parse

WORDS = ("pim.for", "pim.channels", "pim.drain", "pim.read", "pim.add ", "pim.relu")
PROGRAMS = {
    "banks one by one": """
pim.kernel @k on @pim (%x: memref<4x8xf32>, %w: memref<2x4x4x2x4xf32> at row 0) -> (%y: memref<4x2x4xf32>) {
  pim.channels %c = 0 to 2 {
    pim.for %r = 0 to 4 {
      pim.load %x[%r]
      pim.act all row %r
      pim.mac all columns 0 to 2
      pim.for %b = 0 to 4 {
        pim.drain bank %b to %y[%r, %c, %b to %b + 1]
      }
      pim.pre all
    }
  }
}""",
    "sums in one axis": """
pim.kernel @k on @pim (%x: memref<4x8xf32>, %w: memref<2x4x4x2x4xf32> at row 0) -> (%y: memref<32xf32>) {
  pim.channels %c = 0 to 2 {
    pim.for %r = 0 to 4 {
      pim.load %x[%r]
      pim.act all row %r
      pim.mac all columns 0 to 1
      pim.drain all to %y[%r * 8 + %c * 4 to %r * 8 + %c * 4 + 4]
      pim.mac all columns 1 to 2
      pim.drain all add to %y[%r * 8 + %c * 4 to %r * 8 + %c * 4 + 4]
      pim.pre all
    }
  }
}""",
    "two outputs": """
pim.kernel @k on @pim (%x: memref<4x8xf32>, %w: memref<1x4x4x2x4xf32> at row 0)
    -> (%y: memref<4x4xf32>, %z: memref<16xf32>) {
  pim.for %r = 0 to 2 {
    pim.for %s = 0 to 2 {
      pim.load %x[%r * 2 + %s]
      pim.act all row %r + %s * 2
      pim.mac all columns 0 to 2
      pim.drain all to %y[%r * 2 + %s]
      pim.for %k = 0 to 2 {
        pim.mac all columns 0 to 1
        pim.drain all add to %z[%s * 4 + %r * 8 to %s * 4 + %r * 8 + 4]
      }
      pim.pre all
    }
  }
}""",
    "lanes": """
pim.kernel @k on @pim (%x: memref<2x4x8xf32>) -> (%y: memref<2x4x8xf32>) {
  pim.for %r = 0 to 2 {
    pim.act all row %r
    pim.write all columns 0 to 2 from %x[%r]
    pim.for %k = 0 to 2 {
      pim.relu all columns 0 to 2 into %k * 2
    }
    pim.for %b = 0 to 4 {
      pim.read bank %b columns 2 to 4 to %y[%r, %b]
    }
    pim.pre all
  }
}""",
}
PIM = small_pim(
    verbs={verb: verb_of(verb, "all", "group", "same", "bank") for verb in (*VERBS, "write", "read", "relu")}
)


def kernel_in(text: str) -> KernelOp:
    module = parse(text)
    module.verify()
    return next(op for op in module.walk() if isinstance(op, KernelOp))


def check(kernel: KernelOp) -> None:
    """The checks before timing."""
    check_kernel(kernel, PIM)
    check_hazards(kernel, PIM)
    check_accesses(kernel)


def run(kernel: KernelOp) -> None:
    types = map(memref_of, kernel.inputs)
    run_kernel(kernel, PIM, [np.ones(each.get_shape(), dtype_of(each.element_type)) for each in types])


def is_wrong_access(message: str) -> bool:
    words = ("store to the same entries", "an earlier command stored to", "is never written", "result columns overlap")
    return any(each in message for each in words)


@pytest.mark.slow
def test_entries_that_a_run_refuses_are_found_before_timing() -> None:
    found = Counter[str]()
    for text in PROGRAMS.values():
        found += judged(text, WORDS, cases(200), 1, kernel_in, check, run, is_wrong_access)
    assert found["missed"] == 0
    assert found["found"]
    assert found["valid"]
