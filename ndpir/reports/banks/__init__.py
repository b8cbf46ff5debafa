"""Reports on bank programs: their time, commands and energy, and their cycles by different timing variants."""
