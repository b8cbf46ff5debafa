"""Programs larger than their device's memory: placement of bytes in memories, the moves between these, and their
costs."""
