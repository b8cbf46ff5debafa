// The command ndp-serve, on a model of twelve small layers.
// RUN: ndp-serve %S/Inputs/tiny.json --machine h100_sxm -p gpu-only --batch 1,4 --prompt 64 --output 16 --price 2 | filecheck %s --check-prefix=TABLE
// RUN: ndp-serve %S/Inputs/tiny.json --machine h100_sxm -p gpu-only --engine vllm --batch 2 --prompt 64 --output 16 --shortest 0.8 --json | filecheck %s --check-prefix=JSON
// RUN: rm -f %t.csv %t.html %t.svg
// RUN: ndp-serve %S/Inputs/tiny.json --machine h100_sxm -p gpu-only --prompt 8 --output 2 --sweep gpu.bandwidth=2TB/s,4TB/s -o %t.csv --report %t.html --plot %t.svg | filecheck %s --check-prefix=SWEEP
// RUN: filecheck %s --check-prefix=CSV --input-file %t.csv
// RUN: filecheck %s --check-prefix=HTML --input-file %t.html
// RUN: filecheck %s --check-prefix=SVG --input-file %t.svg
// RUN: not ndp-serve %S/Inputs/tiny.json --machine h100_sxm -p gpu-only --batch 9000000 --prompt 64 --output 16 2>&1 | filecheck %s --check-prefix=LARGE
// RUN: not ndp-serve %S/Inputs/tiny.json --machine h100_sxm --engine vlm 2>&1 | filecheck %s --check-prefix=ENGINE
// RUN: not ndp-serve %S/Inputs/tiny.json 2>&1 | filecheck %s --check-prefix=MACHINE
// RUN: not ndp-serve --machine h100_sxm 2>&1 | filecheck %s --check-prefix=MODEL
// RUN: not ndp-serve %S/Inputs/tiny.json --machine h100_sxm --batch 4 --requests 3 2>&1 | filecheck %s --check-prefix=REQUESTS
// RUN: not ndp-serve %S/Inputs/tiny.json --machine h100_sxm --sweep speed=1,2 2>&1 | filecheck %s --check-prefix=AXIS
// RUN: not ndp-serve %S/Inputs/tiny.json --machine h100_sxm --shortest 2 2>&1 | filecheck %s --check-prefix=SHORTEST
// RUN: not ndp-serve %s --machine h100_sxm --engine vllm 2>&1 | filecheck %s --check-prefix=EXPORTED

// TABLE: tiny on h100_sxm, no engine, -p gpu-only
// TABLE: batch prompt output TTFT TPOT tokens/s energy/token $/M tokens fits on gpu
// TABLE-NEXT: 1 64 16 {{.*}} of 80 GB
// TABLE-NEXT: 4 64 16 {{.*}} of 80 GB
// TABLE: batch prompt output decode step attention products other kernels launches kernels above bound
// TABLE: simulated from {{.*}}, of few layers each; steps between are interpolated where one left out agrees within 0.5 %

// JSON: "engine": "vllm"
// JSON: "first_ns":
// JSON: "tokens_per_s":
// JSON: "parts":

// SWEEP: gpu.bandwidth=2TB/s
// SWEEP: gpu.bandwidth=4TB/s
// CSV: machine,gpu.bandwidth,batch,prompt,output,first_ns,token_ns,tokens_per_s,energy_per_token_nj,
// HTML: <h2>Pareto front</h2>
// SVG: <svg

// LARGE: ndp-serve: error: no load can be served; the first one: {{.*}}; the largest batch of this length that fits is
// ENGINE: ndp-serve: error: there is no engine `vlm` (known are none, sglang, trtllm, vllm); did you mean `vllm`?
// MACHINE: ndp-serve: error: no machine is given; name one with --machine
// MODEL: ndp-serve: error: no model is given; name a config.json
// REQUESTS: ndp-serve: error: 3 requests in all can't keep 4 in flight; ask for more requests, or for smaller batches
// AXIS: ndp-serve: error: {{.*}}speed
// SHORTEST: ndp-serve: error: argument --shortest: expected a number above 0 and at most 1, but met `2`
// EXPORTED: ndp-serve: error: the engine vllm mixes prompts with sequences that decode, which takes a config.json
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
