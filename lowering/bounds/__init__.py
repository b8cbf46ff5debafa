"""Lower bounds on the makespan of every placement of a program, in every order."""
