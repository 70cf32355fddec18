// RUN: heddle-opt %s --heddle-fuse-elementwise --canonicalize | FileCheck %s

// Elementwise operations and the broadcast of one operand become one loop nest.
// CHECK-LABEL: @one_loop
// CHECK-COUNT-1: linalg.generic
// CHECK: arith.addf
// CHECK: math.tanh
// CHECK: arith.mulf
// CHECK-NEXT: linalg.yield
// CHECK-NOT: linalg.
// CHECK: return
func.func @one_loop(%x: tensor<6x8xf32>, %row: tensor<8xf32>) -> tensor<6x8xf32> {
  %two = arith.constant dense<2.0> : tensor<6x8xf32>
  %e = tensor.empty() : tensor<6x8xf32>
  %rows = linalg.broadcast ins(%row : tensor<8xf32>) outs(%e : tensor<6x8xf32>) dimensions = [0]
  %0 = arith.addf %x, %rows : tensor<6x8xf32>
  %1 = math.tanh %0 : tensor<6x8xf32>
  %2 = arith.mulf %1, %two : tensor<6x8xf32>
  return %2 : tensor<6x8xf32>
}

// Fusion must not repeat work: exp is computed once for each row, not once for each element.

// CHECK-LABEL: @once_per_row
// CHECK: %[[E:.*]] = linalg.generic
// CHECK: math.exp
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[E]]
// CHECK-NOT: math.exp
func.func @once_per_row(%x: tensor<6x8xf32>, %column: tensor<6xf32>) -> tensor<6x8xf32> {
  %e = tensor.empty() : tensor<6x8xf32>
  %0 = math.exp %column : tensor<6xf32>
  %1 = linalg.broadcast ins(%0 : tensor<6xf32>) outs(%e : tensor<6x8xf32>) dimensions = [1]
  %2 = arith.mulf %x, %1 : tensor<6x8xf32>
  return %2 : tensor<6x8xf32>
}

// Products, reductions and softmax remain named operations.

// CHECK-LABEL: @named
// CHECK: linalg.matmul
// CHECK: linalg.softmax
// CHECK: linalg.reduce
func.func @named(%x: tensor<6x8xf32>, %y: tensor<8x6xf32>) -> tensor<6xf32> {
  %zero = arith.constant dense<0.0> : tensor<6x6xf32>
  %zeros = arith.constant dense<0.0> : tensor<6xf32>
  %0 = linalg.matmul ins(%x, %y : tensor<6x8xf32>, tensor<8x6xf32>) outs(%zero : tensor<6x6xf32>) -> tensor<6x6xf32>
  %e = tensor.empty() : tensor<6x6xf32>
  %1 = linalg.softmax dimension(1) ins(%0 : tensor<6x6xf32>) outs(%e : tensor<6x6xf32>) -> tensor<6x6xf32>
  %2 = linalg.reduce { arith.addf } ins(%1 : tensor<6x6xf32>) outs(%zeros : tensor<6xf32>) dimensions = [1]
  return %2 : tensor<6xf32>
}

// An operation that only moves elements (%0, a transposition) is fused into its user (%1) once for each operand that
// reads its result. It also remains, because the function returns its result.
// CHECK-LABEL: @moved_twice
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @moved_twice(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %e = tensor.empty() : tensor<8x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<8x8xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>,
                                        affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%0, %0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%in: f32, %turned: f32, %out: f32):
    %s = arith.addf %in, %turned : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// Only the rounded value of a sum with zeros is read, so neither the zeros nor the sum are stored in memory.
// CHECK-LABEL: @added_to_zeros
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<6xf32>, tensor<8xf32>) outs(%{{.*}} : tensor<6x8xf16>)
// CHECK: arith.addf
// CHECK: linalg.yield %{{.*}} : f16
func.func @added_to_zeros(%x: tensor<6xf32>, %y: tensor<8xf32>) -> tensor<6x8xf16> {
  %zeros = arith.constant dense<0.0> : tensor<6x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<6xf32>, tensor<8xf32>) outs(%zeros : tensor<6x8xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<6x8xf32>
  %1 = arith.truncf %0 : tensor<6x8xf32> to tensor<6x8xf16>
  return %1 : tensor<6x8xf16>
}
