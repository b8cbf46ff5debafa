"""Where each op runs and in which order."""
