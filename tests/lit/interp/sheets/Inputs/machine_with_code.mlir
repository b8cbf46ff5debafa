// No machine.
hw.device @gpu = "toy_gpu"
func.func @f() {
}
