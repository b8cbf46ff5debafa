"""Writer of the TextMate grammars in `editors/vscode/syntaxes` from the registered ops and from the grammar of data
sheets: `python -m ndpir.pages.textmate`. With `--check`, it lists outdated files, and exits with status 1 if
there are any."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from lark.lexer import PatternStr

import interp.machine.sheets
from dialects.grammars import grammar as parser_of
from ndpir.cli.highlighting.lexicon import Rule, program_rules, sheet_rules
from ndpir.pages.generated import run
from ndpir.registry.universe import DIALECTS, load_dialect

FOLDER = "editors/vscode/syntaxes"


def registered_ops() -> dict[str, list[str]]:
    """The names of the ops of each of ndpir's dialects, without the dialect."""
    return {name: [re.escape(op.name.partition(".")[2]) for op in load_dialect(name).operations] for name in DIALECTS}


def sheet_language() -> tuple[list[str], list[str]]:
    """The keywords of data sheets, read from their grammar: first the words, then the regular expressions of terminals
    that have priority over names."""
    words = list[str]()
    patterns = list[str]()
    for terminal in parser_of(interp.machine.sheets.__file__, "sheet").terminals:
        text = terminal.pattern.value
        if isinstance(terminal.pattern, PatternStr):
            if text.isalpha():
                words.append(text)
        elif terminal.priority > 0:
            patterns.append(re.sub(r"(?<!\\)\((?!\?)", "(?:", text))
    return sorted(words), sorted(patterns)


def grammar(name: str, suffix: str, file_type: str, rules: Sequence[Rule]) -> dict[str, object]:
    """A TextMate grammar, as the content of its JSON file. `suffix`: the language's name at the end of each scope."""
    return {
        "information_for_contributors": ["Written by `python -m ndpir.pages.textmate`."],
        "name": name,
        "scopeName": f"source.{suffix}",
        "fileTypes": [file_type],
        "patterns": [{"name": f"{rule.scope}.{suffix}", "match": rule.pattern} for rule in rules],
    }


def files() -> dict[str, str]:
    """The text of each grammar file, by its path in the checkout."""
    grammars = {
        "mlir.tmLanguage.json": grammar("MLIR of ndpir", "mlir", "mlir", program_rules(registered_ops())),
        "sheet.tmLanguage.json": grammar("Data sheet of ndpir", "ndpir-sheet", "sheet", sheet_rules(*sheet_language())),
    }
    return {f"{FOLDER}/{name}": json.dumps(each, indent=2) + "\n" for name, each in grammars.items()}


if __name__ == "__main__":
    run("ndpir.pages.textmate", files)
