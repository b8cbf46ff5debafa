"""Programs larger than GPU memory, held against published tables."""
