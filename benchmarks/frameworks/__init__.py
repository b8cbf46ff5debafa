"""Values and times of PyTorch's programs as read here, against PyTorch on the CPU (`pip install ndpir[torch]`)."""
