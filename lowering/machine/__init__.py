"""The machine of a program: its `hw` ops, whose numbers can be changed for a while, and a digest of its facts."""
