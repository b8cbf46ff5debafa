"""What is wrong with a bank program, found without running it."""
