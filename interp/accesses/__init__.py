"""Elements of memories that the ops of a program access, decided from their index expressions alone, without running
the program."""
