"""The memory of the computer that runs programs."""

from __future__ import annotations

import os
import sys
from functools import cache


@cache
def memory_bytes() -> int:
    """Bytes of memory of this computer; `sys.maxsize` if the operating system does not report it."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else sys.maxsize
