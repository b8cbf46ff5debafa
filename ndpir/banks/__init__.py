"""The level `pim` at the roof: vendor texts that are read and written, what limits bank programs, and what timing
variants of a sheet do to them."""
