"""`python -m ndpir` is `ndp-opt`."""

import sys

from ndpir.cli.command import opt

sys.exit(opt())
