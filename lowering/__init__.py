"""Transformations of programs: one file per pass. Passes that need the time of an op get it from the package
`interp`."""
