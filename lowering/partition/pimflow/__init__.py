"""PIMFlow's search (Shin et al., CGO 2023)."""
