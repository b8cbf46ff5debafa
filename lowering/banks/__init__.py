"""Bank programs for tasks on a PIM: the template that an op gets, the layout of its operands, and the pass `to-pim`."""
