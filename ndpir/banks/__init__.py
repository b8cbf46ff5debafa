"""Tools for the level `pim`: readers and writers of vendors' traces, the limits of bank programs, and the effect of
timing variants on them."""
