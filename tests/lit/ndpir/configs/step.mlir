// The config of a language model is read as one step of the model: its sizes are those that exported models have, its caches are states, and
// its weights have their published names.
// RUN: ndp-opt %S/Inputs/small/config.json --batch 2 --cache-length 9 | filecheck %s
// RUN: ndp-opt %S/Inputs/small --dim batch=2 --dim cache=9 | filecheck %s
// RUN: ndp-opt %S/Inputs/small --batch 2 --cache-length 9 -p state --check -o /dev/null

// CHECK:      func.func @main(%ids: tensor<2x1xi64> {graph.fill = array<i64: 0, 100>},
// CHECK-SAME:   %layers.0.keys: tensor<2x2x9x16xbf16> {task.state = "appended, result 1"}, %layers.0.values: tensor<2x2x9x16xbf16> {task.state = "appended, result 2"})
// CHECK-SAME:   -> (tensor<2x100xbf16>, tensor<2x2x10x16xbf16>, tensor<2x2x10x16xbf16>) {
// CHECK:        %[[QUERY:.*]] = graph.weight "model.layers.0.self_attn.q_proj.weight" = uniform({{.*}}) : tensor<64x64xbf16>
// CHECK-NEXT:   graph.matmul %{{.*}}, %[[QUERY]] transpose_b : tensor<2x64xbf16>, tensor<64x64xbf16>
// CHECK:        %[[KEYS:.*]] = graph.concat %layers.0.keys, %{{.*}} axis = 2 : tensor<2x2x9x16xbf16>, tensor<2x2x1x16xbf16>
// CHECK-NEXT:   %[[VALUES:.*]] = graph.concat %layers.0.values
// CHECK-NEXT:   graph.attention %{{.*}}, %[[KEYS]], %[[VALUES]] : tensor<2x4x1x16xbf16>, tensor<2x2x10x16xbf16>, tensor<2x2x10x16xbf16>

// A prompt has nothing cached, and logits of its last token.
// RUN: ndp-opt %S/Inputs/small --dim sequence=8 | filecheck %s --check-prefix=PROMPT
// PROMPT:     func.func @main(%ids: tensor<1x8xi64> {graph.fill = array<i64: 0, 100>}) -> (tensor<1x100xbf16>, tensor<1x2x8x16xbf16>, tensor<1x2x8x16xbf16>) {
// PROMPT:       graph.attention {{.*}} causal : tensor<1x4x8x16xbf16>, tensor<1x2x8x16xbf16>, tensor<1x2x8x16xbf16>

// Without sizes, one token is decoded behind as many as fit the context, or 2047.
// RUN: ndp-opt %S/Inputs/small -o /dev/null 2>&1 | filecheck %s --check-prefix=USUAL
// USUAL: config.json: note: a step of one token behind 511 cached ones is built (--cache-length N changes that; --dim sequence=N makes it a prompt)

// Kernels of a layer are recognised: rotations of keys and queries, attention, and products with what follows them.
// RUN: ndp-opt %S/Inputs/small --cache-length 100 -p inline,canonicalize,state,fuse | filecheck %s --check-prefix=FUSED
// FUSED:      graph.fused
// FUSED-NEXT:   graph.slice
// FUSED-NEXT:   graph.slice
// FUSED-NEXT:   graph.neg
// FUSED-NEXT:   graph.concat
// FUSED-NEXT:   graph.mul
// FUSED-NEXT:   graph.mul
// FUSED-NEXT:   graph.add
// FUSED-NEXT:   graph.yield
// FUSED:      graph.concat %layers.0.keys{{.*}} in_place
// FUSED-NEXT: graph.concat %layers.0.values{{.*}} in_place
// FUSED-NEXT: graph.attention
// FUSED:      graph.matmul
// FUSED-NEXT: graph.add
// FUSED:      graph.rms_norm
// FUSED:      graph.matmul
// FUSED-NEXT: graph.silu
// FUSED:      graph.matmul
// FUSED-NEXT: graph.mul
// FUSED:      graph.matmul
// FUSED-NEXT: graph.add

// A profile has a row for what each kernel does to the caches, which are arguments.
// RUN: ndp-profile %S/Inputs/small --cache-length 10 --machine toy_gpu 2>/dev/null | filecheck %s --check-prefix=PROFILE
// PROFILE: "op": "graph.concat"
// PROFILE: "op": "graph.attention"

// RUN: not ndp-opt %S/Inputs/small --dim sequnce=8 2>&1 | filecheck %s --check-prefix=ROLE
// ROLE: config.json: error: a model read from its config has no dimension `sequnce`; did you mean `sequence`?
// RUN: not ndp-opt %S/Inputs/small --shape ids=1x2 2>&1 | filecheck %s --check-prefix=SHAPE
// SHAPE: config.json: error: `shape` does not apply to a model read from its config; leave it out
// RUN: not ndp-opt %S/Inputs 2>&1 | filecheck %s --check-prefix=FOLDER
// FOLDER: {{.*}}Inputs: error: can't be read: it is a folder
// RUN: not ndp-opt %S/Inputs/twice.json 2>&1 | filecheck %s --check-prefix=TWICE
// TWICE: twice.json: error: the config file has "model_type" twice in one object; keep one
// RUN: not ndp-opt %S/Inputs/unknown.json 2>&1 | filecheck %s --check-prefix=UNKNOWN
// UNKNOWN: unknown.json: error: the config's field `attention_chunks` is not known for llama models, and may change what they compute; did you mean `attention_bias`?
