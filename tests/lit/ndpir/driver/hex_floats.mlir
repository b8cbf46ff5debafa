// A hexadecimal number in dense<…> gives the bits of a float; plain xDSL 0.74 reads 0xFF800000 as 4286578688.0.
// RUN: ndp-opt %s | filecheck %s
// RUN: ndp-opt %s | ndp-opt | filecheck %s

// CHECK: a = dense<0xff800000> : tensor<f32>
"test.op"() {a = dense<0xFF800000> : tensor<f32>} : () -> ()
// CHECK: a = dense<[0x7e00, 1.000000e+00]> : tensor<2xf16>
"test.op"() {a = dense<[0x7E00, 0x3C00]> : tensor<2xf16>} : () -> ()
// CHECK: a = dense<0x7f80> : tensor<bf16>
"test.op"() {a = dense<0x7F80> : tensor<bf16>} : () -> ()
// CHECK: a = dense<255> : tensor<i32>
"test.op"() {a = dense<0xFF> : tensor<i32>} : () -> ()
