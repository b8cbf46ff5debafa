"""The dialects, in which programs are written: `hw`, `graph`, `task`, `pim`, `ndp` and `tile`. This floor knows no
device and no time."""
