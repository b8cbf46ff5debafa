"""`ndp-serve config.json --machine h100-attacc --prompt 2048 --output 256 --batch 1,16,64`: tokens per second, latency
and energy of a language model on a machine, and on its GPU alone."""

from __future__ import annotations

if __name__ == "__main__":  # before all imports, so that Ctrl-C is handled during imports, too
    from ndpir.cli.command import serve

    raise SystemExit(serve())

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from json import dumps
from typing import TYPE_CHECKING

from dialects.diagnostics import InputError, notes_to, watched_by
from dialects.files import check_writable, granting, write_text
from ndpir.cli.completion.shells import answer
from ndpir.cli.ending import BAD_INPUT, DEFECT, DONE, ended
from ndpir.cli.flags import LEVELS, MACHINE, add_flags, add_version, at_least, parser_of
from ndpir.cli.output import write_data, write_stderr
from ndpir.cli.progress import Progress
from ndpir.compiler.compilation import Request
from ndpir.diagnostics.printed import Diagnostic, diagnostics_of
from ndpir.diagnostics.usage import UsageError
from ndpir.frontends.examples import resolved
from ndpir.serving.question import Question
from ndpir.sweep.axes import Value, axes_of

if TYPE_CHECKING:
    from ndpir.serving.answer import Answer

TOOL = "ndp-serve"
_EPILOG = """\
examples:
  ndp-serve config.json --machine h100-attacc --batch 1,16,64 --prompt 2048,8192 --output 256
  ndp-serve config.json --machine h100_sxm --engine vllm --batch 32 --prompt 1024 --output 512 --shortest 0.8
  ndp-serve decode.onnx prefill.onnx --machine a100-newton --batch 1 --prompt 511
  ndp-serve config.json --machine h100-attacc --batch 1,16 --sweep pim.channels=16..80*2 --report report.html

The numbers after --batch, --prompt and --output are combined. Axes of --sweep: machine, engine, library, passes, O,
engine.FIELD, and NAME.FIELD of a data sheet as after --set. docs/llm.md explains the answer.
exit status: 0 done (a load that does not fit has its reason), 1 an error in the input or no load fits, 2 an error in
the command line, 3 a defect of ndp-serve."""

_INPUT = """
model FILE  a model's config.json or its folder, example:NAME, or the exported graph of a decode step (.onnx, StableHLO)
prefill FILE  the exported graph of the same model's prompts, for the time to the first token
--dtype TYPE  the element type of a config's weights and activations: f32, f16, bf16 (default: as published)
--weights TYPE  the element type of weights of products, if it is another: f8, f8_static, f8_block, i4,
    mxfp4
--cache TYPE  the element type of caches, if it is another: f8
"""
_LOAD = """
--batch N,N…  numbers of sequences that are answered at a time (default 1)
--prompt N,N…  lengths of prompts in tokens (default 2048)
--output N,N…  lengths of answers in tokens (default 256)
--engine NAME|FILE  the engine that forms steps: none, vllm, sglang, trtllm, or a sheet of one (default none)
--shortest F  the shortest prompt and answer as a fraction of the longest; lengths are drawn evenly between (default 1)
--hits F        the share of each prompt that prefix caching finds in the caches already (default 0)
--requests N  the number of requests; each takes the place of one that has ended (default: one batch, or with an engine
    four)
--price DOLLARS  the price of the machine an hour, for the cost of a million tokens
"""
_PASSES = """
-p, --passes PASSES  passes and pipelines that compile each step (default plan)
-O N  the effort of searches: 1 quick (default), 2, 3 longer
--keep-types  keep the model's element types
"""
_OUTPUT = """
--sweep NAME=VALUES …  an axis with its values (repeatable)
--json  print the answer as JSON
-o, --out FILE  write a row for each load (.csv, .sqlite, .parquet)
--report FILE  write a page with the loads, their Pareto front and plots (.html)
--plot FILE  write a plot of time per token over tokens per second (.svg)
"""


def main(words: Sequence[str] | None = None) -> int:
    """Run `ndp-serve` with the arguments `words` (default: those of the process); returns the exit status."""
    given = list(sys.argv[1:] if words is None else words)

    def failed(error: BaseException) -> int:
        from ndpir.cli.reproducer import failure

        if (diagnostics := diagnostics_of(error)) is None:
            write_stderr(failure(error, "answering", given, None, TOOL).in_file(TOOL).text({}))
            return DEFECT
        for diagnostic in diagnostics:
            write_stderr(diagnostic.in_file(TOOL).text({}))
        return BAD_INPUT

    return ended(TOOL, lambda: _run(_parsed(given)), failed)


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    parser = parser_of(
        TOOL,
        usage=f"{TOOL} MODEL [PREFILL] --machine NAME|FILE [--batch N,N…] [--prompt N,N…] [--output N,N…] [flags]",
        description="Answers how many tokens a second a machine serves, at what latency and energy, with memory that "
        "computes and without.",
        epilog=_EPILOG,
        takes="prefill step",
    )
    of_file = {"nargs": "?", "type": resolved}
    add_flags(parser.add_argument_group("input"), _INPUT, model=of_file, prefill=of_file)
    add_flags(parser.add_argument_group("machine"), MACHINE.format(default="the default machine").strip())
    counts = {"type": _counts}
    add_flags(
        parser.add_argument_group("load"),
        _LOAD,
        batch=counts | {"default": (1,)},
        prompt=counts | {"default": (2048,)},
        output=counts | {"default": (256,)},
        engine={"default": "none"},
        shortest={"type": _fraction, "default": 1.0},
        hits={"type": _share, "default": 0.0},
        requests={"type": at_least(1)},
        price={"type": _price},
    )
    add_flags(parser.add_argument_group("passes"), _PASSES, passes={"default": "plan"}, O={"choices": LEVELS})
    add_flags(parser.add_argument_group("output"), _OUTPUT)
    add_version(parser.add_argument_group("about"), TOOL)
    answer(parser)
    return parser.parse_args(words)


