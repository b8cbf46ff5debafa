"""The placement problem as plain data, built from a program: nodes with the alternatives (choices) of each op, values,
copies, partial schedules, and orders."""
