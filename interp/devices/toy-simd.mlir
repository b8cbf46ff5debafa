// A GPU and a PIM of round numbers whose banks also compute lane by lane, for examples and tests.
hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_simd"
hw.link @gpu to @pim = "toy_link"
