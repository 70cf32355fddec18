// RUN: heddle-opt %s --transform-interpreter --split-input-file --verify-diagnostics | FileCheck %s

// transform.heddle.vectorize with `blocks` vectorizes each operation on a cache block with loops of its own. Vectors
// have 16 lanes, and 32 registers of 512 bits limit the size of register tiles.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    %count = transform.param.constant 32 : i64 -> !transform.param<i64>
    %bits = transform.param.constant 512 : i64 -> !transform.param<i64>
    transform.heddle.vectorize %root lanes(%lanes) blocks registers(%count x %bits) : !transform.any_op
    transform.yield
  }

  // Each of the seven rows of the register tile consists of a vector of 16 lanes and a vector of 4 lanes. The fill
  // becomes the initial value of the sums.
  // CHECK-LABEL: @contraction
  // CHECK-NOT: linalg
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]], {{.*}} -> (vector<16xf32>, {{.*}})
  // CHECK: tensor.extract %{{.*}} : tensor<7x5xf32>
  // CHECK: vector.transfer_read {{.*}} : tensor<5x20xf32>, vector<16xf32>
  // CHECK: vector.fma {{.*}} : vector<16xf32>
  // CHECK: vector.fma {{.*}} : vector<4xf32>
  func.func @contraction(%a: tensor<7x5xf32>, %b: tensor<5x20xf32>) -> tensor<7x20xf32> {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<7x20xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<7x20xf32>) -> tensor<7x20xf32>
    %0 = linalg.matmul ins(%a, %b : tensor<7x5xf32>, tensor<5x20xf32>) outs(%init : tensor<7x20xf32>) -> tensor<7x20xf32>
    return %0 : tensor<7x20xf32>
  }

  // The number of rows is known only at run time. One loop runs over register tiles of 12 rows, one loop over blocks of
  // four rows, and one loop over single rows.
  // CHECK-LABEL: @anyRows
  // CHECK: %[[REST:.*]] = arith.remui %[[ROWS:.*]], %c12
  // CHECK: %[[WHOLE:.*]] = arith.subi %[[ROWS]], %[[REST]]
  // CHECK-NOT: linalg
  // CHECK: scf.for {{.*}} to %[[WHOLE]] step %c12
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]]
  // CHECK-COUNT-12: vector.fma {{.*}} : vector<16xf32>
  // CHECK: %[[LEFT:.*]] = arith.remui %{{.*}}, %c4
  // CHECK: %[[FOURS:.*]] = arith.subi %[[ROWS]], %[[LEFT]]
  // CHECK: scf.for {{.*}} = %[[WHOLE]] to %[[FOURS]] step %c4
  // CHECK-COUNT-4: vector.fma {{.*}} : vector<16xf32>
  // CHECK: scf.for {{.*}} = %[[FOURS]] to %[[ROWS]] step %c1
  // CHECK: vector.fma {{.*}} : vector<16xf32>
  func.func @anyRows(%a: tensor<?x5xf32>, %b: tensor<5x16xf32>, %out: tensor<?x16xf32>) -> tensor<?x16xf32> {
    %zero = arith.constant 0.0 : f32
    %init = linalg.fill ins(%zero : f32) outs(%out : tensor<?x16xf32>) -> tensor<?x16xf32>
    %0 = linalg.matmul ins(%a, %b : tensor<?x5xf32>, tensor<5x16xf32>) outs(%init : tensor<?x16xf32>) -> tensor<?x16xf32>
    return %0 : tensor<?x16xf32>
  }

  // The number of columns is known only at run time. One loop runs over vectors, and one loop over single columns.
  // CHECK-LABEL: @anyColumns
  // CHECK: scf.for {{.*}} step %c16
  // CHECK: vector.transfer_read {{.*}} vector<16xf32>
  // CHECK: scf.for {{.*}} step %c1
  // CHECK: vector.transfer_read {{.*}} vector<1xf32>
  func.func @anyColumns(%a: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> {
    %0 = linalg.copy ins(%a : tensor<?xf32>) outs(%out : tensor<?xf32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }

  // Operations after a product (its epilogue) use the sums in registers: a select, then a maximum over rows, which is
  // stored in memory between tiles. The selected values are also stored, because the function returns them.
  // CHECK-LABEL: @epilogue
  // CHECK: scf.for {{.*}} -> (tensor<14x16xf32>, tensor<16xf32>)
  // CHECK: vector.fma
  // CHECK: scf.yield
  // CHECK: tensor.extract %{{.*}} : tensor<14xi1>
  // CHECK-COUNT-7: arith.select {{.*}} : vector<16xi1>, vector<16xf32>
  // CHECK-COUNT-7: arith.maximumf {{.*}} : vector<16xf32>
  // CHECK: vector.transfer_write {{.*}} : vector<16xf32>, tensor<16xf32>
  // CHECK-COUNT-7: vector.transfer_write {{.*}} : vector<16xf32>, tensor<14x16xf32>
  // CHECK-NEXT: scf.yield
  func.func @epilogue(%a: tensor<14x5xf32>, %b: tensor<5x16xf32>, %keep: tensor<14xi1>, %out: tensor<14x16xf32>,
                       %init: tensor<16xf32>) -> (tensor<14x16xf32>, tensor<16xf32>) {
    %low = arith.constant -1.0 : f32
    %0 = linalg.matmul ins(%a, %b : tensor<14x5xf32>, tensor<5x16xf32>) outs(%out : tensor<14x16xf32>) -> tensor<14x16xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%keep : tensor<14xi1>) outs(%0 : tensor<14x16xf32>) {
    ^bb0(%x: i1, %y: f32):
      %kept = arith.select %x, %y, %low : f32
      linalg.yield %kept : f32
    } -> tensor<14x16xf32>
    %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
                         iterator_types = ["reduction", "parallel"]}
        ins(%1 : tensor<14x16xf32>) outs(%init : tensor<16xf32>) {
    ^bb0(%x: f32, %y: f32):
      %most = arith.maximumf %x, %y : f32
      linalg.yield %most : f32
    } -> tensor<16xf32>
    return %1, %2 : tensor<14x16xf32>, tensor<16xf32>
  }

  // Code in a loop with the attribute heddle.rare is rarely executed and is kept small: it has four accumulators
  // instead of 14, in loops that are not unrolled.
  // CHECK-LABEL: @rare
  // CHECK: scf.for {{.*}} step %c4 {{.*}} -> (tensor<14x32xf32>)
  // CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
  // CHECK-COUNT-4: vector.fma
  // CHECK-NOT: vector.fma
  // CHECK: scf.yield
  // CHECK-NEXT: } {loop_annotation = #loop_annotation}
  // CHECK-COUNT-2: vector.fma
  // CHECK-NOT: vector.fma
  // CHECK: return
  func.func @rare(%times: index, %a: tensor<14x5xf32>, %b: tensor<5x32xf32>, %out: tensor<14x32xf32>) -> tensor<14x32xf32> {
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %2 = scf.for %i = %0 to %times step %1 iter_args(%into = %out) -> tensor<14x32xf32> {
      %3 = linalg.matmul ins(%a, %b : tensor<14x5xf32>, tensor<5x32xf32>) outs(%into : tensor<14x32xf32>) -> tensor<14x32xf32>
      scf.yield %3 : tensor<14x32xf32>
    } {heddle.rare}
    return %2 : tensor<14x32xf32>
  }

  // An operation that adds a transposed tensor to a product is not part of the product's epilogue. It is lowered to
  // loops of its own.
  // CHECK-LABEL: @transposed_epilogue
  // CHECK: vector.fma
  // CHECK: vector.transfer_write {{.*}} : vector<16xf32>, tensor<16x16xf32>
  // CHECK: vector.shuffle
  // CHECK: arith.addf {{.*}} : vector<16xf32>
  func.func @transposed_epilogue(%a: tensor<16x5xf32>, %b: tensor<5x16xf32>, %c: tensor<16x16xf32>,
                             %out: tensor<16x16xf32>) -> tensor<16x16xf32> {
    %0 = linalg.matmul ins(%a, %b : tensor<16x5xf32>, tensor<5x16xf32>) outs(%out : tensor<16x16xf32>) -> tensor<16x16xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%c : tensor<16x16xf32>) outs(%0 : tensor<16x16xf32>) {
    ^bb0(%x: f32, %y: f32):
      %sum = arith.addf %x, %y : f32
      linalg.yield %sum : f32
    } -> tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }

  // Four rounds of shuffles transpose a square of 16 x 16.
  // CHECK-LABEL: @transposition
  // CHECK-COUNT-16: vector.transfer_read {{.*}} vector<16xf32>
  // CHECK-COUNT-64: vector.shuffle
  // CHECK-NOT: vector.shuffle
  // CHECK-COUNT-16: vector.transfer_write
  func.func @transposition(%a: tensor<16x16xf32>, %out: tensor<16x16xf32>) -> tensor<16x16xf32> {
    %0 = linalg.transpose ins(%a : tensor<16x16xf32>) outs(%out : tensor<16x16xf32>) permutation = [1, 0]
    return %0 : tensor<16x16xf32>
  }

  // Rows of padding are not read: only the 19 rows of %a are read. Each row of the result has two vectors; the second
  // vector contains three elements of %a and 13 zeros, and is written as a whole.
  // CHECK-LABEL: @padded
  // CHECK-COUNT-19: vector.transfer_read {{.*}} tensor<19x4xf32>, vector<4xf32>
  // CHECK-NOT: vector.transfer_read
  // CHECK-COUNT-4: vector.transfer_write {{.*}} : vector<16xf32>
  func.func @padded(%a: tensor<19x4xf32>, %out: tensor<4x32xf32>) -> tensor<4x32xf32> {
    %zero = arith.constant 0.0 : f32
    %whole = tensor.pad %a low[0, 0] high[13, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : tensor<19x4xf32> to tensor<32x4xf32>
    %0 = linalg.transpose ins(%whole : tensor<32x4xf32>) outs(%out : tensor<4x32xf32>) permutation = [1, 0]
    return %0 : tensor<4x32xf32>
  }

  // If an operation reads a transposed operand and a scalar, the scalar is loaded before the loop over rows.
  // CHECK-LABEL: @scalar_and_transposed
  // CHECK: tensor.extract %{{.*}}[] : tensor<f32>
  // CHECK-COUNT-16: arith.addf {{.*}} : vector<16xf32>
  func.func @scalar_and_transposed(%a: tensor<16x16xf32>, %s: tensor<f32>, %out: tensor<16x16xf32>) -> tensor<16x16xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> ()>,
                                          affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%a, %s : tensor<16x16xf32>, tensor<f32>) outs(%out : tensor<16x16xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %sum = arith.addf %x, %y : f32
      linalg.yield %sum : f32
    } -> tensor<16x16xf32>
    return %0 : tensor<16x16xf32>
  }

  // Values that are equal in all lanes are computed once, as scalars.
  // CHECK-LABEL: @scalars
  // CHECK: %[[X:.*]] = tensor.extract
  // CHECK: %[[Y:.*]] = arith.addf %[[X]], %[[X]] : f32
  // CHECK: vector.broadcast %[[Y]]
  func.func @scalars(%a: tensor<3xf32>, %out: tensor<3x16xf32>) -> tensor<3x16xf32> {
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<3xf32>) outs(%out : tensor<3x16xf32>) {
    ^bb0(%x: f32, %y: f32):
      %twice = arith.addf %x, %x : f32
      %sum = arith.mulf %twice, %y : f32
      linalg.yield %sum : f32
    } -> tensor<3x16xf32>
    return %0 : tensor<3x16xf32>
  }

  // Each row of %a (a query) is multiplied with each row of %b (a key), and both are vectors along the reduction. 15
  // pairs of shuffles add up the lanes of 16 vectors into one vector with a sum for each key. The last 8 of 40 elements
  // are read with a mask, and the sums of the last four keys are a narrower vector.
  // CHECK-LABEL: @dot_products
  // CHECK: scf.for {{.*}} -> (tensor<2x36xf32>)
  // CHECK: scf.for {{.*}} -> (tensor<2x36xf32>)
  // CHECK: vector.fma {{.*}} : vector<16xf32>
  // CHECK: vector.transfer_read {{.*}}, %{{.*}}, %{{.*}} : tensor<36x40xf32>, vector<16xf32>
  // CHECK-COUNT-30: vector.shuffle
  // CHECK-NOT: vector.shuffle
  // CHECK: vector.transfer_write {{.*}} : vector<16xf32>, tensor<2x36xf32>
  // CHECK: vector.transfer_write {{.*}} : vector<4xf32>, tensor<2x36xf32>
  func.func @dot_products(%a: tensor<2x40xf32>, %b: tensor<36x40xf32>) -> tensor<2x36xf32> {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<2x36xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x36xf32>) -> tensor<2x36xf32>
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
                                          affine_map<(i, j, k) -> (i, j)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<2x40xf32>, tensor<36x40xf32>) outs(%init : tensor<2x36xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %product = arith.mulf %x, %y : f32
      %sum = arith.addf %z, %product : f32
      linalg.yield %sum : f32
    } -> tensor<2x36xf32>
    return %0 : tensor<2x36xf32>
  }

  // A sum over each row is computed by shuffles, which add up the eight lanes of three vectors into one vector.
  // CHECK-LABEL: @rows
  // CHECK-COUNT-3: vector.transfer_read {{.*}} : tensor<3x8xf32>, vector<8xf32>
  // CHECK: vector.shuffle
  // CHECK: vector.transfer_write {{.*}} : vector<3xf32>, tensor<3xf32>
  func.func @rows(%a: tensor<3x8xf32>, %out: tensor<3xf32>) -> tensor<3xf32> {
    %0 = linalg.reduce ins(%a : tensor<3x8xf32>) outs(%out : tensor<3xf32>) dimensions = [1]
      (%x: f32, %y: f32) {
        %sum = arith.addf %x, %y : f32
        linalg.yield %sum : f32
      }
    return %0 : tensor<3xf32>
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    %count = transform.param.constant 32 : i64 -> !transform.param<i64>
    %bits = transform.param.constant 512 : i64 -> !transform.param<i64>
    // expected-error @+1 {{cannot vectorise a tile}}
    transform.heddle.vectorize %root lanes(%lanes) blocks registers(%count x %bits) : !transform.any_op
    transform.yield
  }
  func.func @neither(%a: tensor<3x5x8xf32>, %out: tensor<3xf32>) -> tensor<3xf32> {
    // expected-error @+1 {{operand #0 has a last dimension that is neither the lane dimension nor the only row dimension}}
    %0 = linalg.reduce ins(%a : tensor<3x5x8xf32>) outs(%out : tensor<3xf32>) dimensions = [1, 2]
      (%x: f32, %y: f32) {
        %sum = arith.addf %x, %y : f32
        linalg.yield %sum : f32
      }
    return %0 : tensor<3xf32>
  }
}

