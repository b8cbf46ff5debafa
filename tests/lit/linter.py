"""Checks for mistakes in `.mlir` tests that filecheck ignores silently: no RUN line, misspelt directives, unknown
prefixes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.lit.shell import run_lines

SUFFIXES = ("-NEXT", "-SAME", "-DAG", "-NOT", "-EMPTY", "-LABEL", r"-COUNT-\d+")
_PREFIX_FLAG = re.compile(r"--?check-prefix(?:es)?[= ]([\w,-]+)")
_DIRECTIVE = re.compile(r"^\s*//\s*([A-Za-z][\w-]*(?: (?:NEXT|SAME|DAG|NOT|EMPTY|LABEL))?)(\{LITERAL\})?\s*:(?!:)")
_ABSOLUTE = re.compile(r"(?:^|[\s=\"'])(/(?:home|work|tmp|root|usr|Users|private|var)/\S*)")
_ROUNDING = re.compile(r"\b(?:equal within|differs by) \d")
_LOOSE = re.compile(r"C+H*E*C*K+|CHE[A-Z]{1,3}|C[A-Z]ECK|CH[A-Z]CK|[A-Z]HECK", re.IGNORECASE)
WORDS = {"RUN", "COM", "REQUIRES", "XFAIL", "UNSUPPORTED", "TODO", "FIXME", "NOTE"}


def complaints(path: Path) -> Iterator[str]:
    """Messages `FILE:LINE: …` about the mistakes of one test file."""
    text = path.read_text(encoding="utf-8", errors="replace")
    runs = run_lines(path)
    if not runs:
        yield f"{path}:1: there is no RUN line, so nothing is tested"
        return
    prefixes = _prefixes(runs)
    known = re.compile(rf"(?:{'|'.join(map(re.escape, sorted(prefixes)))})(?:{'|'.join(SUFFIXES)})?")
    used = set[str]()
    for number, line in enumerate(text.splitlines(), 1):
        if absolute := _ABSOLUTE.search(line):
            yield f"{path}:{number}: {absolute[1]} is a path of one machine; use %s, %S or %t"
        if not (found := _DIRECTIVE.match(line)):
            continue
        if _ROUNDING.search(line):
            yield f"{path}:{number}: an error's digits depend on the processor; leave them to {{{{.*}}}}"
        word = found[1]
        if known.fullmatch(word):
            used.add(next(prefix for prefix in sorted(prefixes, key=len, reverse=True) if word.startswith(prefix)))
        elif _is_meant_as_check(word, prefixes):
            yield f"{path}:{number}: `{word}:` is no directive of this test, so filecheck skips it silently"
    checked = any("filecheck" in run or "FileCheck" in run for run in runs)
    if not checked and not any("--verify-diagnostics" in run or "diff " in run for run in runs):
        yield f"{path}:1: no RUN line ends in filecheck, so its output is not looked at"
    for prefix in sorted(prefixes - used) if checked else ():
        yield f"{path}:1: a RUN line checks the prefix {prefix}, but no line bears it"


def _prefixes(runs: list[str]) -> set[str]:
    prefixes = set[str]()
    for run in runs:
        for call in re.split(r"\||&&|;", run):
            if "filecheck" in call or "FileCheck" in call:
                named = _PREFIX_FLAG.findall(call)
                prefixes.update(prefix for group in named for prefix in group.split(","))
                if not named:
                    prefixes.add("CHECK")
    return prefixes or {"CHECK"}


def _is_meant_as_check(word: str, prefixes: set[str]) -> bool:
    if word in WORDS or word.startswith("REQUIRES") or word.lower().startswith("expected-"):
        return False
    head = re.split(r"[-_ ]", word)[0]
    near = any(head.upper() == prefix.split("-")[0].upper() for prefix in prefixes)
    suffix = re.search(r"[-_ ](NEXT|SAME|DAG|NOT|EMPTY|LABEL|COUNT|NXT|LABLE|NET|SAM)\b", word, re.IGNORECASE)
    return near or bool(suffix) or bool(_LOOSE.fullmatch(head) and head.isupper())
