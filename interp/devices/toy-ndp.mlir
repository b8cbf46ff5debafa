// A GPU and near-data units of round numbers, for examples and tests.
hw.device @gpu = "toy_gpu"
hw.device @ndp = "toy_ndp"
hw.link @gpu to @ndp = "toy_link"
