"""Moves of bytes between a device's memory and its tiers: their issue, their service from queues, and the transfers
under way, which share links."""
