"""What programs are: the dialects `hw`, `graph`, `task` and `pim`. This floor knows no device and no time."""
