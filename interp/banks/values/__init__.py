"""What a bank program computes."""
