"""Provably optimal placement and order by makespan."""
