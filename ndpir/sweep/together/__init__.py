"""Points of a sweep that differ only in timing parameters of PIMs, timed together: those of one fixed program, and of a
program that is planned anew at each point."""
