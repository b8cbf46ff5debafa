"""Configuration of plain `lit tests/lit`: each RUN line in processes of its own, as MLIR's tests run."""

import os
import shutil
import sys

import lit.formats

config.name = "ndpir"  # noqa: F821
config.test_format = lit.formats.ShTest(execute_external=False)  # noqa: F821
config.suffixes = [".mlir"]  # noqa: F821
config.excludes = ["Inputs", "Output"]  # noqa: F821
config.test_source_root = os.path.dirname(__file__)  # noqa: F821
config.environment["PATH"] = os.pathsep.join((os.path.dirname(sys.executable), os.environ["PATH"]))  # noqa: F821
config.substitutions.append(("FileCheck", "filecheck"))  # noqa: F821
if shutil.which("dot"):
    config.available_features.add("dot")  # noqa: F821
