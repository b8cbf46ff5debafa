// A GPU and a PIM of round numbers, for examples and tests.
hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"
