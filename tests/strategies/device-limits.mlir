// RUN: heddle-opt %s --heddle-tile="target=gpu" | FileCheck %s --check-prefix=OWN
// RUN: heddle-opt %s --heddle-tile="target=gpu limits=workgroup_kib=99,workgroup_threads=256" | FileCheck %s --check-prefix=OWN
// RUN: heddle-opt %s --heddle-tile="target=gpu limits=workgroup_kib=31,workgroup_threads=100" | FileCheck %s --check-prefix=LESS
// RUN: not heddle-opt %s --heddle-tile="target=gpu limits=workgroup_threads=128 strategy=recurrent_attention=recurrent-attention-elements:threads=256" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=THREADS
// RUN: not heddle-opt %s --heddle-tile="target=gpu limits=workgroup_kib=24 strategy=recurrent_attention=recurrent-attention-elements:workgroup_kib=32" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MEMORY

// A strategy for GPUs uses no more threads and memory of a workgroup than the device supports. `limits` sets these
// target facts. Without limits, or with larger ones, the knobs have their own defaults, and a workgroup keeps 32
// columns of the state in its memory (prefix OWN). Smaller limits reduce the knobs, and a workgroup keeps 16 columns
// (prefix LESS).
// OWN: heddle.chosen = {knobs = {threads = 128 : i64, workgroup_kib = 32 : i64}
// OWN: tensor<64x32xf32>
// LESS: heddle.chosen = {knobs = {threads = 64 : i64, workgroup_kib = 16 : i64}
// LESS: tensor<64x16xf32>
// THREADS: error: strategy recurrent-attention-elements: knob `threads` is at most 128 on this device, found 256
// MEMORY: error: strategy recurrent-attention-elements: knob `workgroup_kib` is at most 24 on this device, found 32
func.func @kernel(%q: tensor<1x7x2x64xf32>, %k: tensor<1x7x2x64xf32>, %v: tensor<1x7x2x64xf32>,
                  %g: tensor<1x7x2x64xf32>, %b: tensor<1x7x2x1xf32>, %out: memref<1x7x2x64xf32>,
                  %last: memref<1x2x64x64xf32>) attributes {heddle.kernel} {
  %0:2 = heddle.recurrent_attention %q, %k, %v decay(%g) beta(%b) scale(0.5)
     : (tensor<1x7x2x64xf32>, tensor<1x7x2x64xf32>, tensor<1x7x2x64xf32>, tensor<1x7x2x64xf32>, tensor<1x7x2x1xf32>)
    -> (tensor<1x7x2x64xf32>, tensor<1x2x64x64xf32>)
  bufferization.materialize_in_destination %0#0 in restrict writable %out : (tensor<1x7x2x64xf32>, memref<1x7x2x64xf32>) -> ()
  bufferization.materialize_in_destination %0#1 in restrict writable %last : (tensor<1x2x64x64xf32>, memref<1x2x64x64xf32>) -> ()
  return
}
