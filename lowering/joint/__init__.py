"""One plan over devices and memories: where ops run, which run again, and what moves, decided together for programs
that exceed their primary device's memory."""
