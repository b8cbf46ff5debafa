"""Reading and writing of programs' text: tokens, names, suggestions, and the words of errors."""
