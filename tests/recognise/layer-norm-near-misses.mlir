// RUN: heddle-opt %s --heddle-recognise=remarks --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-NOT: heddle.layer_norm

// Each function resembles a layer norm, but computes something else. If the pass replaced a function by
// heddle.layer_norm, results would be wrong. The remarks give the reasons.

func.func @epsilon_outside(%x: tensor<3x8xf64>) -> tensor<3x8xf64> {
  %zero = arith.constant dense<0.0> : tensor<3xf64>
  %n = arith.constant dense<8.0> : tensor<3xf64>
  %epsilon = arith.constant dense<0.001> : tensor<3xf64>
  %e = tensor.empty() : tensor<3x8xf64>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<3x8xf64>) outs(%zero : tensor<3xf64>) dimensions = [1]
  %mean = arith.divf %sum, %n : tensor<3xf64>
  %means = linalg.broadcast ins(%mean : tensor<3xf64>) outs(%e : tensor<3x8xf64>) dimensions = [1]
  %centred = arith.subf %x, %means : tensor<3x8xf64>
  %squares = arith.mulf %centred, %centred : tensor<3x8xf64>
  %sum2 = linalg.reduce { arith.addf } ins(%squares : tensor<3x8xf64>) outs(%zero : tensor<3xf64>) dimensions = [1]
  %variance = arith.divf %sum2, %n : tensor<3xf64>
  // expected-remark @+1 {{math.sqrt is not recognised as a layer: epsilon is added outside the root}}
  %root = math.sqrt %variance : tensor<3xf64>
  %shifted = arith.addf %root, %epsilon : tensor<3xf64>
  %roots = linalg.broadcast ins(%shifted : tensor<3xf64>) outs(%e : tensor<3x8xf64>) dimensions = [1]
  %normal = arith.divf %centred, %roots : tensor<3x8xf64>
  return %normal : tensor<3x8xf64>
}

// -----

// The sum of squares is divided by n - 1 instead of n.
func.func @unbiased(%x: tensor<3x8xf64>) -> tensor<3x8xf64> {
  %zero = arith.constant dense<0.0> : tensor<3xf64>
  %n = arith.constant dense<8.0> : tensor<3xf64>
  %n1 = arith.constant dense<7.0> : tensor<3xf64>
  %epsilon = arith.constant dense<0.001> : tensor<3xf64>
  %e = tensor.empty() : tensor<3x8xf64>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<3x8xf64>) outs(%zero : tensor<3xf64>) dimensions = [1]
  %mean = arith.divf %sum, %n : tensor<3xf64>
  %means = linalg.broadcast ins(%mean : tensor<3xf64>) outs(%e : tensor<3x8xf64>) dimensions = [1]
  %centred = arith.subf %x, %means : tensor<3x8xf64>
  %squares = arith.mulf %centred, %centred : tensor<3x8xf64>
  %sum2 = linalg.reduce { arith.addf } ins(%squares : tensor<3x8xf64>) outs(%zero : tensor<3xf64>) dimensions = [1]
  %variance = arith.divf %sum2, %n1 : tensor<3xf64>
  %shifted = arith.addf %variance, %epsilon : tensor<3xf64>
  // expected-remark @+1 {{math.sqrt is not recognised as a layer: the sum over a row is not divided by the row's length}}
  %root = math.sqrt %shifted : tensor<3xf64>
  %roots = linalg.broadcast ins(%root : tensor<3xf64>) outs(%e : tensor<3x8xf64>) dimensions = [1]
  %normal = arith.divf %centred, %roots : tensor<3x8xf64>
  return %normal : tensor<3x8xf64>
}

// -----

// Mean and variance are taken over the first dimension, as in a batch norm.
func.func @columns(%x: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %zero = arith.constant dense<0.0> : tensor<8xf64>
  %n = arith.constant dense<8.0> : tensor<8xf64>
  %epsilon = arith.constant dense<0.001> : tensor<8xf64>
  %e = tensor.empty() : tensor<8x8xf64>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<8x8xf64>) outs(%zero : tensor<8xf64>) dimensions = [0]
  %mean = arith.divf %sum, %n : tensor<8xf64>
  %means = linalg.broadcast ins(%mean : tensor<8xf64>) outs(%e : tensor<8x8xf64>) dimensions = [0]
  %centred = arith.subf %x, %means : tensor<8x8xf64>
  %squares = arith.mulf %centred, %centred : tensor<8x8xf64>
  %sum2 = linalg.reduce { arith.addf } ins(%squares : tensor<8x8xf64>) outs(%zero : tensor<8xf64>) dimensions = [0]
  %variance = arith.divf %sum2, %n : tensor<8xf64>
  %shifted = arith.addf %variance, %epsilon : tensor<8xf64>
  // expected-remark @+1 {{math.sqrt is not recognised as a layer: not the root of a norm over the last dimension}}
  %root = math.sqrt %shifted : tensor<8xf64>
  %roots = linalg.broadcast ins(%root : tensor<8xf64>) outs(%e : tensor<8x8xf64>) dimensions = [0]
  %normal = arith.divf %centred, %roots : tensor<8x8xf64>
  return %normal : tensor<8x8xf64>
}

