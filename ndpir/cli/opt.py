"""The command `ndp-opt`: xDSL's driver with the front ends, passes, targets, machines and diagnostics of ndpir."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from codecs import BOM_UTF8
from collections.abc import Sequence
from contextlib import chdir, nullcontext, redirect_stdout
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from io import BytesIO, StringIO
from time import perf_counter
from typing import IO, TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute
from xdsl.passes import PassPipeline
from xdsl.utils.diagnostic import Diagnostic as XdslDiagnostic
from xdsl.utils.exceptions import ParseError
from xdsl.xdsl_opt_main import xDSLOptMain

import ndpir
from dialects.diagnostics import InputError, note, notes_to, watched_by
from dialects.files import (
    check_writable,
    discarding,
    granting,
    is_file,
    open_regular,
    write_text,
    written,
)
from dialects.text.printable import printable_lines
from ndpir.cli.arguments import DESCRIPTION, prepare, value_of
from ndpir.cli.between_passes import BetweenPasses
from ndpir.cli.completion.shells import answer
from ndpir.cli.ending import BAD_INPUT, BAD_USAGE, DEFECT, DONE, ended
from ndpir.cli.flags import refuse, sizes_of
from ndpir.cli.listing import LISTS, listing, requested
from ndpir.cli.output import (
    TEXT,
    Destinations,
    Stream,
    is_same_file_as_stdout,
    is_stdout,
    write_data,
    write_stderr,
    write_stdout,
)
from ndpir.cli.progress import Progress
from ndpir.cli.reproducer import failure, read_reproducer, without_values, xdsl_failure
from ndpir.cli.stopping import stopping_searches
from ndpir.cli.timing import Timer
from ndpir.compiler.compilation import COMMAND_LINE, Compiler, Request
from ndpir.compiler.options import without_spaces
from ndpir.compiler.steps import is_compared, reads_baseline, target_of
from ndpir.diagnostics.printed import Diagnostic, diagnostics_of, of_undecodable, of_unreadable
from ndpir.diagnostics.usage import UsageError
from ndpir.diagnostics.verify import errors_without_program, verify
from ndpir.frontends.examples import resolved
from ndpir.frontends.mlir import read_text
from ndpir.frontends.sizes import is_config
from ndpir.frontends.source import read_input
from ndpir.frontends.stablehlo import BYTECODE, is_stablehlo
from ndpir.registry.names import LazyContext, Registry

if TYPE_CHECKING:
    from xdsl.utils.target import Target

FRONTENDS = {
    "json": "config",
    "mlirbc": "stablehlo",
    "onnx": "onnx",
    "pim": "trace",
    "pt2": "pt2",
    "stablehlo": "stablehlo",
    "trace": "trace",
}
"""Front ends by file extension; files with other extensions are text of our dialects."""
_MODELS = {"config": "a model's config", "onnx": "an ONNX model", "pt2": "an exported program"}
"""The front ends of models whose weights stay in their files."""


class NdpOptMain(xDSLOptMain):
    """One run of `ndp-opt`: `run` writes to stdout and stderr and returns the exit status.

    The constructor raises UsageError or InputError for a wrong command line, and SystemExit after `--help` and
    `--version`.
    """

    def __init__(
        self, args: Sequence[str] | None = None, program: str | None = None, program_file: str | None = None
    ) -> None:
        """Parse the command line. `program`: the text to read instead of the input file, under its name;
        `program_file`: the file that holds this text."""
        self.program, self.program_file = program, program_file
        self.arguments = list(sys.argv[1:] if args is None else args)
        self.registry = Registry()
        self.timer = Timer(ndpir.STARTED)
        self.timer.add("import", perf_counter() - ndpir.STARTED)
        self.source: bytes | None = None
        self.out: str | None = None
        self.weight_files: dict[str, list[bytes]] = {}
        """Values of weights that were only in memory, by path of the file to write."""
        self.emitting: Target | None = None
        self.doing = "reading the command line"
        self.progress = Progress()
        self._diagnostics: list[Diagnostic] | None = None
        self._lines_above = 0
        self._starts: dict[int, int] = {}
        """The start of each part of a split input (`--split-input-file`), in bytes, by the number of lines above it."""
        self._reads_stablehlo = False
        self._load_plugins()
        super().__init__(DESCRIPTION, self.arguments)
        self._refuse_other_runs()
        if self.args.input_file == "-":  # stdin, by convention
            self.args.input_file = None

    def _load_plugins(self) -> None:
        """Load plugins and folders of sheets before the other flags are parsed, since these may use their names."""
        if not any(argument.startswith(("--plugin", "--sheets")) for argument in self.arguments):
            return
        known = _early(self.arguments)
        from ndpir.registry.plugins import load_plugin, load_sheets

        for folder in known["--sheets"]:
            load_sheets(folder)
        for path in known["--plugin"]:
            load_plugin(path, self.registry)

    def _refuse_other_runs(self) -> None:
        """Raises UsageError for flags that `main` handles itself: here they come from a reproducer or beside one, and
        would be ignored."""
        given = {_REPEATING: self.args.run_reproducer is not None, "--sweep": bool(self.args.sweep)}
        for flag in (flag for flag, is_given in given.items() if is_given):
            raise UsageError(
                f"a run that {_REPEATING} repeats has no {flag}; leave it out, or run the command in the "
                "reproducer's third line instead"
            )

    # Methods that xDSL's driver calls.

    def register_all_dialects(self) -> None:
        self.ctx = LazyContext(self.registry)

    def register_all_passes(self) -> None:
        self.available_passes = self.registry.passes

    def register_all_targets(self) -> None:
        self.available_targets = cast(Any, self.registry.targets)

    def register_all_frontends(self) -> None:
        self.available_frontends = {
            "config": self._read_config,
            "mlir": self._read_mlir,
            "onnx": self._read_onnx,
            "pt2": self._read_pt2,
            "stablehlo": self._read_stablehlo,
            "trace": self._read_trace,
        }

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser) -> None:
        self.parser = arg_parser
        settings = {
            "input_file": {"type": resolved},
            "-t": {"type": self._known_target},
            "-v": {"version_format": _version_format()},
        }
        grouped = prepare(arg_parser, settings)
        super().register_all_arguments(cast(argparse.ArgumentParser, grouped))
        grouped.add_ours()
        answer(arg_parser)

    def _known_target(self, text: str) -> str:
        target_of(text, self.registry)
        return without_spaces(text)  # xDSL's driver parses it again, and accepts no spaces

    def setup_pipeline(self) -> None:
        with self.timer("load passes"):
            self._load_passes()

    def _load_passes(self) -> None:
        self.between = BetweenPasses(self.args, self.timer, self._at)
        self.compiler = Compiler(
            self._request(),
            self.registry,
            self.ctx,
            flags=COMMAND_LINE,
            watcher=self.between,
            verifies=not self.args.disable_verify,
        )
        self.pipeline = PassPipeline(self.compiler.steps)
        names = {each.name for each in self.pipeline.passes}
        for name in (*self.args.print_ir_before, *self.args.print_ir_after):
            if name not in names:
                raise UsageError(
                    f"--print-ir-before and --print-ir-after need a pass that -p runs, and `{name}` is not among them"
                )
        self.sizes = sizes_of(self.args)
        self.target = target_of(
            self.args.target,
            self.registry,
            seed=self.args.seed,
            inputs=tuple(self.args.inputs),
            command=shlex.join(["ndp-opt", *self.arguments]),
            program=self.get_input_name(),
        )
        if self.target.name == "mlir":
            printing: dict[str, Any] = {
                "print_generic_format": self.args.print_op_generic,
                "print_properties_as_attributes": self.args.print_no_properties,
                "print_debuginfo": self.args.print_debuginfo,
            }
            self.target = replace(self.target, **printing)
        self.outputs = self._outputs()
        self.coloured = self._coloured()
        if self.args.replan and not (self.pipeline.passes and any(each.name == "summary" for each, _ in self.outputs)):
            raise UsageError("--replan needs passes and a summary; give both, as in -p offload --summary --replan")
        self.encoding = self._encoding()
        self.between.entry = getattr(self.target, "entry", None)
        if self.args.machine or self.compiler.machine_readers(self._targets):
            self.registry.discover()  # installed plugins may bring sheets and policies

    def _request(self) -> Request:
        args = self.args  # folders of sheets are loaded with the plugins
        return Request(
            args.passes,
            args.machine,
            args.set,
            args.profile,
            keep_types=args.keep_types,
            library=args.library,
            effort=None if args.O is None else int(args.O),
        )

    @property
    def _targets(self) -> list[Target]:
        return [target for target, _ in self.outputs]

    def _encoding(self) -> str:
        """The encoding of the target's output. Raises UsageError for binary output to a terminal."""
        if all(target is not self.target for target, _ in self.outputs):
            return TEXT
        encoding = TEXT if getattr(self.target, "json", False) else getattr(self.target, "ENCODING", TEXT)
        if encoding != TEXT and self.args.split_input_file:
            raise UsageError(
                f"-t {self.target.name} writes bytes, which --split-input-file would mix for several programs; leave "
                "out one of the two"
            )
        if encoding != TEXT and (self.target, "stdout") in self.outputs and sys.stdout.isatty():
            raise UsageError(
                f"-t {self.target.name} writes bytes, but stdout is a terminal; write to a file (-o FILE) or a pipe"
            )
        return encoding

    def _coloured(self) -> bool:
        """True if the output of -t is program text with colours."""
        if self.target.name != "mlir" or getattr(self.target, "json", False):
            return False
        from ndpir.cli.highlighting.terminal import is_coloured

        return is_coloured(None if self.out is not None else sys.stdout, self.args.syntax_highlight)

    def _outputs(self) -> list[tuple[Target, Stream]]:
        """The outputs of a program in order, with their destinations (`Destinations`). Raises UsageError if two outputs
        would go to one file."""
        reports: list[Target] = []
        if self.args.summary or self.args.why:
            reports.append(target_of("summary", self.registry))
        if self.args.explain is not None:
            from ndpir.reports.explain import ExplainTarget

            reports.append(ExplainTarget(self.args.explain))
        is_requested = any(argument.startswith(("-t", "--target")) for argument in self.arguments)
        out = self.args.output_file
        found = Destinations.of(out, target_requested=is_requested, reports=len(reports))
        if found.program == "file":
            self.out = out
            weight_files = getattr(self.target, "weights", None)
            if isinstance(weight_files, str) and os.path.realpath(weight_files) == os.path.realpath(out):
                raise UsageError(f"-o and -t {self.target.name} both write {out}; give them different files")
            if "stdout" in found.reports and is_same_file_as_stdout(out):
                raise UsageError(f"-o and the redirected stdout both write {out}; give them different files")
        outputs: list[tuple[Target, Stream]] = list(zip(reports, found.reports, strict=True))
        return outputs if found.program is None else [*outputs, (self.target, found.program)]

    def get_input_name(self) -> str:
        return self.args.input_file or "<stdin>"

    def get_input_stream(self) -> tuple[IO[bytes], str]:
        path = self.args.input_file
        extension = "mlir" if path is None else os.path.splitext(path)[1].removeprefix(".")
        of_model = path is not None and is_config(path)
        kind = self.args.frontend or ("config" if of_model else FRONTENDS.get(extension, "mlir"))
        if kind in _MODELS and path is None:
            raise UsageError(f"{_MODELS[kind]} can't be read from stdin, since its weights are read later; give a path")
        if self.args.split_input_file and kind not in ("mlir", "stablehlo"):
            raise UsageError("--split-input-file applies to text, not to models or traces; remove the flag")
        if self.sizes.flags and kind not in _MODELS:
            raise UsageError(
                f"{self.sizes.flags[0]} applies only to models of ONNX (.onnx) and PyTorch (.pt2) and to configs "
                f"(.json), but {self.get_input_name()} is text; remove the flag"
            )
        if kind == "config":
            return BytesIO(), kind  # read by its path, as the files beside it are
        if kind in _MODELS:
            return open_regular(self.args.input_file), kind
        data = read_input(path, self.get_input_name()) if self.program is None else self.program.encode()
        self.source = data
        return BytesIO(data), kind

    def prepare_input(self) -> tuple[list[tuple[IO[bytes], int]], str]:
        stream, kind = self.get_input_stream()
        if not self.args.split_input_file:
            return [(stream, 0)], kind
        with stream:
            data = stream.read()
        # xDSL would split at these characters anywhere, even inside a comment; MLIR only at the start of a line.
        marks = [(match.start(), match.end()) for match in re.finditer(rb"^// -----.*\n?", data, re.MULTILINE)]
        starts, ends = [0, *(end for _, end in marks)], [*(start for start, _ in marks), len(data)]
        lines_above = [data.count(b"\n", 0, start) for start in starts]
        self._starts = dict(zip(lines_above, starts, strict=True))
        return [(BytesIO(data[a:b]), n) for a, b, n in zip(starts, ends, lines_above, strict=True)], kind

    def parse_chunk(self, chunk: IO[bytes], file_extension: str, start_offset: int = 0) -> ModuleOp | None:
        self._lines_above = start_offset
        try:
            module = super().parse_chunk(chunk, file_extension, start_offset)
        except ParseError as error:
            error.span = replace(error.span, line_offset=start_offset)
            raise
        if module is None or not self.args.weights:
            return module
        from ndpir.frontends.weights import with_weights

        return with_weights(module, self.args.weights)

    def output_resulting_program(self, prog: ModuleOp) -> str:
        output = StringIO()
        self.target.emit(self.ctx, prog, output)
        if not self.coloured:
            return output.getvalue()
        from ndpir.cli.highlighting.terminal import coloured

        return coloured(printable_lines(output.getvalue()))

    def _read_mlir(self, source: IO[bytes]) -> ModuleOp:
        text = source.read()
        if text.startswith(BYTECODE) or is_stablehlo(text.decode("utf-8-sig")):
            return self._read_stablehlo(BytesIO(text))
        implicit = not self.args.no_implicit_module
        return read_text(
            self.ctx,
            BytesIO(text),
            self.get_input_name(),
            lines_above=self._lines_above,
            implicit_module=implicit,
            file=self.program_file,
        )

    def _read_onnx(self, source: IO[bytes]) -> ModuleOp:
        from ndpir.frontends.onnx import import_onnx

        return import_onnx(self.args.input_file, **self.sizes.arguments)

    def _read_config(self, source: IO[bytes]) -> ModuleOp:
        from ndpir.frontends.configs.requested import read_step

        return read_step(self.args.input_file, self.sizes)

    def _read_pt2(self, source: IO[bytes]) -> ModuleOp:
        from ndpir.frontends.torch.reading import read_file

        return read_file(self.args.input_file, self.sizes, self.args.trust_pickles)

    def _read_stablehlo(self, source: IO[bytes]) -> ModuleOp:
        from ndpir.frontends.stablehlo.importer import import_stablehlo

        self._reads_stablehlo = True
        data = source.read()
        is_text = not data.startswith(BYTECODE)
        program = "\n" * self._lines_above + data.decode("utf-8-sig") if is_text else data
        path = self.args.input_file
        is_kept = self.program is None and path is not None and is_file(path)
        above = data.startswith(BOM_UTF8) * len(BOM_UTF8) - self._lines_above
        start = self._starts.get(self._lines_above, 0) + above
        return import_stablehlo(program, self.get_input_name(), kept_in=path if is_kept else None, start=start)

    def _read_trace(self, source: IO[bytes]) -> ModuleOp:
        from ndpir.traces.program import read_program

        return read_program(self.ctx, source.read().decode("utf-8-sig"), self.get_input_name(), self.args.machine)

    def run(self) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Read, transform and write all programs of the input, or print lists; returns the exit status."""
        if requested(self.args):
            try:
                text = printable_lines(listing(self._listing_arguments(), self.registry))
            except InputError as error:  # in a flag's value
                return self._report([Diagnostic("error", error.message, error.place)], BAD_USAGE)
            if self.out is None:
                write_stdout(text)
            else:
                write_text(self.out, text)
            return DONE
        return copy_context().run(self._run)  # context variables set in this run end with it

    def _run(self) -> int:
        if self.args.effort != 1.0:
            from interp.walk.effort import EFFORT

            EFFORT.set(self.args.effort)
        with (
            granting(self.args.allow_read),
            errors_without_program(),
            self.progress,
            stopping_searches("ndp-opt"),
            notes_to(self._note),
            watched_by(self._working),
        ):
            try:
                status = self._run_chunks()
            finally:
                if self.args.timing:
                    write_stderr(self.timer.table())
        return status

    def _listing_arguments(self) -> argparse.Namespace:
        """The arguments of a run that prints lists. Raises UsageError for flags that don't apply to it."""
        allowed = {*LISTS, "plugin", "sheets", "set", "library", "output_file"}
        for action in self.parser._actions:  # pyright: ignore[reportPrivateUsage]
            value = getattr(self.args, action.dest, action.default)
            if action.dest not in allowed and value != action.default:
                flag = requested(self.args)[0]
                given = action.option_strings[0] if action.option_strings else str(value)
                raise UsageError(f"--{flag.replace('_', '-')} prints a list and reads no program; leave out {given}")
        return self.args

    def _run_chunks(self) -> int:
        try:
            chunks, kind = self.prepare_input()
            check_writable(self.out)
        except InputError as error:
            return self.fail(error)
        except (OSError, ValueError) as error:
            return self._report([of_unreadable(error, self.get_input_name())], BAD_INPUT)
        statuses: list[int] = []
        parts: list[str] = []
        for chunk, lines_above in chunks:
            with redirect_stdout(sys.stderr):  # output of plugins and libraries must not mix with the program
                status, texts = self._run_chunk(chunk, kind, lines_above)
            statuses.append(status)
            parts.append(texts.get("file", ""))
            encoding = self.encoding if (self.target, "stdout") in self.outputs else TEXT
            if any(stream == "stdout" for _, stream in self.outputs):
                text = (self._separator() if len(statuses) > 1 else "") + texts.get("stdout", "")
                write_data(text, encoding, self.coloured)
        if max(statuses) == DONE:
            for path, values in self.weight_files.items():
                with written(path) as file:
                    file.writelines(values)
        if self.out is not None and max(statuses) == DONE:
            write_text(self.out, self._separator().join(parts), self.encoding)
        return max(statuses)

    def _separator(self) -> str:
        """The line between the outputs of two programs; none between JSON documents, which follow each other."""
        return "" if getattr(self.target, "json", False) else "// -----\n"

    def _run_chunk(self, chunk: IO[bytes], kind: str, lines_above: int) -> tuple[int, dict[Stream, str]]:
        """Process one program; returns its exit status and outputs."""
        if not self.args.verify_diagnostics:
            return self._transform(chunk, kind, lines_above)
        from ndpir.cli.expectations import check_expectations

        text = chunk.read().decode("utf-8", "replace")
        chunk.seek(0)
        self._diagnostics = []
        status, texts = self._transform(chunk, kind, lines_above)
        given, self._diagnostics = self._diagnostics, None
        if status == DEFECT:
            return self._report(given, status), texts
        wrong = check_expectations(text, self.get_input_name(), lines_above, given)
        return self._report(wrong, BAD_INPUT if wrong else DONE), texts

    def _transform(self, chunk: IO[bytes], kind: str, lines_above: int) -> tuple[int, dict[Stream, str]]:
        try:
            self._at(f"reading {self.get_input_name()}")
            self.emitting = self.between.running = None
            with self.timer("read"), chunk:
                module = self.parse_chunk(chunk, kind, lines_above)
            assert module is not None
            self._verify(module)
            self.compiler.equip(module, self._targets, attached=kind == "trace")  # a trace was read with its machine
            if self.args.check and not self.pipeline.passes:
                note("--check compares results before and after passes, but there are none; name passes with -p")
            self._let_summaries_replan(module)
            self._let_summaries_tell_why(module)
            self._skip_unread_baselines()
            self._show_progress_of_runs()
            self.apply_passes(module)
            return DONE, self._written(module)
        except UnicodeDecodeError as error:
            return self._report([of_undecodable(error, self.get_input_name(), lines_above)], BAD_INPUT), {}
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a plugin may raise SystemExit
            return self.fail(error), {}

    def _written(self, module: ModuleOp) -> dict[Stream, str]:
        """Write the outputs for stderr; returns the texts for the file and for stdout. Several outputs share the
        timeline and all other results of `Run`."""
        self.between.running = None
        if len(self.outputs) < 2:
            return self._emitted(module)
        from ndpir.reports.run import shared_runs

        with shared_runs():
            return self._emitted(module)

    def _emitted(self, module: ModuleOp) -> dict[Stream, str]:
        texts: dict[Stream, str] = {}
        on_stderr = [stream for _, stream in self.outputs].count("stderr")
        for target, stream in self.outputs:
            self._at(f"writing {target.name}")
            self.emitting = target
            with self.timer(f"target {target.name}"):
                if target is self.target:
                    self._keep_numbers(module, stream)
                    texts[stream] = self.output_resulting_program(module)
                    continue
                output = StringIO()
                target.emit(self.ctx, module, output)
            if stream != "stderr":
                texts[stream] = output.getvalue()
                continue
            if on_stderr > 1:
                write_stderr(f"// -----// {target.name.capitalize()} //----- //\n")
            write_stderr(output.getvalue())
        return texts

    def _keep_numbers(self, module: ModuleOp, stream: Stream) -> None:
        """Move the values of weights that are only in memory to a file next to the output, if the target is text.
        Raises InputError if the text goes to a stream instead of a file."""
        if self.target.name != "mlir" or self.out == os.devnull or not (self._reads_stablehlo or self.sizes.flags):
            return
        from ndpir.writers.held import weights_for_file

        is_file = (
            stream == "file" and self.out is not None and (os.path.isfile(self.out) or not os.path.exists(self.out))
        )
        path = f"{self.out}{f'.{self._lines_above}' if self._lines_above else ''}.weights" if is_file else None
        if path is None and not self._reads_stablehlo:
            return  # the few extended constants of an ONNX model; the text names them by digest
        if (values := weights_for_file(module, path)) and path is not None:
            self.weight_files[path] = values

    def apply_passes(self, prog: ModuleOp) -> None:
        self.compiler.apply(prog)

    def _skip_unread_baselines(self) -> None:
        """Arrange that the baseline is computed only if an output may contain it."""
        if any(map(is_compared, self.pipeline.passes)):
            from lowering.alone.primary_alone import COMPARING

            COMPARING.set(self._shows_baselines())

    def _shows_baselines(self) -> bool:
        """True if any output may contain the baseline."""
        printed = self.args.print_ir_after_all or self.args.print_ir_before_all
        named = self.args.print_ir_after or self.args.print_ir_before
        return bool(printed or named) or any(reads_baseline(target) for target, _ in self.outputs)

    def _let_summaries_replan(self, module: ModuleOp) -> None:
        """Set the function that compiles the program again for `--replan`."""
        if not self.args.replan:
            return
        from lowering.alone.sensitivity import REPLAN

        REPLAN.set(self.compiler.recompiling(module))

    def _let_summaries_tell_why(self, module: ModuleOp) -> None:
        """Set the function that compiles the program again for `--summary=why`."""
        if not self.args.why:
            return
        from ndpir.reports.answers.worth import RESTRICTED

        RESTRICTED.set(self.compiler.restricting(module))

    def _verify(self, module: ModuleOp) -> None:
        """Verify the parsed program before its ops are inspected; `BetweenPasses` verifies it after each pass."""
        if self.args.disable_verify:
            return
        self._at("verifying the program")
        with self.timer("verify"):
            verify(module, self.ctx)

    def _show_progress_of_runs(self) -> None:
        if self.progress.is_shown and (self.args.check or self.target.name == "values"):
            from interp.walk.run import PROGRESS

            PROGRESS.set(self.progress.step)

    def _at(self, doing: str) -> None:
        self.doing = doing
        self.progress.doing(doing)

    def _working(self, state: str) -> None:
        """Show the current step and `state`, its progress."""
        self.progress.doing(f"{self.doing}: {state}")

    def _note(self, message: str, place: str | None) -> None:
        diagnostic = Diagnostic("note", message, place)
        self._report([diagnostic.in_file(self.get_input_name()) if place else diagnostic])

    def _report(self, diagnostics: Sequence[Diagnostic], status: int = DONE) -> int:
        """Print diagnostics, or collect them for `--verify-diagnostics`; returns `status`."""
        if self._diagnostics is not None:
            self._diagnostics += diagnostics
            return status
        for diagnostic in diagnostics:
            write_stderr(diagnostic.text(self._quoted()))
        return status

    def _quoted(self) -> dict[str, str]:
        """The texts that locations may refer to, by name: the input, and flags with one line per occurrence."""
        flags = {"--list-ops": self.args.list_ops, "--library": self.args.library}
        texts = {"--set": "\n".join(self.args.set), **{flag: value or "" for flag, value in flags.items()}}
        return texts | ({self.get_input_name(): text} if (text := self._text()) else {})

    def _text(self) -> str | None:
        """The text of the input for messages and reproducers; None if it is an ONNX model or was not read yet."""
        return None if self.source is None else self.source.decode("utf-8", "replace")

    def fail(self, error: BaseException) -> int:
        if (diagnostics := diagnostics_of(error)) is not None:
            of_flag = any((diagnostic.place or "").startswith(("--set:", "--library:")) for diagnostic in diagnostics)
            placed = [diagnostic.in_file(self.get_input_name()) for diagnostic in diagnostics]
            return self._report(placed, BAD_USAGE if of_flag else BAD_INPUT)
        step = self.emitting or self.between.running
        if step is not None and (message := xdsl_failure(step, error)) is not None:
            return self._report([Diagnostic("error", message, self.get_input_name())], BAD_INPUT)
        diagnostic = failure(error, self.doing, self.arguments, self._text())
        return self._report([diagnostic], BAD_INPUT if diagnostic.place else DEFECT)


