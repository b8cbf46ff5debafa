// pimflow with the PIM of PIMFlow's baseline Newton+: its global buffers are not filled while rows are opened and read.
//
// The launch of a bank program takes as long as that of any kernel of this GPU, 5000 cycles of 1365 MHz (see its sheet);
// PIMFlow counts no time for launches.
hw.device @gpu = "pimflow_gpu"
hw.device @pim = "newton_plus" {launch = "3.663 us"}
hw.link @gpu to @pim = "pimflow_channels"
