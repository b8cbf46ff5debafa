"""The module form of `ndp-opt`: `python -m ndpir`."""

import sys

from ndpir.cli.command import opt

sys.exit(opt())
