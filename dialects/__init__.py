"""The dialects, in which programs are written: `hw`, `graph`, `task`, `pim`, `ndp` and `tile`. Nothing in this package
depends on a device or on time."""
