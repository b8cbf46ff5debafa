"""Front end: PyTorch's exported programs, from files (`.pt2`) and from memory."""