def _version_format() -> str:
    return f"ndp-opt {version('ndpir')} (xDSL {{xdsl_version}})"


_REPEATING = "--run-reproducer"


def _run_again(given: Sequence[str]) -> int:
    """Repeat the run that a reproducer recorded, with additional flags; returns the exit status. Since a reproducer may
    come from someone else, its plugins are run only if the user allows it, and of all files only that of an additional
    -o is written."""
    named, *others = _early(given)[_REPEATING]
    if others:
        raise UsageError(f"{_REPEATING} takes one file, but {1 + len(others)} are given; run ndp-opt once for each")
    file, more = os.path.abspath(named), without_values(given, (_REPEATING,))
    recorded = read_reproducer(named)
    if recorded.tool != "ndp-opt":
        raise UsageError(f"this reproducer was written by {recorded.tool}; run the command in its third line instead")
    if "--allow-plugins" not in more and (plugins := _early(recorded.arguments)["--plugin"]):
        raise UsageError(
            f"the command in this reproducer runs the plugin {plugins[0]}, which is Python code; to run it, add "
            "--allow-plugins"
        )
    # The user's paths are relative to the current folder, not to the recorded one, which may be someone else's.
    paths = _early(more)
    own = [path if is_stdout(path) else os.path.abspath(path) for path in paths.pop("-o")[-1:]]
    words = [*recorded.arguments, *without_values(more, ("-o", "--output-file", *paths))]
    words += [word for flag, values in paths.items() for value in values for word in (flag, os.path.abspath(value))]
    words += ["-o", *own] if own else []
    write_stderr(f"ndp-opt: note: running ndp-opt {shlex.join(words)}\n")

    def reason(path: str) -> str:
        is_own = any(path == each or path.startswith(f"{each}.") for each in own)  # the output, and its weights
        return "" if is_own else "a repeated run writes only the file of its own -o"

    try:
        with chdir(recorded.folder) if os.path.isdir(recorded.folder) else nullcontext(), discarding(reason):
            return NdpOptMain(words, recorded.program, None if recorded.program is None else file).run()
    except InputError as error:
        write_stderr(Diagnostic("error", error.message, error.place).text({}))
        return BAD_USAGE


