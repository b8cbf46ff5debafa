"""Reports: what is known of a run, and the outputs that print it, as text, JSON, pictures and pages."""
