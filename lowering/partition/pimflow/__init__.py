"""PIMFlow's space of plans and its search, as published (Shin et al., CGO 2023)."""
