"""Parts shared by the programs of all devices: index expressions of loop variables, loops, and properties of
integers."""