def _counts(text: str) -> tuple[int, ...]:
    """The whole numbers in the value of --batch, --prompt or --output, as a type of argparse."""
    return tuple(dict.fromkeys(map(at_least(1), text.split(","))))


def _fraction(text: str) -> float:
    """The value of --shortest, as a type of argparse."""
    try:
        if 0 < (value := float(text)) <= 1:
            return value
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"expected a number above 0 and at most 1, but met `{text}`")


def _share(text: str) -> float:
    """The value of --hits, as a type of argparse."""
    try:
        if 0 <= (value := float(text)) <= 1:
            return value
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"expected a number from 0 to 1, but met `{text}`")


def _price(text: str) -> float:
    """The value of --price, as a type of argparse."""
    try:
        if 0 <= (value := float(text)) < 1e9:
            return value
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"expected dollars an hour, but met `{text}`")


def question_of(args: argparse.Namespace) -> Question:
    """The question of a command line."""
    if args.model is None:
        raise UsageError("no model is given; name a config.json, or the exported graph of a decode step")
    if args.machine is None:
        raise UsageError("no machine is given; name one with --machine (ndp-opt --list-devices shows them)")
    effort = 1 if args.O is None and args.passes == "plan" else None if args.O is None else int(args.O)
    engine = {text.partition("=")[0]: text.partition("=")[2] for text in args.set if text.startswith("engine.")}
    request = Request(
        args.passes,
        args.machine,
        settings=tuple(text for text in args.set if not text.startswith("engine.")),
        sheets=tuple(args.sheets),
        keep_types=args.keep_types,
        library=args.library,
        effort=effort,
    )
    types = {name: value for name in ("dtype", "weights", "cache") if (value := getattr(args, name)) is not None}
    return Question(
        tuple(filter(None, (args.model, args.prefill))),
        request,
        args.batch,
        args.prompt,
        args.output,
        args.engine,
        {name.partition(".")[2]: value for name, value in engine.items()},
        args.shortest,
        args.requests,
        args.hits,
        types,
        args.price,
    )


def _run(args: argparse.Namespace) -> int:
    from ndpir.serving.exploring import explored
    from ndpir.serving.models import model_of

    question, axes = question_of(args).checked(), axes_of(args.sweep)
    for file in (args.out, args.report, args.plot):
        check_writable(file)
    notes = list[tuple[str, str | None]]()
    with (
        granting([]),
        Progress() as progress,
        watched_by(progress.doing),
        notes_to(lambda message, place: notes.append((message, place))),
    ):
        model, name = model_of(question)
        answers = list(explored(question, axes, model, name))
    for message, place in dict.fromkeys(notes):
        write_stderr(Diagnostic("note", message, place or TOOL).text({}))
    _write(args, answers, name)
    failed = [point for _, each in answers for point in each.points if point.error]
    if failed and all(point.error for _, each in answers for point in each.points):
        raise InputError(f"no load can be served; the first one: {failed[0].error}")
    return DONE


def _write(args: argparse.Namespace, answers: Sequence[tuple[Mapping[str, Value], Answer]], name: str) -> None:
    """Write the answers to stdout and to the files of the command line."""
    from ndpir.serving.exploring import LATENCY, THROUGHPUT, rows_of
    from ndpir.serving.text import text_of

    rows = rows_of(answers)
    if args.json:
        found = [{**point, **asdict(each)} for point, each in answers]
        write_data(dumps(found[0] if len(found) == 1 and not args.sweep else found, indent=2) + "\n")
    else:
        write_data("\n".join(_titled(point) + text_of(each) for point, each in answers))
    if args.out:
        from ndpir.sweep.tables import check_format, write_table

        check_format(args.out)
        write_table(args.out, rows)
    if args.report:
        from ndpir.sweep.report import report_html

        write_text(args.report, str(report_html(name, rows, [THROUGHPUT, LATENCY], THROUGHPUT)))
    if args.plot:
        from ndpir.sweep.drawing import pareto_plot

        write_text(args.plot, str(pareto_plot(rows, [THROUGHPUT, LATENCY]).file()))


def _titled(point: Mapping[str, Value]) -> str:
    """The values of axes as a heading; empty if nothing is swept."""
    return "".join(f"{name}={value} " for name, value in point.items()).rstrip() + "\n" * bool(point)