// -----

// The variance is computed from %y, but the dividend from %x.
func.func @other(%x: tensor<3x8xf64>, %y: tensor<3x8xf64>) -> tensor<3x8xf64> {
  %zero = arith.constant dense<0.0> : tensor<3xf64>
  %n = arith.constant dense<8.0> : tensor<3xf64>
  %epsilon = arith.constant dense<0.001> : tensor<3xf64>
  %e = tensor.empty() : tensor<3x8xf64>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<3x8xf64>) outs(%zero : tensor<3xf64>) dimensions = [1]
  %mean = arith.divf %sum, %n : tensor<3xf64>
  %means = linalg.broadcast ins(%mean : tensor<3xf64>) outs(%e : tensor<3x8xf64>) dimensions = [1]
  %centred = arith.subf %x, %means : tensor<3x8xf64>
  %squares = arith.mulf %y, %y : tensor<3x8xf64>
  %sum2 = linalg.reduce { arith.addf } ins(%squares : tensor<3x8xf64>) outs(%zero : tensor<3xf64>) dimensions = [1]
  %variance = arith.divf %sum2, %n : tensor<3xf64>
  %shifted = arith.addf %variance, %epsilon : tensor<3xf64>
  // expected-remark @+1 {{math.sqrt is not recognised as a layer: the variance and the dividend are computed from different tensors}}
  %root = math.sqrt %shifted : tensor<3xf64>
  %roots = linalg.broadcast ins(%root : tensor<3xf64>) outs(%e : tensor<3x8xf64>) dimensions = [1]
  %normal = arith.divf %centred, %roots : tensor<3x8xf64>
  return %normal : tensor<3x8xf64>
}

// -----

// The mean that is subtracted is computed from the transpose. The shapes match, since there are as many columns as
// rows. The subtraction is not part of a layer norm, but the operations after it are an RMS norm, so there is no
// remark.
func.func @square_mean_of_columns(%x: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %zero = arith.constant dense<0.0> : tensor<8xf64>
  %n = arith.constant dense<8.0> : tensor<8xf64>
  %epsilon = arith.constant dense<0.001> : tensor<8xf64>
  %e = tensor.empty() : tensor<8x8xf64>
  %t = linalg.transpose ins(%x : tensor<8x8xf64>) outs(%e : tensor<8x8xf64>) permutation = [1, 0]
  %sum = linalg.reduce { arith.addf } ins(%t : tensor<8x8xf64>) outs(%zero : tensor<8xf64>) dimensions = [1]
  %mean = arith.divf %sum, %n : tensor<8xf64>
  %means = linalg.broadcast ins(%mean : tensor<8xf64>) outs(%e : tensor<8x8xf64>) dimensions = [1]
  %centred = arith.subf %x, %means : tensor<8x8xf64>
  %ct = linalg.transpose ins(%centred : tensor<8x8xf64>) outs(%e : tensor<8x8xf64>) permutation = [1, 0]
  %squares = arith.mulf %centred, %centred : tensor<8x8xf64>
  %sum2 = linalg.reduce { arith.addf } ins(%squares : tensor<8x8xf64>) outs(%zero : tensor<8xf64>) dimensions = [1]
  %variance = arith.divf %sum2, %n : tensor<8xf64>
  %shifted = arith.addf %variance, %epsilon : tensor<8xf64>
  %root = math.sqrt %shifted : tensor<8xf64>
  %roots = linalg.broadcast ins(%root : tensor<8xf64>) outs(%e : tensor<8x8xf64>) dimensions = [1]
  %normal = arith.divf %centred, %roots : tensor<8x8xf64>
  return %normal : tensor<8x8xf64>
}

// -----

