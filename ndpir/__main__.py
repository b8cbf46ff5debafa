"""`python -m ndpir` is `ndp-opt`."""

import sys

from ndpir.command import opt

sys.exit(opt())
