// RUN: heddle-opt %s --transform-interpreter --split-input-file --verify-diagnostics | FileCheck %s

// An operation with the attribute heddle.prefetch_bytes prefetches its second input, the keys or values of a state. The
// attribute contains the distance in bytes. heddle.prefetch_cache is the level of the cache (1 by default).
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    %count = transform.param.constant 32 : i64 -> !transform.param<i64>
    %bits = transform.param.constant 512 : i64 -> !transform.param<i64>
    transform.heddle.vectorize %root lanes(%lanes) blocks registers(%count x %bits) : !transform.any_op
    transform.yield
  }

  // Eight keys are multiplied with three rows of %arg0 at a time. Each vector of keys is loaded once and used for all
  // three rows, and is prefetched two keys (320 bytes) before it is read.
  // CHECK-LABEL: @read_once
  // CHECK: %[[KEYS:.*]] = bufferization.to_buffer %arg1 read_only : tensor<?x40xf32>
  // CHECK: scf.for %[[KEY:[a-z0-9]+]] = {{.*}} -> (tensor<3x?xf32>)
  // CHECK-NOT: scf.for
  // CHECK: vector.transfer_read %arg0[%c0{{[_0-9]*}}, %c0{{[_0-9]*}}]
  // CHECK: %[[PREFETCHED:[0-9]+]] = arith.addi %[[KEY]], %c2{{[_0-9]*}} : index
  // CHECK: memref.prefetch %[[KEYS]][%[[PREFETCHED]], %c0{{[_0-9]*}}], read, locality<3>, data
  // CHECK: vector.transfer_read %arg1[%[[KEY]], %c0{{[_0-9]*}}]
  // CHECK: vector.transfer_read %arg0[%c1{{[_0-9]*}}, %c0{{[_0-9]*}}]
  // CHECK: vector.transfer_read %arg0[%c2{{[_0-9]*}}, %c0{{[_0-9]*}}]
  // CHECK-COUNT-7: vector.transfer_read %arg1
  // CHECK: vector.fma
  // CHECK-COUNT-48: vector.shuffle
  // CHECK: vector.transfer_write {{.*}} : vector<8xf32>, tensor<3x?xf32>
  func.func @read_once(%a: tensor<3x40xf32>, %b: tensor<?x40xf32>, %out: tensor<3x?xf32>) -> tensor<3x?xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
                                          affine_map<(i, j, k) -> (i, j)>],
                         iterator_types = ["parallel", "parallel", "reduction"], heddle.prefetch_bytes = 320}
        ins(%a, %b : tensor<3x40xf32>, tensor<?x40xf32>) outs(%out : tensor<3x?xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %product = arith.mulf %x, %y : f32
      %sum = arith.addf %z, %product : f32
      linalg.yield %sum : f32
    } -> tensor<3x?xf32>
    return %0 : tensor<3x?xf32>
  }

  // Values are read one row at a time. A row (128 bytes) is longer than the prefetch distance (64 bytes), so the next
  // row is prefetched.
  // CHECK-LABEL: @values
  // CHECK: %[[VALUES:.*]] = bufferization.to_buffer %arg1 read_only : tensor<?x32xf32>
  // CHECK: scf.for %[[VALUE:[a-z0-9]+]] =
  // CHECK: %[[NEXT:[0-9]+]] = arith.addi %[[VALUE]], %c1{{[_0-9]*}} : index
  // CHECK: memref.prefetch %[[VALUES]][%[[NEXT]], %c0{{[_0-9]*}}]
  // CHECK: %[[NEXT:[0-9]+]] = arith.addi %[[VALUE]], %c1{{[_0-9]*}} : index
  // CHECK: memref.prefetch %[[VALUES]][%[[NEXT]], %c16{{[_0-9]*}}]
  // CHECK-COUNT-6: vector.fma
  func.func @values(%a: tensor<3x?xf32>, %b: tensor<?x32xf32>, %out: tensor<3x32xf32>) -> tensor<3x32xf32> {
    %0 = linalg.matmul {heddle.prefetch_bytes = 64} ins(%a, %b : tensor<3x?xf32>, tensor<?x32xf32>) outs(%out : tensor<3x32xf32>)
      -> tensor<3x32xf32>
    return %0 : tensor<3x32xf32>
  }

  // Keys that are prefetched into the second-level cache are read one after the other, each as a whole. Fences keep
  // this order. The tile of 8 keys that begins a page (64 keys) prefetches one line of a later page, so that the
  // address of that page is translated in time; the CPU's own prefetcher loads the other lines. The results of two keys
  // are combined before the third key is read.
  // CHECK-LABEL: @in_order
  // CHECK: %[[KEYS:.*]] = bufferization.to_buffer %arg1 read_only : tensor<?x16xf32>
  // CHECK: scf.for %[[KEY:[a-z0-9]+]] = {{.*}} -> (tensor<3x?xf32>)
  // CHECK: llvm.fence syncscope("singlethread") acquire
  // CHECK: %[[NUMBER:.*]] = arith.remui %[[KEY]], %c64{{[_0-9]*}} : index
  // CHECK: %[[PREFETCHES:.*]] = arith.cmpi ult, %[[NUMBER]], %c8{{[_0-9]*}} : index
  // CHECK: scf.if %[[PREFETCHES]] {
  // CHECK: %[[NEXT:.*]] = arith.addi %[[KEY]], %c128{{[_0-9]*}} : index
  // CHECK: memref.prefetch %[[KEYS]][%[[NEXT]], %c0{{[_0-9]*}}], read, locality<2>, data
  // CHECK: vector.transfer_read %arg1[%[[KEY]], %c0{{[_0-9]*}}]
  // CHECK-NOT: memref.prefetch
  // CHECK: llvm.fence
  // CHECK: vector.transfer_read %arg1
  // CHECK-COUNT-6: vector.shuffle
  // CHECK: llvm.fence
  // CHECK: vector.transfer_read %arg1
  // CHECK-NOT: vector.shuffle
  // CHECK: llvm.fence
  // CHECK-NOT: memref.prefetch
  // CHECK: vector.transfer_write {{.*}} : vector<8xf32>, tensor<3x?xf32>
  func.func @in_order(%a: tensor<3x16xf32>, %b: tensor<?x16xf32>, %out: tensor<3x?xf32>) -> tensor<3x?xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
                                          affine_map<(i, j, k) -> (i, j)>],
                         iterator_types = ["parallel", "parallel", "reduction"], heddle.prefetch_bytes = 8192,
                         heddle.prefetch_cache = 2}
        ins(%a, %b : tensor<3x16xf32>, tensor<?x16xf32>) outs(%out : tensor<3x?xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %product = arith.mulf %x, %y : f32
      %sum = arith.addf %z, %product : f32
      linalg.yield %sum : f32
    } -> tensor<3x?xf32>
    return %0 : tensor<3x?xf32>
  }

  // Values are stored in bf16, so two vectors are one cache line, and a row needs one prefetch. The distance of 256
  // bytes is counted in f32, the type of the computation, so it is two rows.
  // CHECK-LABEL: @narrow
  // CHECK: %[[VALUES:.*]] = bufferization.to_buffer %{{.*}} read_only : tensor<?x32xf32>
  // CHECK: scf.for %[[VALUE:[a-z0-9]+]] =
  // CHECK: %[[NEXT:[0-9]+]] = arith.addi %[[VALUE]], %c2{{[_0-9]*}} : index
  // CHECK: memref.prefetch %[[VALUES]][%[[NEXT]], %c0{{[_0-9]*}}], read, locality<2>, data
  // CHECK-NOT: memref.prefetch
  // CHECK-COUNT-6: vector.fma
  func.func @narrow(%a: tensor<3x?xf32>, %b: tensor<64x32xbf16>, %n: index, %out: tensor<3x32xf32>) -> tensor<3x32xf32> {
    %wide = heddle.dequantize %b : tensor<64x32xbf16> -> tensor<64x32xf32>
    %rows = tensor.extract_slice %wide[0, 0] [%n, 32] [1, 1] : tensor<64x32xf32> to tensor<?x32xf32>
    %0 = linalg.matmul {heddle.prefetch_bytes = 256, heddle.prefetch_cache = 2} ins(%a, %rows : tensor<3x?xf32>, tensor<?x32xf32>) outs(%out : tensor<3x32xf32>)
      -> tensor<3x32xf32>
    return %0 : tensor<3x32xf32>
  }

  // The operation reads bytes and converts them itself, so four vectors of 16 elements are one cache line, and a row
  // needs one prefetch. The distance is four rows.
  // CHECK-LABEL: @integers
  // CHECK: scf.for %[[VALUE:[a-z0-9]+]] =
  // CHECK: %[[NEXT:[0-9]+]] = arith.addi %[[VALUE]], %c4{{[_0-9]*}} : index
  // CHECK: memref.prefetch %{{.*}}[%[[NEXT]], %c0{{[_0-9]*}}]
  // CHECK-NOT: memref.prefetch
  // CHECK-COUNT-12: vector.fma
  func.func @integers(%a: tensor<3x?xf32>, %b: tensor<?x64xi8>, %out: tensor<3x64xf32>) -> tensor<3x64xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                                          affine_map<(i, j, k) -> (i, j)>],
                         iterator_types = ["parallel", "parallel", "reduction"], heddle.prefetch_bytes = 256}
        ins(%a, %b : tensor<3x?xf32>, tensor<?x64xi8>) outs(%out : tensor<3x64xf32>) {
    ^bb0(%x: f32, %y: i8, %z: f32):
      %word = arith.extsi %y : i8 to i32
      %number = arith.sitofp %word : i32 to f32
      %product = arith.mulf %x, %number : f32
      %sum = arith.addf %z, %product : f32
      linalg.yield %sum : f32
    } -> tensor<3x64xf32>
    return %0 : tensor<3x64xf32>
  }

  // The length of a row is unknown. The address to prefetch is therefore unknown, too, and nothing is prefetched.
  // CHECK-LABEL: @unknown_rows
  // CHECK-NOT: memref.prefetch
  func.func @unknown_rows(%a: tensor<3x8xf32>, %b: tensor<8x?xf32>, %out: tensor<3x?xf32>) -> tensor<3x?xf32> {
    %0 = linalg.matmul {heddle.prefetch_bytes = 4096} ins(%a, %b : tensor<3x8xf32>, tensor<8x?xf32>) outs(%out : tensor<3x?xf32>)
      -> tensor<3x?xf32>
    return %0 : tensor<3x?xf32>
  }
}