// The mean of row i is subtracted from column i instead of row i. The operations after the subtraction are an RMS norm,
// so there is no remark.
func.func @square_mean_along_columns(%x: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %zero = arith.constant dense<0.0> : tensor<8xf64>
  %n = arith.constant dense<8.0> : tensor<8xf64>
  %epsilon = arith.constant dense<0.001> : tensor<8xf64>
  %e = tensor.empty() : tensor<8x8xf64>
  %t = linalg.transpose ins(%x : tensor<8x8xf64>) outs(%e : tensor<8x8xf64>) permutation = [1, 0]
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<8x8xf64>) outs(%zero : tensor<8xf64>) dimensions = [1]
  %mean = arith.divf %sum, %n : tensor<8xf64>
  %means = linalg.broadcast ins(%mean : tensor<8xf64>) outs(%e : tensor<8x8xf64>) dimensions = [0]
  %centred = arith.subf %x, %means : tensor<8x8xf64>
  %ct = linalg.transpose ins(%centred : tensor<8x8xf64>) outs(%e : tensor<8x8xf64>) permutation = [1, 0]
  %squares = arith.mulf %centred, %centred : tensor<8x8xf64>
  %sum2 = linalg.reduce { arith.addf } ins(%squares : tensor<8x8xf64>) outs(%zero : tensor<8xf64>) dimensions = [1]
  %variance = arith.divf %sum2, %n : tensor<8xf64>
  %shifted = arith.addf %variance, %epsilon : tensor<8xf64>
  %root = math.sqrt %shifted : tensor<8xf64>
  %roots = linalg.broadcast ins(%root : tensor<8xf64>) outs(%e : tensor<8x8xf64>) dimensions = [1]
  %normal = arith.divf %centred, %roots : tensor<8x8xf64>
  return %normal : tensor<8x8xf64>
}

// -----

// The variance is the mean of the squares of the transposed matrix.
func.func @square_variance_of_columns(%x: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %zero = arith.constant dense<0.0> : tensor<8xf64>
  %n = arith.constant dense<8.0> : tensor<8xf64>
  %epsilon = arith.constant dense<0.001> : tensor<8xf64>
  %e = tensor.empty() : tensor<8x8xf64>
  %t = linalg.transpose ins(%x : tensor<8x8xf64>) outs(%e : tensor<8x8xf64>) permutation = [1, 0]
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<8x8xf64>) outs(%zero : tensor<8xf64>) dimensions = [1]
  %mean = arith.divf %sum, %n : tensor<8xf64>
  %means = linalg.broadcast ins(%mean : tensor<8xf64>) outs(%e : tensor<8x8xf64>) dimensions = [1]
  %centred = arith.subf %x, %means : tensor<8x8xf64>
  %ct = linalg.transpose ins(%centred : tensor<8x8xf64>) outs(%e : tensor<8x8xf64>) permutation = [1, 0]
  %squares = arith.mulf %ct, %ct : tensor<8x8xf64>
  %sum2 = linalg.reduce { arith.addf } ins(%squares : tensor<8x8xf64>) outs(%zero : tensor<8xf64>) dimensions = [1]
  %variance = arith.divf %sum2, %n : tensor<8xf64>
  %shifted = arith.addf %variance, %epsilon : tensor<8xf64>
  // expected-remark @+1 {{math.sqrt is not recognised as a layer: the variance and the dividend are computed from different tensors}}
  %root = math.sqrt %shifted : tensor<8xf64>
  %roots = linalg.broadcast ins(%root : tensor<8xf64>) outs(%e : tensor<8x8xf64>) dimensions = [1]
  %normal = arith.divf %centred, %roots : tensor<8x8xf64>
  return %normal : tensor<8x8xf64>
}

// -----

// Each element is not squared, but multiplied by an element of the transpose.
func.func @square_product_with_transpose(%x: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %zero = arith.constant dense<0.0> : tensor<8xf64>
  %n = arith.constant dense<8.0> : tensor<8xf64>
  %epsilon = arith.constant dense<0.001> : tensor<8xf64>
  %e = tensor.empty() : tensor<8x8xf64>
  %t = linalg.transpose ins(%x : tensor<8x8xf64>) outs(%e : tensor<8x8xf64>) permutation = [1, 0]
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<8x8xf64>) outs(%zero : tensor<8xf64>) dimensions = [1]
  %mean = arith.divf %sum, %n : tensor<8xf64>
  %means = linalg.broadcast ins(%mean : tensor<8xf64>) outs(%e : tensor<8x8xf64>) dimensions = [1]
  %centred = arith.subf %x, %means : tensor<8x8xf64>
  %ct = linalg.transpose ins(%centred : tensor<8x8xf64>) outs(%e : tensor<8x8xf64>) permutation = [1, 0]
  %squares = arith.mulf %centred, %ct : tensor<8x8xf64>
  %sum2 = linalg.reduce { arith.addf } ins(%squares : tensor<8x8xf64>) outs(%zero : tensor<8xf64>) dimensions = [1]
  %variance = arith.divf %sum2, %n : tensor<8xf64>
  %shifted = arith.addf %variance, %epsilon : tensor<8xf64>
  // expected-remark @+1 {{math.sqrt is not recognised as a layer: the root is not computed from a mean of squares}}
  %root = math.sqrt %shifted : tensor<8xf64>
  %roots = linalg.broadcast ins(%root : tensor<8xf64>) outs(%e : tensor<8x8xf64>) dimensions = [1]
  %normal = arith.divf %centred, %roots : tensor<8x8xf64>
  return %normal : tensor<8x8xf64>
}
