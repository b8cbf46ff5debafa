"""The planning problem as plain data, built from a program: nodes with their choices, values, copies, and orders."""
