"""The steps of `ndp-opt` between passes: verify and print the program, and compare its results with those before the
pass (`--check`)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.printer import Printer

from ndpir.cli.timing import Timer
from ndpir.cli.verify import InvalidProgram, verify

if TYPE_CHECKING:
    from lowering.graph.rewriting import Changes
    from ndpir.cli.check import Checker


class BetweenPasses:
    """The callback of the pass pipeline, called with the finished pass and the next one."""

    def __init__(self, args: argparse.Namespace, timer: Timer, at: Callable[[str], None]) -> None:
        """`at` receives a description of the current step."""
        self.args, self.timer, self.at = args, timer, at
        self.before: Callable[[ModuleOp], None] | None = None
        """A function that is called once, with the verified program after `wait` passes; None for no call."""
        self.wait = 0
        self.entry: str | None = None
        """The function whose results are compared; None for the program's entry."""
        self.checker: Checker | None = None
        self._since, self._done = 0.0, 0
        self.running: ModulePass | None = None
        """The pass that is running, or that was running last; None outside of passes."""

    def __call__(self, done: ModulePass | None, module: ModuleOp, to_come: ModulePass | None) -> None:
        """Process the program before the first pass (`done` is None), between passes, or after the last one (`to_come`
        is None)."""
        now = perf_counter()
        self.running = done
        if done is not None:
            self.timer.add(f"pass {done.name}", now - self._since)
        changes = self._changes(done, to_come, module)
        if done is not None and (self.args.print_ir_after_all or done.name in self.args.print_ir_after):
            self._print_ir("After", done, module, changes)
        if done is not None and not self.args.disable_verify:
            self.at(f"verifying the program after pass {done.name}")
            with self.timer("verify"):
                self._verify(module, done)
        self._done = 0 if done is None else self._done + 1
        if self._done == self.wait and self.before is not None:
            self.before(module)
        if self.args.check:
            with self.timer("check"):
                self._compare(module, done)
        if to_come is not None and (self.args.print_ir_before_all or to_come.name in self.args.print_ir_before):
            self._print_ir("Before", to_come, module)
        if to_come is not None:
            self.at(f"running pass {to_come.name}")
        self.running = to_come
        self._since = perf_counter()

    def _changes(self, done: ModulePass | None, to_come: ModulePass | None, module: ModuleOp) -> Changes | None:
        """The counted changes of the finished pass; counting for the next pass starts. None if no flag needs them."""
        if not (self.args.timing or self.args.print_ir_after_all or self.args.print_ir_after):
            return None
        from lowering.graph.rewriting import LISTENING, Changes

        listening = LISTENING.get()
        LISTENING.set((module, Changes()) if to_come is not None else None)
        if done is None or listening is None or not isinstance(changes := listening[1], Changes):
            return None
        self.timer.add_changes(done.name, changes.fired, changes.ops)
        return changes

    def _verify(self, module: ModuleOp, done: ModulePass) -> None:
        try:
            verify(module)
        except InvalidProgram as error:
            raise DefectivePass(done.name, error) from error

    def _compare(self, module: ModuleOp, done: ModulePass | None) -> None:
        """Run the program, and compare its results with those before the finished pass. Raises InputError if they
        differ."""
        from ndpir.cli.check import Checker

        self.at(f"running the program {f'after pass {done.name}' if done else 'before the passes'}, for --check")
        if done is None or self.checker is None:
            self.checker = Checker(self.args.seed, entry=self.entry, files=self.args.inputs)
            self.checker.before(module)
        else:
            self.checker.after(done.name, module)

    def _print_ir(self, when: str, each: ModulePass, module: ModuleOp, changes: Changes | None = None) -> None:
        sys.stderr.write(f"// -----// IR Dump {when} {each} //----- //\n")
        for what, counts in (("fired", changes.fired), ("ops", changes.ops)) if changes is not None else ():
            if counts:
                sys.stderr.write(f"// {what}: {', '.join(f'{count} {name}' for name, count in counts.items())}\n")
        Printer(
            stream=sys.stderr,
            print_generic_format=self.args.print_op_generic,
            print_debuginfo=self.args.print_debuginfo,
        ).print_op(module)
        sys.stderr.write("\n\n")


class DefectivePass(Exception):
    """Raised when the program does not verify after a pass, which is an error in the pass."""

    def __init__(self, name: str, error: InvalidProgram) -> None:
        first = error.errors[0]
        super().__init__(f"pass {name} left a program that does not verify: {first.place or '?'}: {first.message}")
