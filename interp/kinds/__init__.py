"""Kinds of devices: the clock, which computes the time and energy of any op on any device, and the cost model and the
sheet's page of each kind."""
