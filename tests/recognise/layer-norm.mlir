// RUN: heddle-opt %s --heddle-recognise --split-input-file | FileCheck %s

// Layer norms and RMS norms that an exporter wrote as many operations become heddle.layer_norm and heddle.rms_norm, in
// several equivalent forms.

// Layer norm in ONNX files with opsets 11 to 16: ReduceMean, Sub, Pow, ReduceMean, Add, Sqrt, Div, Mul, Add.

// CHECK-LABEL: @decomposed
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<3x80xf64>
// CHECK-DAG: %[[S:.*]] = heddle.weight "scale"
// CHECK-DAG: %[[B:.*]] = heddle.weight "bias"
// CHECK: %[[N:.*]] = heddle.layer_norm %[[X]] scale(%[[S]]) bias(%[[B]]) epsilon(0.001)
// CHECK-NEXT: return %[[N]]
func.func @decomposed(%x: tensor<3x80xf64>) -> tensor<3x80xf64> {
  %zero = arith.constant dense<0.0> : tensor<3xf64>
  %n = arith.constant dense<80.0> : tensor<3xf64>
  %two = arith.constant dense<2.0> : tensor<3x80xf64>
  %epsilon = arith.constant dense<0.001> : tensor<3xf64>
  %e = tensor.empty() : tensor<3x80xf64>
  %scale = heddle.weight "scale" : tensor<80xf64>
  %bias = heddle.weight "bias" : tensor<80xf64>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<3x80xf64>) outs(%zero : tensor<3xf64>) dimensions = [1]
  %mean = arith.divf %sum, %n : tensor<3xf64>
  %means = linalg.broadcast ins(%mean : tensor<3xf64>) outs(%e : tensor<3x80xf64>) dimensions = [1]
  %centred = arith.subf %x, %means : tensor<3x80xf64>
  %squares = math.powf %centred, %two : tensor<3x80xf64>
  %sum2 = linalg.reduce { arith.addf } ins(%squares : tensor<3x80xf64>) outs(%zero : tensor<3xf64>) dimensions = [1]
  %variance = arith.divf %sum2, %n : tensor<3xf64>
  %shifted = arith.addf %variance, %epsilon : tensor<3xf64>
  %root = math.sqrt %shifted : tensor<3xf64>
  %roots = linalg.broadcast ins(%root : tensor<3xf64>) outs(%e : tensor<3x80xf64>) dimensions = [1]
  %normal = arith.divf %centred, %roots : tensor<3x80xf64>
  %scales = linalg.broadcast ins(%scale : tensor<80xf64>) outs(%e : tensor<3x80xf64>) dimensions = [0]
  %scaled = arith.mulf %normal, %scales : tensor<3x80xf64>
  %biases = linalg.broadcast ins(%bias : tensor<80xf64>) outs(%e : tensor<3x80xf64>) dimensions = [0]
  %result = arith.addf %biases, %scaled : tensor<3x80xf64>
  return %result : tensor<3x80xf64>
}

// -----

// The mean keeps the reduced dimension with size 1. The deviation from the mean is computed twice and is multiplied by
// the reciprocal of the root. The bias is 0, and all elements of the scale are equal.

