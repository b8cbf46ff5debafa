"""What the programs of all devices share: index expressions of loop variables, loops, and properties of integers."""
