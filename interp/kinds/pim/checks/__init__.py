"""Static checks of bank programs: nothing is executed."""
