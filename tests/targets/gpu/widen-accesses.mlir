// RUN: heddle-opt %s --heddle-widen-accesses --canonicalize --cse | FileCheck %s

// In SPIR-V, one instruction accesses one element of a buffer. So a buffer of f32 becomes a buffer of vectors of four
// elements if all vectors in it begin at multiples of four elements and every store writes four elements. Here %a
// becomes such a buffer, and the launch casts this argument.
// CHECK: #[[$MAP:.*]] = affine_map<()[s0] -> (s0 * 2)>
module attributes {gpu.container_module} {
// CHECK: %[[WIDE:.*]] = builtin.unrealized_conversion_cast %{{.*}} : memref<8x16xf32> to memref<8x4xvector<4xf32>>
// CHECK: gpu.launch_func @device::@wide {{.*}} args(%[[WIDE]] : memref<8x4xvector<4xf32>>, %{{.*}} : memref<8x16xf32>, %{{.*}} : memref<8x18xf32>)
func.func @main(%a: memref<8x16xf32>, %b: memref<8x16xf32>, %c: memref<8x18xf32>) {
  %c1 = arith.constant 1 : index
  gpu.launch_func @device::@wide blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%a : memref<8x16xf32>, %b : memref<8x16xf32>, %c : memref<8x18xf32>)
  return
}
gpu.module @device {
  // CHECK: gpu.func @wide(%[[A:.*]]: memref<8x4xvector<4xf32>>, %[[B:.*]]: memref<8x16xf32>, %[[C:.*]]: memref<8x18xf32>)
  gpu.func @wide(%a: memref<8x16xf32>, %b: memref<8x16xf32>, %c: memref<8x18xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %pad = arith.constant 0.0 : f32
    // CHECK: %[[T:.*]] = gpu.thread_id x
    %t = gpu.thread_id x
    %at = affine.apply affine_map<(d0) -> (d0 * 8 + 4)>(%t)
    // CHECK: %[[TWICE:.*]] = affine.apply #[[$MAP]]()[%[[T]]]
    // CHECK: %[[LAST:.*]] = arith.addi %[[TWICE]], %c1
    // CHECK: %[[V:.*]] = memref.load %[[A]][%[[T]], %[[LAST]]] : memref<8x4xvector<4xf32>>
    %v = vector.transfer_read %a[%t, %at], %pad {in_bounds = [true]} : memref<8x16xf32>, vector<4xf32>
    // A buffer to which a scalar is stored keeps its type.
    // CHECK-COUNT-4: memref.store %{{.*}}, %[[B]]
    vector.transfer_write %v, %b[%t, %at] {in_bounds = [true]} : vector<4xf32>, memref<8x16xf32>
    memref.store %pad, %b[%c0, %t] : memref<8x16xf32>
    // A buffer whose rows do not consist of whole vectors keeps its type, too.
    // CHECK-COUNT-4: memref.store %{{.*}}, %[[C]]
    vector.transfer_write %v, %c[%t, %at] {in_bounds = [true]} : vector<4xf32>, memref<8x18xf32>
    // Consecutive scalars come from one load. A scalar at an unknown position is extracted from the vector at this
    // position.
    // CHECK: scf.for %[[K:.*]] = %c0 to %c16 step %c4
    scf.for %k = %c0 to %c16 step %c4 {
      // CHECK: %[[Q:.*]] = arith.divui %[[K]], %c4
      // CHECK: %[[W:.*]] = memref.load %[[A]][%[[T]], %[[Q]]]
      // CHECK-NOT: memref.load
      // CHECK: vector.extract %[[W]][0]
      // CHECK: vector.extract %[[W]][3]
      %x = memref.load %a[%t, %k] : memref<8x16xf32>
      %next = arith.addi %k, %c3 : index
      %y = memref.load %a[%t, %next] : memref<8x16xf32>
      %sum = arith.addf %x, %y : f32
      memref.store %sum, %b[%t, %k] : memref<8x16xf32>
    }
    // CHECK: %[[LANE:.*]] = arith.remui %[[T]], %c4
    // CHECK: vector.extract %{{.*}}[%[[LANE]]]
    %z = memref.load %a[%c0, %t] : memref<8x16xf32>
    memref.store %z, %b[%c1, %t] : memref<8x16xf32>
    // A buffer in private memory also becomes a buffer of vectors.
    // CHECK: memref.alloca() : memref<2x1xvector<4xf32>>
    %own = memref.alloca() : memref<2x4xf32>
    vector.transfer_write %v, %own[%c1, %c0] {in_bounds = [true]} : vector<4xf32>, memref<2x4xf32>
    %w = memref.load %own[%c0, %c3] : memref<2x4xf32>
    memref.store %w, %b[%c1, %c0] : memref<8x16xf32>
    gpu.return
  }

  // Vectors of two f64 have 128 bits, too. Shorter vectors become scalars.
  // CHECK: gpu.func @pairs(%[[A:.*]]: memref<8x8xvector<2xf64>>, %[[B:.*]]: memref<8x16xf32>, %[[C:.*]]: memref<8x16xi8>)
  gpu.func @pairs(%a: memref<8x16xf64>, %b: memref<8x16xf32>, %c: memref<8x16xi8>) kernel {
    %t = gpu.thread_id x
    %at = affine.apply affine_map<(d0) -> (d0 * 2)>(%t)
    // CHECK: %[[T:.*]] = gpu.thread_id x
    // CHECK: memref.load %[[A]][%[[T]], %[[T]]] : memref<8x8xvector<2xf64>>
    %v = vector.load %a[%t, %at] : memref<8x16xf64>, vector<2xf64>
    // CHECK: memref.store %{{.*}}, %[[A]][%{{.*}}, %[[T]]] : memref<8x8xvector<2xf64>>
    %c0 = arith.constant 0 : index
    vector.store %v, %a[%c0, %at] : memref<8x16xf64>, vector<2xf64>
    // CHECK-COUNT-2: memref.load %[[B]]
    // CHECK-COUNT-2: memref.store %{{.*}}, %[[B]]
    %w = vector.load %b[%t, %at] : memref<8x16xf32>, vector<2xf32>
    vector.store %w, %b[%c0, %at] : memref<8x16xf32>, vector<2xf32>
    // CHECK-COUNT-4: memref.load %[[C]]
    // CHECK-COUNT-4: memref.store %{{.*}}, %[[C]]
    %four = affine.apply affine_map<(d0) -> (d0 * 4)>(%t)
    %x = vector.load %c[%t, %four] : memref<8x16xi8>, vector<4xi8>
    vector.store %x, %c[%c0, %four] : memref<8x16xi8>, vector<4xi8>
    gpu.return
  }
}
}
