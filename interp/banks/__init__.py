"""What banks of a PIM are told: programs, their numbers, their hazards and their time."""
