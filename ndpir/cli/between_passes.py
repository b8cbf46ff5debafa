"""The steps of `ndp-opt` between passes: time and print them, and compare the program's results with those before the
pass (`--check`)."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import AbstractContextManager
from io import StringIO
from time import perf_counter
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.printer import Printer

from ndpir.cli.output import write_stderr
from ndpir.cli.timing import Timer
from ndpir.compiler.compilation import Watcher

if TYPE_CHECKING:
    from lowering.graph.rewriting import Changes
    from ndpir.cli.check import Checker


class BetweenPasses(Watcher):
    """Watches a compilation: times and prints the passes, and compares results before and after each."""

    def __init__(self, args: argparse.Namespace, timer: Timer, at: Callable[[str], None]) -> None:
        """`at` receives a description of the current step."""
        self.args, self.timer, self._at = args, timer, at
        self.entry: str | None = None
        """The function whose results are compared; None for the program's entry."""
        self.checker: Checker | None = None
        self._since = 0.0
        self.running: ModulePass | None = None
        """The pass that is running, or that was running last; None outside of passes."""

    def at(self, doing: str) -> None:
        self._at(doing)

    def timed(self, section: str) -> AbstractContextManager[None]:
        return self.timer(section)

    def starting(self, step: ModulePass, module: ModuleOp) -> None:
        if self.args.print_ir_before_all or step.name in self.args.print_ir_before:
            self._print_ir("Before", step, module)
        self.running = step
        if self._counts_changes:
            from lowering.graph.rewriting import LISTENING, Changes

            LISTENING.set((module, Changes()))
        self._since = perf_counter()

    def ended(self, step: ModulePass, module: ModuleOp) -> None:
        self.timer.add(f"pass {step.name}", perf_counter() - self._since)
        changes = self._changes(step)
        if self.args.print_ir_after_all or step.name in self.args.print_ir_after:
            self._print_ir("After", step, module, changes)

    def verified(self, step: ModulePass | None, module: ModuleOp) -> None:
        if self.args.check:
            with self.timer("check"):
                self._compare(module, step)

    @property
    def _counts_changes(self) -> bool:
        return bool(self.args.timing or self.args.print_ir_after_all or self.args.print_ir_after)

    def _changes(self, step: ModulePass) -> Changes | None:
        """The counted changes of the finished pass; None if no flag needs them."""
        if not self._counts_changes:
            return None
        from lowering.graph.rewriting import LISTENING, Changes

        listening = LISTENING.get()
        LISTENING.set(None)
        if listening is None or not isinstance(changes := listening[1], Changes):
            return None
        self.timer.add_changes(step.name, changes.fired, changes.ops)
        return changes

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
        write_stderr(f"// -----// IR Dump {when} {each} //----- //\n")
        for what, counts in (("fired", changes.fired), ("ops", changes.ops)) if changes is not None else ():
            if counts:
                write_stderr(f"// {what}: {', '.join(f'{count} {name}' for name, count in counts.items())}\n")
        text = StringIO()
        Printer(
            stream=text,
            print_generic_format=self.args.print_op_generic,
            print_debuginfo=self.args.print_debuginfo,
        ).print_op(module)
        write_stderr(f"{text.getvalue()}\n\n")
