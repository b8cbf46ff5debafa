// This file is not a machine.
hw.device @gpu = "toy_gpu"
func.func @f() {
}
