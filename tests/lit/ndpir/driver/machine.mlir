// The machine is the program's own; --machine replaces it; without either, a default is used where a machine is needed.
// RUN: ndp-opt %s --split-input-file | filecheck %s --check-prefix=OWN
// OWN:     hw.device @a = "toy_gpu"
// OWN:     // -----
// OWN-NOT: hw.device
// OWN:     func.func @none

// RUN: ndp-opt %s --split-input-file --machine toy 2>&1 | filecheck %s --check-prefix=GIVEN
// GIVEN: machine.mlir:23:1: note: the machine toy replaces the program's own (hw.device @a)
// GIVEN-NEXT: hw.device @a = "toy_gpu"
// GIVEN-NEXT: ^
// GIVEN-NOT: hw.device @a
// GIVEN: hw.device @gpu = "toy_gpu"
// GIVEN: hw.device @pim = "toy_pim"
// GIVEN: // -----
// GIVEN: hw.device @gpu = "toy_gpu"

// RUN: ndp-opt %s --split-input-file -t timeline 2>&1 | filecheck %s --check-prefix=DEFAULT
// DEFAULT: note: timeline needs a machine, but none is given; a100-newton is used (--machine NAME chooses another)

// RUN: not ndp-opt %s --split-input-file --machine toi 2>&1 | filecheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: {{.*}}`toi`
hw.device @a = "toy_gpu"
func.func @own() {
  func.return
}
// -----
func.func @none() {
  func.return
}
