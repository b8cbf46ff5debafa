"""The passes `place`, `order` and `choose-form`, which decide on the devices, the order and the form of a program."""
