"""Adaptation of a kernel's precharges to a device: they are added where programs must close rows, and removed where the
device closes rows by itself."""

from __future__ import annotations

from xdsl.ir import Block, Operation

from dialects.locations import located
from dialects.pim import ActOp, CommandOp, ForOp, KernelOp, PreOp
from interp.machine.records import Pim


def with_rows_closed(kernel: KernelOp, pim: Pim) -> KernelOp:
    """The kernel with the precharges that `pim` requires. If the controller closes rows, or an activate may replace an
    open row, all precharges are removed. Otherwise, if a kernel has no precharge, a precharge of all banks is added
    before each run of activates, except the first of the kernel.

    ```text
    pim.for %r = 0 to 9 {              pim.for %r = 0 to 9 {
                                         pim.pre all
      pim.act group 0 row %r             pim.act group 0 row %r
      pim.act group 1 row %r    <->      pim.act group 1 row %r
      pim.mac all columns 0 to 32        pim.mac all columns 0 to 32
    }                                  }
    ```
    """
    closes = any(isinstance(op, PreOp) for op in kernel.walk())
    freely = pim.reopen or pim.rows_by == "controller"
    if closes != freely or (not freely and not pim.scopes_written("pre")):
        return kernel
    fitted = kernel.clone()
    for op in [op for op in fitted.walk() if isinstance(op, PreOp if freely else ActOp)]:
        if freely:
            op.detach()
            op.erase()
        elif not _continues_run(op):
            block = op.parent_block()
            assert block is not None
            block.insert_op_before(located(PreOp(pim.scopes_written("pre")[0]), op), op)
    return fitted


def _continues_run(act: Operation) -> bool:
    """True if an activate needs no precharge before it, for one of two reasons: it directly follows another activate,
    so that both belong to the same run; or it is the first activate of its kernel and outside of loops, so that no
    row is open yet."""
    before = act.prev_op
    while before is not None and not isinstance(before, CommandOp | ForOp):
        before = before.prev_op
    if isinstance(before, ActOp):
        return True
    return not _in_loop(act) and not any(isinstance(op, ActOp) for op in _all_before(act))


def _in_loop(op: Operation) -> bool:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, ForOp):
        parent = parent.parent_op()
    return parent is not None


def _all_before(op: Operation) -> list[Operation]:
    """The ops before an op in its block, and the ops nested in them."""
    block: Block | None = op.parent_block()
    assert block is not None
    found: list[Operation] = []
    for each in block.ops:
        if each is op:
            break
        found.extend(each.walk())
    return found
