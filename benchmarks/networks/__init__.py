"""Complete networks as graphs, from their papers and published tables, compared with measurements."""
