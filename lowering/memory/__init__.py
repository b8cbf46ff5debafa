"""Programs larger than a device's memory: what moves when, and a bound on what any plan of moves can reach."""