// -----

// 16 registers of 256 bits hold 8 vectors of 16 elements, too few for a square of 16 x 16. So squares of 8 x 8 are
// transposed.
module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: @smaller_squares
  // CHECK-COUNT-8: vector.transfer_read {{.*}} vector<8xf32>
  // CHECK-COUNT-24: vector.shuffle
  // CHECK-NOT: vector.shuffle
  // CHECK-COUNT-8: vector.transfer_write
  func.func @smaller_squares(%a: tensor<16x8xf32>, %out: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = linalg.transpose ins(%a : tensor<16x8xf32>) outs(%out : tensor<8x16xf32>) permutation = [1, 0]
    return %0 : tensor<8x16xf32>
  }

  // The second vector of each row of the result contains only padding, so nothing is read for it.
  // CHECK-LABEL: @mostly_padded
  // CHECK-COUNT-5: vector.transfer_read {{.*}} tensor<5x4xf32>, vector<4xf32>
  // CHECK-NOT: vector.transfer_read
  // CHECK-COUNT-8: vector.transfer_write {{.*}} : vector<8xf32>
  func.func @mostly_padded(%a: tensor<5x4xf32>, %out: tensor<4x16xf32>) -> tensor<4x16xf32> {
    %zero = arith.constant 0.0 : f32
    %whole = tensor.pad %a low[0, 0] high[11, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : tensor<5x4xf32> to tensor<16x4xf32>
    %0 = linalg.transpose ins(%whole : tensor<16x4xf32>) outs(%out : tensor<4x16xf32>) permutation = [1, 0]
    return %0 : tensor<4x16xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    %count = transform.param.constant 16 : i64 -> !transform.param<i64>
    %bits = transform.param.constant 256 : i64 -> !transform.param<i64>
    transform.heddle.vectorize %f lanes(%lanes) blocks registers(%count x %bits) : !transform.any_op
    transform.yield
  }
}

// -----

// A reduction along rows combines partial results of the lanes. Subtraction is not associative, so partial results
// cannot be combined.
module attributes {transform.with_named_sequence} {
  func.func @differences(%x: tensor<4x37xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{operand #0 has a last dimension that is neither the lane dimension nor the only row dimension}}
    %0 = linalg.reduce {arith.subf} ins(%x : tensor<4x37xf32>) outs(%out : tensor<4xf32>) dimensions = [1]
    return %0 : tensor<4xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %lanes = transform.param.constant 8 : i64 -> !transform.param<i64>
    %count = transform.param.constant 32 : i64 -> !transform.param<i64>
    %bits = transform.param.constant 256 : i64 -> !transform.param<i64>
    // expected-error @below {{cannot vectorise a tile}}
    transform.heddle.vectorize %f lanes(%lanes) blocks registers(%count x %bits) : !transform.any_op
    transform.yield
  }
}
