"""Text of programs: tokens, names, suggestions, and the words of errors."""
