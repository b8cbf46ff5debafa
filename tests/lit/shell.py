"""A runner of RUN lines that calls ndpir's tools and `filecheck` inside this process, and starts a process for each
other program.

lit starts a process for each command, which takes 0.2 to 0.5 s; without processes a test takes about 20 ms. A real
shell runs a line that has other shell syntax than pipes, sequences and redirections, all lines of a file with `//
REQUIRES-PROCESS`, and all lines if the environment has `NDPIR_LIT=process`.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
RUN = re.compile(r"^\s*(?://|#|;)\s*RUN:\s*(.*?)\s*$", re.MULTILINE)
REQUIRES = re.compile(r"^\s*//\s*REQUIRES:\s*(.+?)\s*$", re.MULTILINE)
OPERATORS = {"|", "&&", ";", "<", ">", "2>", ">>", "2>&1"}


@dataclass
class Result:
    """The outcome of one RUN line."""

    status: int
    output: str
    failed: str = ""
    """The first command that failed, and its exit status."""


def run_lines(path: Path) -> list[str]:
    """The commands of a test's RUN lines; a line that ends in a backslash is joined with the next one. `%s` and the
    like are not replaced yet."""
    lines: list[str] = []
    joining = False
    for line in RUN.findall(path.read_text(encoding="utf-8", errors="replace")):
        text = line.removesuffix("\\").rstrip()
        if joining:
            lines[-1] += " " + text
        else:
            lines.append(text)
        joining = line.endswith("\\")
    return lines


def missing_features(path: Path, known: set[str]) -> list[str]:
    """The programs and features of the test's REQUIRES lines that this machine lacks."""
    required = [
        word.strip()
        for line in REQUIRES.findall(path.read_text(encoding="utf-8", errors="replace"))
        for word in line.split(",")
    ]
    return [word for word in required if word not in known]


def is_slow(path: Path) -> bool:
    """True if a test has a line `// SLOW`."""
    return re.search(r"^// SLOW$", path.read_text(encoding="utf-8", errors="replace"), re.MULTILINE) is not None


def substituted(line: str, path: Path, scratch: Path) -> str:
    """The line with lit's `%s`, `%S`, `%t`, `%T` and `%%` filled in."""
    words = {
        "%s": str(path),
        "%S": str(path.parent),
        "%t": str(scratch / (path.name + ".tmp")),
        "%T": str(scratch),
        "%%": "%",
    }
    return re.sub(r"%[sStT%](?![A-Za-z])|%%", lambda match: shlex.quote(words[match[0]]), line)


def run_line(line: str, *, in_process: bool, folder: Path = ROOT) -> Result:
    """Run a substituted line in a folder; the line fails if any command of a pipe fails, as in lit."""
    if in_process and (parts := _sequence(line)) is not None:
        result = Result(0, "")
        for pipe in parts:
            result = _run_pipe(pipe, folder)
            if result.status:
                break
        return result
    script = f'not() {{ ! "$@"; }}\nFileCheck() {{ filecheck "$@"; }}\nset -eo pipefail\nexec 2>&1\n{line}'
    done = _in_a_process(["bash", "-c", script], folder)
    return Result(done.returncode, done.stdout)


def _in_a_process(words: Sequence[str], folder: Path, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        words,
        cwd=folder,
        env=os.environ | {"PATH": path},
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        text=True,
        timeout=120,
    )


@dataclass
class Command:
    """One command of a pipe, with its redirections."""

    words: list[str]
    merge_stderr: bool = False
    stdin: str | None = None
    stdout: str | None = None
    stderr: str | None = None
    negated: bool = False


