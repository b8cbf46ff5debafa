"""Random changes of the accesses of a program's text, and a judge of the check that finds wrong ones."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

from xdsl.utils.exceptions import ParseError, VerifyException

from dialects.diagnostics import InputError

NUMBER = re.compile(r"(?<![\w%<.])\d+(?![\w.])")
VARIABLE = re.compile(r"%[a-z]\w*")

Program = TypeVar("Program")


def mutated(text: str, words: Sequence[str], draws: random.Random) -> str:
    """Change one or two lines that hold one of `words`: another number, another variable, or the line removed or
    repeated elsewhere."""
    lines = text.strip().splitlines()
    for _ in range(draws.choice([1, 1, 1, 2])):
        places = [at for at, line in enumerate(lines) if any(word in line for word in words)]
        if not places:
            break
        at = draws.choice(places)
        line, is_op = lines[at], not lines[at].rstrip().endswith("{")
        match draws.choice(["number", "number", "number", "variable", "remove", "repeat", "add"]):
            case "number" if found := list(NUMBER.finditer(line)):
                one = draws.choice(found)
                old = int(one.group())
                new = max(0, draws.choice([old - 1, old + 1, old * 2, old // 2, 0, 1]))
                lines[at] = f"{line[: one.start()]}{new}{line[one.end() :]}"
            case "variable" if found := list(VARIABLE.finditer(line)):
                one = draws.choice(found)
                other = draws.choice(sorted(set(VARIABLE.findall(text))))
                lines[at] = f"{line[: one.start()]}{other}{line[one.end() :]}"
            case "remove" if is_op:
                del lines[at]
            case "repeat" if is_op:
                lines.insert(draws.choice(places), line)
            case "add" if "drain" in line:
                lines[at] = line.replace(" add to", " to") if " add to" in line else line.replace(" to", " add to", 1)
            case _:
                pass
    return "\n".join(lines)


def judged(
    text: str,
    words: Sequence[str],
    count: int,
    seed: int,
    parse: Callable[[str], Program],
    check: Callable[[Program], None],
    run: Callable[[Program], object],
    wrong: Callable[[str], bool],
) -> Counter[str]:
    """Compare a static check with a run, on mutations of a program, and count: mutations that a run accepts (`valid`),
    that it refuses for an access for which `wrong` holds of its message, and that the check refuses (`found`) or
    accepts (`missed`), and that it refuses for other reasons (`other`). Fails if the check refuses what runs."""
    draws, found = random.Random(seed), Counter[str]()
    check(parse(text))
    run(parse(text))
    for _ in range(count):
        mutation = mutated(text, words, draws)
        try:
            program = parse(mutation)
        except (ParseError, VerifyException, InputError):
            found["malformed"] += 1
            continue
        static, dynamic = refusal(lambda program=program: check(program)), refusal(lambda program=program: run(program))
        assert dynamic or not static, f"refused, but it runs: {static}\n{mutation}"
        if not dynamic:
            found["valid"] += 1
        elif wrong(dynamic):
            found["found" if static else "missed"] += 1
        else:
            found["other"] += 1
    return found


def refusal(does: Callable[[], object]) -> str:
    """Return the message of the error that a function raises; empty if it raises none."""
    try:
        does()
    except InputError as error:
        return error.message if error.place else "an error without a place"
    return ""
