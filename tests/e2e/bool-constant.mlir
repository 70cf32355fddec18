// RUN: heddle verify %s | FileCheck %s

// A constant mask of 17 booleans, which do not fill a whole number of vectors, is broadcast and selects elements.
// CHECK-COUNT-2: : ok
func.func @main(%x: tensor<4x17xf32>) -> (tensor<4x17xf32>, tensor<4x17xi1>) {
  %m = arith.constant dense<[true,false,true,true,false,true,false,false,true,true,true,false,true,false,false,true,true]> : tensor<17xi1>
  %z = arith.constant dense<0.0> : tensor<4x17xf32>
  %e = tensor.empty() : tensor<4x17xi1>
  %b = linalg.broadcast ins(%m : tensor<17xi1>) outs(%e : tensor<4x17xi1>) dimensions = [0]
  %r = arith.select %b, %x, %z : tensor<4x17xi1>, tensor<4x17xf32>
  return %r, %b : tensor<4x17xf32>, tensor<4x17xi1>
}
