"""The engine of all commands: which passes run on which machine, as requests state it, with changes of sheets, and
comparisons."""
