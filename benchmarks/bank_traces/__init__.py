"""Random traces on which the speed of the bank simulation is measured."""