def _early(words: Sequence[str]) -> dict[str, list[str]]:
    """The paths among `words` that are needed before all flags are parsed, by flag."""
    early = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    early.error = partial(refuse, early, takes="program")
    early.add_argument("-o", "--output-file", dest="-o", action="append", default=[])
    for flag in ("--plugin", "--sheets", "--allow-read", _REPEATING):
        early.add_argument(flag, dest=flag, action="append", default=[])
    return vars(early.parse_known_args(words)[0])


def main(args: Sequence[str] | None = None) -> int:
    """Run `ndp-opt` with these arguments (default: those of the process); returns the exit status."""
    given = list(sys.argv[1:] if args is None else args)
    post_init, colored = Attribute.__post_init__, XdslDiagnostic.colored
    tool: NdpOptMain | None = None

    def run() -> int:
        nonlocal tool
        if any(word.startswith(_REPEATING) for word in given) and _early(given)[_REPEATING]:
            return _run_again(given)
        if any(word == "--sweep" or word.startswith("--sweep=") for word in given):
            from ndpir.cli.exploring.sweep import main as sweep

            return sweep(given, "ndp-opt")
        tool = NdpOptMain(given)
        return tool.run()

    def failed(error: BaseException) -> int:
        if tool is not None:
            return tool.fail(error)
        if isinstance(error, InputError):  # in the value of a flag
            flags = {"-p": value_of(given, "-p", "--passes"), "-t": value_of(given, "-t", "--target")}
            write_stderr(Diagnostic("error", error.message, error.place).text(flags))
            return BAD_USAGE
        write_stderr(failure(error, "starting", given, None).text({}))
        return DEFECT

    try:
        return ended("ndp-opt", run, failed)
    finally:  # --disable-verify and --syntax-highlight change these for the process
        Attribute.__post_init__, XdslDiagnostic.colored = post_init, colored
