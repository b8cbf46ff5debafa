"""Configuration of LLVM's test runner: `lit tests/lit` starts processes for each RUN line, as in MLIR's own tests."""

import os
import shutil
import sys
from typing import Any

import lit.formats  # pyright: ignore[reportMissingTypeStubs]

config: Any = globals()["config"]  # lit defines the name `config`
config.name = "ndpir"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.excludes = ["Inputs", "Output"]
config.test_source_root = os.path.dirname(__file__)
config.environment["PATH"] = os.pathsep.join((os.path.dirname(sys.executable), os.environ["PATH"]))
config.substitutions.append(("FileCheck", "filecheck"))
if shutil.which("dot"):
    config.available_features.add("dot")
