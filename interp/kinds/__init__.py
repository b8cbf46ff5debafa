"""Kinds of devices: the cost model and the data sheet page of each, and the clock that asks them."""