// CHECK-LABEL: @reciprocal
// CHECK-DAG: %[[S:.*]] = arith.constant dense<3.000000e+00> : tensor<8xf64>
// CHECK-DAG: %[[B:.*]] = arith.constant dense<0.000000e+00> : tensor<8xf64>
// CHECK: heddle.layer_norm %{{.*}} scale(%[[S]]) bias(%[[B]])
// CHECK-NEXT: return
func.func @reciprocal(%x: tensor<2x3x8xf64>) -> tensor<2x3x8xf64> {
  %zero = arith.constant dense<0.0> : tensor<2x3xf64>
  %n = arith.constant dense<0.125> : tensor<2x3x1xf64>
  %one = arith.constant dense<1.0> : tensor<2x3x1xf64>
  %three = arith.constant dense<3.0> : tensor<2x3x8xf64>
  %none = arith.constant dense<0.0> : tensor<2x3x8xf64>
  %epsilon = arith.constant dense<0.001> : tensor<2x3x1xf64>
  %e = tensor.empty() : tensor<2x3x8xf64>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<2x3x8xf64>) outs(%zero : tensor<2x3xf64>) dimensions = [2]
  %sumk = tensor.expand_shape %sum [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf64> into tensor<2x3x1xf64>
  %meank = arith.mulf %n, %sumk : tensor<2x3x1xf64>
  %mean = tensor.collapse_shape %meank [[0], [1, 2]] : tensor<2x3x1xf64> into tensor<2x3xf64>
  %means = linalg.broadcast ins(%mean : tensor<2x3xf64>) outs(%e : tensor<2x3x8xf64>) dimensions = [2]
  %a = arith.subf %x, %means : tensor<2x3x8xf64>
  %b = arith.subf %x, %means : tensor<2x3x8xf64>
  %squares = arith.mulf %b, %b : tensor<2x3x8xf64>
  %sum2 = linalg.reduce { arith.addf } ins(%squares : tensor<2x3x8xf64>) outs(%zero : tensor<2x3xf64>) dimensions = [2]
  %sum2k = tensor.expand_shape %sum2 [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf64> into tensor<2x3x1xf64>
  %variance = arith.mulf %sum2k, %n : tensor<2x3x1xf64>
  %shifted = arith.addf %variance, %epsilon : tensor<2x3x1xf64>
  %root = math.sqrt %shifted : tensor<2x3x1xf64>
  %inverse = arith.divf %one, %root : tensor<2x3x1xf64>
  %inverse2 = tensor.collapse_shape %inverse [[0], [1, 2]] : tensor<2x3x1xf64> into tensor<2x3xf64>
  %inverses = linalg.broadcast ins(%inverse2 : tensor<2x3xf64>) outs(%e : tensor<2x3x8xf64>) dimensions = [2]
  %normal = arith.mulf %inverses, %a : tensor<2x3x8xf64>
  %scaled = arith.mulf %normal, %three : tensor<2x3x8xf64>
  %result = arith.addf %scaled, %none : tensor<2x3x8xf64>
  return %result : tensor<2x3x8xf64>
}

// -----

// CHECK-LABEL: @rms
// CHECK: heddle.rms_norm %{{.*}} scale(%{{.*}}) epsilon(0.001)
// CHECK-NEXT: return
func.func @rms(%x: tensor<3x80xf64>) -> tensor<3x80xf64> {
  %zero = arith.constant dense<0.0> : tensor<3xf64>
  %n = arith.constant dense<80.0> : tensor<3xf64>
  %epsilon = arith.constant dense<0.001> : tensor<3xf64>
  %e = tensor.empty() : tensor<3x80xf64>
  %scale = heddle.weight "scale" : tensor<80xf64>
  %squares = arith.mulf %x, %x : tensor<3x80xf64>
  %sum = linalg.reduce { arith.addf } ins(%squares : tensor<3x80xf64>) outs(%zero : tensor<3xf64>) dimensions = [1]
  %mean = arith.divf %sum, %n : tensor<3xf64>
  %shifted = arith.addf %mean, %epsilon : tensor<3xf64>
  %root = math.rsqrt %shifted : tensor<3xf64>
  %roots = linalg.broadcast ins(%root : tensor<3xf64>) outs(%e : tensor<3x80xf64>) dimensions = [1]
  %normal = arith.mulf %x, %roots : tensor<3x80xf64>
  %scales = linalg.broadcast ins(%scale : tensor<80xf64>) outs(%e : tensor<3x80xf64>) dimensions = [0]
  %result = arith.mulf %scales, %normal : tensor<3x80xf64>
  return %result : tensor<3x80xf64>
}
