"""Time on channels whose controllers open rows, switch modes and refresh by themselves."""
