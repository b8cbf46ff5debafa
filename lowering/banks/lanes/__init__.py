"""Bank programs of element-wise ops."""
