"""Measurement of the costs that a placement needs, in few runs on this computer, and their profile (`ndp-profile`)."""
