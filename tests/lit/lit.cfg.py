"""Configuration of plain `lit tests/lit`: each RUN line in processes of its own, as MLIR's tests run."""

import os
import shutil
import sys
from typing import Any

import lit.formats  # pyright: ignore[reportMissingTypeStubs]

config: Any = globals()["config"]  # lit puts it there
config.name = "ndpir"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.excludes = ["Inputs", "Output"]
config.test_source_root = os.path.dirname(__file__)
config.environment["PATH"] = os.pathsep.join((os.path.dirname(sys.executable), os.environ["PATH"]))
config.substitutions.append(("FileCheck", "filecheck"))
if shutil.which("dot"):
    config.available_features.add("dot")
