"""Machines: the kinds of devices and their records, links, memory tiers, profiles, and the division of memory channels
between devices."""
