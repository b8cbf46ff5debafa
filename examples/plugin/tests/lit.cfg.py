"""Configuration of LLVM's test runner: `lit examples/plugin/tests`; an example for plugins that have tests."""

import os
import sys
from typing import Any

import lit.formats  # pyright: ignore[reportMissingTypeStubs]

config: Any = globals()["config"]  # lit defines the name `config`
config.name = "ndpir plugins"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.excludes = ["Output"]
config.test_source_root = os.path.dirname(__file__)
config.environment["PATH"] = os.pathsep.join((os.path.dirname(sys.executable), os.environ["PATH"]))
