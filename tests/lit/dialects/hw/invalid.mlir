// RUN: ndp-opt %s --verify-diagnostics --split-input-file

hw.device @gpu = "a100"
// expected-error @+1 {{hw.device @gpu appears twice; rename one}}
hw.device @gpu = "toy_gpu"

// -----

// expected-error @+1 {{the name of the data sheet is empty; write for instance = "a100"}}
hw.device @gpu = ""

// -----

// expected-error @+1 {{`channels` must be set to a number or a string, not [1 : i64]}}
hw.device @gpu = "a100" {channels = [1]}

// -----

// expected-error @+1 {{`clock` must be set to a finite number, not inf}}
hw.device @gpu = "a100" {clock = 0x7F800000 : f32}

// -----

// expected-error @+1 {{`clock` is set twice; keep one}}
hw.device @gpu = "a100" {clock = 1, clock = 2}

// -----

hw.device @gpu = "a100"
// expected-error @+1 {{hw.link joins two devices, but both ends are @gpu}}
hw.link @gpu to @gpu = "on_board"

// -----

hw.device @gpu = "a100"
// expected-error @+1 {{hw.link: there is no device @pim; the machine has @gpu; declare it (hw.device @pim = "SHEET")}}
hw.link @gpu to @pim = "on_board"

// -----

hw.device @gpu = "a100"
hw.device @pim = "newton"
hw.link @gpu to @pim = "on_board"
// expected-error @+1 {{hw.link: @pim and @gpu are joined by two links; a link works in both directions, so keep one}}
hw.link @pim to @gpu = "pcie4"
