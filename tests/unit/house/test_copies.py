"""Check that one file asks for routes of copies: lists, beams, exact searches and bounds read copies from it."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[3]
ROUTING = {"hops", "relay", "joined"}
"""The methods of `Routes` (interp/simulate/schedule/routes.py) that say which links lead from device to device."""


def test_one_file_asks_for_routes() -> None:
    asking = {
        path.relative_to(ROOT).as_posix()
        for package in ("interp", "lowering", "ndpir")
        for path in (ROOT / package).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in ROUTING and ast.unparse(node.value).endswith("routes")
    }
    assert asking == {"lowering/instance/copies.py"}
