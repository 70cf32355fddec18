// RUN: heddle-opt %s --pass-pipeline="builtin.module(gpu.module(heddle-expand-for-ptx))" | FileCheck %s

gpu.module @device {
  // A reduction over a sub-group of 32 threads becomes five shuffles, after which every thread has the maximum.
  // CHECK-LABEL: gpu.func @reduce
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK-NOT: gpu.shuffle
  // CHECK-NOT: gpu.subgroup_reduce
  gpu.func @reduce(%x: f32, %m: memref<1xf32>) kernel {
    %zero = arith.constant 0 : index
    %all = gpu.subgroup_reduce maxnumf %x : (f32) -> f32
    memref.store %all, %m[%zero] : memref<1xf32>
    gpu.return
  }
  // vector.step and arith.ceildivui have no PTX instructions, so the pass expands them to simpler operations.
  // CHECK-LABEL: gpu.func @others
  // CHECK: arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
  // CHECK-NOT: vector.step
  // CHECK-NOT: arith.ceildivui
  gpu.func @others(%n: index, %m: memref<4xindex>) kernel {
    %zero = arith.constant 0 : index
    %three = arith.constant 3 : index
    %steps = vector.step : vector<4xindex>
    vector.store %steps, %m[%zero] : memref<4xindex>, vector<4xindex>
    %up = arith.ceildivui %n, %three : index
    memref.store %up, %m[%zero] : memref<4xindex>
    gpu.return
  }
}
