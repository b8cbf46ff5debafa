"""Splits and pipelines of the policy `optimal`: ops in shards and stages as alternatives to ops on one device, weighed
against each other, and against placements without them, by the makespan of the complete program."""
