"""Data sheets (`*.sheet`) and machines (`*.mlir`): every hardware number of the project, each with its source."""
