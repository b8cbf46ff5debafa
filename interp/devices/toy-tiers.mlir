// A GPU of round numbers with host memory and an SSD behind it.
hw.device @gpu = "toy_gpu"
hw.device @host = "toy_host"
hw.device @ssd = "toy_ssd"
hw.link @gpu to @host = "toy_bus"
hw.link @host to @ssd = "toy_bus"
