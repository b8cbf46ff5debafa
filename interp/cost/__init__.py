"""What one piece of work costs on one device or link: GPU kernels, rooflines, profiles, and the clock over all."""
