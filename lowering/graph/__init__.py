"""Programs of graph level into better ones of graph level: local rules, fusion, types, layout."""
