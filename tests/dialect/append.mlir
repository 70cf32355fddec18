// heddle.append is parsed, printed and parsed again: with a state of floats, with a state of integers that has scales,
// and with a state and a past that are arguments of @main. The last two functions have annotations with a wrong value.
// Each other function after @main violates one constraint, and its name begins with the label of the constraint in
// ops/Append.td.
// RUN: heddle-opt %s -split-input-file -verify-diagnostics | heddle-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @rows
func.func @rows(%new: tensor<2x3x1x64xf32>, %state: tensor<2x3x512x64xbf16>, %past: tensor<2xi64>) -> tensor<2x3x512x64xbf16> {
  // CHECK: heddle.append %arg0 into %arg1 at %arg2 : tensor<2x3x1x64xf32> into tensor<2x3x512x64xbf16>, tensor<2xi64>
  %0 = heddle.append %new into %state at %past : tensor<2x3x1x64xf32> into tensor<2x3x512x64xbf16>, tensor<2xi64>
  return %0 : tensor<2x3x512x64xbf16>
}

// -----
// CHECK-LABEL: @integers
func.func @integers(%new: tensor<2x3x1x64xf32>, %state: tensor<2x3x512x64xi8>, %scales: tensor<2x3x512x1xf32>, %past: tensor<2xi64>)
    -> (tensor<2x3x512x64xi8>, tensor<2x3x512x1xf32>) {
  // CHECK: heddle.append %arg0 into %arg1 scales(%arg2 : tensor<2x3x512x1xf32>) at %arg3 : tensor<2x3x1x64xf32> into tensor<2x3x512x64xi8>, tensor<2xi64>
  %0:2 = heddle.append %new into %state scales(%scales : tensor<2x3x512x1xf32>) at %past : tensor<2x3x1x64xf32> into tensor<2x3x512x64xi8>, tensor<2xi64>
  return %0#0, %0#1 : tensor<2x3x512x64xi8>, tensor<2x3x512x1xf32>
}

// -----
// CHECK-LABEL: @main
// CHECK-SAME: heddle.state = "layer.0.key"
// CHECK-SAME: heddle.state_past
func.func @main(%new: tensor<2x3x?x64xf32>, %state: tensor<2x3x?x64xf32> {heddle.state = "layer.0.key"},
                %past: tensor<2xi64> {heddle.state_past}) -> (tensor<2x3x?x64xf32> {heddle.state = "layer.0.key"}) {
  %0 = heddle.append %new into %state at %past : tensor<2x3x?x64xf32> into tensor<2x3x?x64xf32>, tensor<2xi64>
  return %0 : tensor<2x3x?x64xf32>
}

// -----
func.func @c1(%new: tensor<3x1x64xf32>, %state: tensor<2x3x512x64xf32>, %past: tensor<2xi64>) {
  // expected-error@+1 {{input has rank 3, expected 4 (C1)}}
  %0 = heddle.append %new into %state at %past : tensor<3x1x64xf32> into tensor<2x3x512x64xf32>, tensor<2xi64>
  return
}

// -----
func.func @c1_state(%new: tensor<2x3x1x64xf32>, %state: tensor<2x3x512xf32>, %past: tensor<2xi64>) {
  // expected-error@+1 {{state has rank 3, expected 4 (C1)}}
  %0 = heddle.append %new into %state at %past : tensor<2x3x1x64xf32> into tensor<2x3x512xf32>, tensor<2xi64>
  return
}

// -----
func.func @c2_batch(%new: tensor<1x3x1x64xf32>, %state: tensor<2x3x512x64xf32>, %past: tensor<2xi64>) {
  // expected-error@+1 {{input has batch size 1, expected 2 as in state (C2)}}
  %0 = heddle.append %new into %state at %past : tensor<1x3x1x64xf32> into tensor<2x3x512x64xf32>, tensor<2xi64>
  return
}

// -----
func.func @c2_heads(%new: tensor<2x4x1x64xf32>, %state: tensor<2x3x512x64xf32>, %past: tensor<2xi64>) {
  // expected-error@+1 {{input has number of heads 4, expected 3 as in state (C2)}}
  %0 = heddle.append %new into %state at %past : tensor<2x4x1x64xf32> into tensor<2x3x512x64xf32>, tensor<2xi64>
  return
}

// -----
func.func @c2_row(%new: tensor<2x3x1x32xf32>, %state: tensor<2x3x512x64xf32>, %past: tensor<2xi64>) {
  // expected-error@+1 {{input has row size 32, expected 64 as in state (C2)}}
  %0 = heddle.append %new into %state at %past : tensor<2x3x1x32xf32> into tensor<2x3x512x64xf32>, tensor<2xi64>
  return
}

// -----
func.func @c3(%new: tensor<2x3x1x64xf32>, %state: tensor<2x3x512x64xf32>, %past: tensor<3xi64>) {
  // expected-error@+1 {{past has batch size 3, expected 2 as in state (C3)}}
  %0 = heddle.append %new into %state at %past : tensor<2x3x1x64xf32> into tensor<2x3x512x64xf32>, tensor<3xi64>
  return
}

// -----
func.func @c4_none(%new: tensor<2x3x1x64xf32>, %state: tensor<2x3x512x64xi8>, %past: tensor<2xi64>) {
  // expected-error@+1 {{expected scales for a state of 'i8' (C4)}}
  %0 = heddle.append %new into %state at %past : tensor<2x3x1x64xf32> into tensor<2x3x512x64xi8>, tensor<2xi64>
  return
}

// -----
func.func @c4_floats(%new: tensor<2x3x1x64xf32>, %state: tensor<2x3x512x64xf16>, %scales: tensor<2x3x512x1xf32>, %past: tensor<2xi64>) {
  // expected-error@+1 {{only states of integers have scales, this state has elements of type 'f16' (C4)}}
  %0:2 = heddle.append %new into %state scales(%scales : tensor<2x3x512x1xf32>) at %past : tensor<2x3x1x64xf32> into tensor<2x3x512x64xf16>, tensor<2xi64>
  return
}

// -----
func.func @c4_shape(%new: tensor<2x3x1x64xf32>, %state: tensor<2x3x512x64xi8>, %scales: tensor<2x3x64x1xf32>, %past: tensor<2xi64>) {
  // expected-error@+1 {{scales has shape [2, 3, 64, 1], expected [2, 3, 512, 1] (C4)}}
  %0:2 = heddle.append %new into %state scales(%scales : tensor<2x3x64x1xf32>) at %past : tensor<2x3x1x64xf32> into tensor<2x3x512x64xi8>, tensor<2xi64>
  return
}

// -----
// expected-error@+1 {{argument 0: heddle.state: expected a string}}
func.func @state_name(%state: tensor<2x3x512x64xf32> {heddle.state = 3}) {
  return
}

// -----
// expected-error@+1 {{argument 0: heddle.state_past: expected no value}}
func.func @past_value(%past: tensor<2xi64> {heddle.state_past = 3}) {
  return
}
