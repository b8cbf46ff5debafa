"""`python -m ndpir` is `ndp-opt`."""

import sys

from ndpir.opt import main

sys.exit(main())
