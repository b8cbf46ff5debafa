"""Times of GPU kernels: one model per kernel class, vectorised over shapes, with constants of physical meaning that are
fitted to measurements (interp/devices/calibrations).

    kernels.py         which kernels an op launches: their class and sizes
    kernel_class.py    what a class is: columns (sizes), constants with units and bounds, and a model of the time
    gemm/ conv/ attention/ vector.py   the classes
    constants/         the constants of a GPU: its own, those of its family, or plausible ones; their files and fits
    power.py           energy by component, and of the whole board; sustained.py: the clock under the power limit
    kernel_clock.py    the times of a graph's ops, with one call per class
    roofline.py        the alternative: GPUs and CPUs whose sheet states `model roofline`, or no model

docs/gpu.md describes the models, their accuracy, and how to add a class.
"""