def _sequence(line: str) -> list[list[Command]] | None:
    """The pipes of a line, in the order in which they run; None if the line needs a real shell."""
    if re.search(r"\$|`|\|\||(?<!&)&(?!&|1)|\*|~|<<|>>|\(|\{(?=\s)", _outside_quotes(line)):
        return None
    lexer = shlex.shlex(line.replace("2>&1", " 2>&1 ").replace("2>&1", "\0"), posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:
        return None
    pipes: list[list[Command]] = [[Command([])]]
    iterator = iter(words)
    for word in iterator:
        command = pipes[-1][-1]
        if word == "\0":
            command.merge_stderr = True
        elif word == "|":
            pipes[-1].append(Command([]))
        elif word in ("&&", ";"):
            pipes.append([Command([])])
        elif word in ("<", ">"):
            target = next(iterator, None)
            if target is None:
                return None
            if word == "<":
                command.stdin = target
            elif command.words and command.words[-1] == "2":
                command.words.pop()
                command.stderr = target
            else:
                command.stdout = target
        else:
            command.words.append(word)
    return pipes if all(_is_program(command) for pipe in pipes for command in pipe) else None


def _outside_quotes(line: str) -> str:
    return re.sub(r"'[^']*'|\"[^\"`$]*\"", "''", line)


def _is_program(command: Command) -> bool:
    """True if the command is one of ndpir's tools or a program on the PATH, not a shell builtin or an assignment."""
    while command.words[:1] == ["not"]:
        command.negated = not command.negated
        command.words.pop(0)
    return bool(command.words) and (command.words[0] in _PROGRAMS or shutil.which(command.words[0]) is not None)


def _run_pipe(pipe: Sequence[Command], folder: Path) -> Result:
    flowing, log, status, failed = "", "", 0, ""
    for command in pipe:
        stdin = (folder / command.stdin).read_text(encoding="utf-8") if command.stdin else flowing
        program, *words = command.words
        if program in _PROGRAMS:
            with _streams(stdin, folder, merge=command.merge_stderr) as (out, err):
                code = _PROGRAMS[program](words)
            flowing, errors = out.getvalue(), "" if command.merge_stderr else err.getvalue()
        else:
            done = _in_a_process(command.words, folder, stdin)
            code, flowing, errors = done.returncode, done.stdout, done.stderr
            if command.merge_stderr:
                flowing, errors = flowing + errors, ""
        if command.stdout:
            (folder / command.stdout).write_text(flowing, encoding="utf-8")
            flowing = ""
        if command.stderr:
            (folder / command.stderr).write_text(errors, encoding="utf-8")
            errors = ""
        log += errors
        if command.negated:
            code = 0 if code else 1
        if code and not status:
            status = code
            outcome = "did not fail" if command.negated else f"exit status {code}"
            failed = f"{shlex.join(command.words)}: {outcome}"
    return Result(status, log + flowing, failed)


@contextlib.contextmanager
def _streams(stdin: str, folder: Path, *, merge: bool) -> Generator[tuple[io.StringIO, io.StringIO]]:
    out = io.StringIO()
    err = out if merge else io.StringIO()
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), contextlib.chdir(folder):
            yield out, err
    finally:
        sys.stdin = before


def _ndp_opt(arguments: Sequence[str]) -> int:
    from ndpir.cli.opt import main

    return main(arguments)


def _ndp_profile(arguments: Sequence[str]) -> int:
    from ndpir.cli.profile import main

    return main(arguments)


def _ndp_calibrate(arguments: Sequence[str]) -> int:
    from ndpir.cli.calibrate import main

    return main(arguments)


def _ndp_sweep(arguments: Sequence[str]) -> int:
    from ndpir.cli.exploring.sweep import main

    return main(arguments)


def _ndp_serve(arguments: Sequence[str]) -> int:
    from ndpir.cli.exploring.serve import main

    return main(arguments)


def _filecheck(arguments: Sequence[str]) -> int:
    from filecheck.matcher import Matcher
    from filecheck.options import parse_argv_options

    return Matcher.from_opts(parse_argv_options(["filecheck", *arguments])).run()


_PROGRAMS = {
    "ndp-opt": _ndp_opt,
    "ndp-profile": _ndp_profile,
    "ndp-calibrate": _ndp_calibrate,
    "ndp-sweep": _ndp_sweep,
    "ndp-serve": _ndp_serve,
    "filecheck": _filecheck,
    "FileCheck": _filecheck,
}
