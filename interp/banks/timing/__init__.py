"""How long a bank program takes, to the cycle."""
