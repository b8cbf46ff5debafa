"""PIMFlow's published bank programs."""
