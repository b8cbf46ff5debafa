"""The policies `cost` and `optimal`, which search for the placement and order of least makespan, and the greatest lower
bound."""
