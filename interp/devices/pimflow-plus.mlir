// pimflow with the PIM of PIMFlow's baseline Newton+: its global buffers are not filled while rows are opened and read.
//
// A bank program is launched as any kernel of this GPU is, in 5000 cycles of 1365 MHz (see its sheet);
// PIMFlow counts no time for that.
hw.device @gpu = "pimflow_gpu"
hw.device @pim = "newton_plus" {launch = "3.663 us"}
hw.link @gpu to @pim = "pimflow_channels"
