"""The passes that decide on placement, order and form of a program."""
