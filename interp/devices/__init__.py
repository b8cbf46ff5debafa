"""Data sheets (`*.sheet`) and machines (`*.mlir` files of hw ops): every hardware number of the project, each with its source."""
