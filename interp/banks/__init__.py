"""Programs of a PIM's banks: their numbers, their hazards and their time."""
