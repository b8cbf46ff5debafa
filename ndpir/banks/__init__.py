"""Tools for the level `pim`: readers and writers of vendors' traces, reports on the time of bank programs, and
comparisons of their cycles by different timing variants."""
