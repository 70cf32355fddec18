// RUN: heddle-opt %s --heddle-check-states -split-input-file -verify-diagnostics

// An argument and a result of @main with the same heddle.state are one state. S1 to S3 are the conditions on states,
// which dialect/States.h lists.

// expected-error@+1 {{state "a" is argument 0, but no result belongs to it (S1)}}
func.func @main(%a: tensor<2x3xf32> {heddle.state = "a"}) -> tensor<2x3xf32> {
  return %a : tensor<2x3xf32>
}

// -----
// expected-error@+1 {{state "b" is result 0, but no argument belongs to it (S1)}}
func.func @main(%a: tensor<2x3xf32>) -> (tensor<2x3xf32> {heddle.state = "b"}) {
  return %a : tensor<2x3xf32>
}

// -----
// expected-error@+1 {{two arguments are state "a" (S1)}}
func.func @main(%a: tensor<2x3xf32> {heddle.state = "a"}, %b: tensor<2x3xf32> {heddle.state = "a"})
    -> (tensor<2x3xf32> {heddle.state = "a"}) {
  return %a : tensor<2x3xf32>
}

// -----
// expected-error@+1 {{two results are state "a" (S1)}}
func.func @main(%a: tensor<2x3xf32> {heddle.state = "a"})
    -> (tensor<2x3xf32> {heddle.state = "a"}, tensor<2x3xf32> {heddle.state = "a"}) {
  return %a, %a : tensor<2x3xf32>, tensor<2x3xf32>
}

// -----
// expected-error@+1 {{state "a" is argument 0 of type 'tensor<2x3xf32>' and result 0 of type 'tensor<2x4xf32>' (S1)}}
func.func @main(%a: tensor<2x3xf32> {heddle.state = "a"}, %b: tensor<2x4xf32>) -> (tensor<2x4xf32> {heddle.state = "a"}) {
  return %b : tensor<2x4xf32>
}

// -----
// expected-error@+1 {{a state has 3 sequences, another state has 2 (S2)}}
func.func @main(%a: tensor<2x4xf32> {heddle.state = "a"}, %b: tensor<3x4xf32> {heddle.state = "b"})
    -> (tensor<2x4xf32> {heddle.state = "a"}, tensor<3x4xf32> {heddle.state = "b"}) {
  %0 = math.exp %a : tensor<2x4xf32>
  %1 = math.exp %b : tensor<3x4xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<3x4xf32>
}

// -----
// expected-error@+1 {{state "a": expected a tensor of floats, or of integers with scales, whose dimension 0 is the number of sequences, found 'tensor<2x4xi64>' (S2)}}
func.func @main(%a: tensor<2x4xi64> {heddle.state = "a"}) -> (tensor<2x4xi64> {heddle.state = "a"}) {
  return %a : tensor<2x4xi64>
}

// -----
func.func @main(%new: tensor<2x1x3x4xf32>, %past: tensor<2xi64> {heddle.state_past},
                %a: tensor<2x1x40x4xf32> {heddle.state = "a"}, %b: tensor<2x1x41x4xf32> {heddle.state = "b"})
    -> (tensor<2x1x40x4xf32> {heddle.state = "a"}, tensor<2x1x41x4xf32> {heddle.state = "b"}) {
  %0 = heddle.append %new into %a at %past : tensor<2x1x3x4xf32> into tensor<2x1x40x4xf32>, tensor<2xi64>
  // expected-error@+1 {{a state has 41 rows of capacity, another state has 40 (S2)}}
  %1 = heddle.append %new into %b at %past : tensor<2x1x3x4xf32> into tensor<2x1x41x4xf32>, tensor<2xi64>
  return %0, %1 : tensor<2x1x40x4xf32>, tensor<2x1x41x4xf32>
}

// -----
func.func @main(%new: tensor<2x1x3x4xf32>, %past: tensor<2xi64>, %a: tensor<2x1x40x4xf32> {heddle.state = "a"})
    -> (tensor<2x1x40x4xf32> {heddle.state = "a"}) {
  // expected-error@+1 {{expected new rows of a state, at the position that the argument with heddle.state_past contains; found rows of a state at another position (S3)}}
  %0 = heddle.append %new into %a at %past : tensor<2x1x3x4xf32> into tensor<2x1x40x4xf32>, tensor<2xi64>
  return %0 : tensor<2x1x40x4xf32>
}

// -----
func.func @main(%new: tensor<2x1x3x4xf32>, %past: tensor<2xi64> {heddle.state_past}, %b: tensor<2x1x40x4xf32>,
                %a: tensor<2x5xf32> {heddle.state = "a"}) -> (tensor<2x1x40x4xf32>, tensor<2x5xf32> {heddle.state = "a"}) {
  // expected-error@+1 {{expected new rows of a state, at the position that the argument with heddle.state_past contains; found rows of a tensor that is not a state (S3)}}
  %0 = heddle.append %new into %b at %past : tensor<2x1x3x4xf32> into tensor<2x1x40x4xf32>, tensor<2xi64>
  return %0, %a : tensor<2x1x40x4xf32>, tensor<2x5xf32>
}

// -----
// expected-error@+1 {{argument 0 is annotated with heddle.state_past, but no argument is a state (S3)}}
func.func @main(%past: tensor<2xi64> {heddle.state_past}) -> tensor<2xi64> {
  return %past : tensor<2xi64>
}

// -----
// expected-error@+1 {{arguments 0 and 1 are both annotated with heddle.state_past (S3)}}
func.func @main(%a: tensor<2xi64> {heddle.state_past}, %b: tensor<2xi64> {heddle.state_past}) -> tensor<2xi64> {
  return %a : tensor<2xi64>
}

// -----
// expected-error@+1 {{heddle.state_past: expected a tensor of rank 1 with an i64 for each sequence, found 'tensor<2x1xi64>' (S3)}}
func.func @main(%a: tensor<2x1xi64> {heddle.state_past}) -> tensor<2x1xi64> {
  return %a : tensor<2x1xi64>
}

// -----
func.func @main(%new: tensor<2x1x3x4xf32>, %past: tensor<2xi64> {heddle.state_past}, %scales: tensor<2x1x40x1xf32>,
                %a: tensor<2x1x40x4xi8> {heddle.state = "a"}) -> (tensor<2x1x40x4xi8> {heddle.state = "a"}, tensor<2x1x40x1xf32>) {
  // expected-error@+1 {{expected new rows of a state, at the position that the argument with heddle.state_past contains; found rows of a state whose scales are not a state (S3)}}
  %0:2 = heddle.append %new into %a scales(%scales : tensor<2x1x40x1xf32>) at %past : tensor<2x1x3x4xf32> into tensor<2x1x40x4xi8>, tensor<2xi64>
  return %0#0, %0#1 : tensor<2x1x40x4xi8>, tensor<2x1x40x1xf32>
}

// -----
// The scales are a state, the rows are not, and the position is another argument.
func.func @main(%new: tensor<2x1x3x4xf32>, %past: tensor<2xi64>, %a: tensor<2x1x40x4xi8>,
                %scales: tensor<2x1x40x1xf32> {heddle.state = "s"}) -> (tensor<2x1x40x4xi8>, tensor<2x1x40x1xf32> {heddle.state = "s"}) {
  // expected-error@+1 {{found scales of a state with rows that are not a state (S3)}}
  %0:2 = heddle.append %new into %a scales(%scales : tensor<2x1x40x1xf32>) at %past : tensor<2x1x3x4xf32> into tensor<2x1x40x4xi8>, tensor<2xi64>
  return %0#0, %0#1 : tensor<2x1x40x4xi8>, tensor<2x1x40x1xf32>
}

// -----
func.func @main(%new: tensor<2x1x3x4xf32>, %past: tensor<2xi64>, %a: tensor<2x1x40x4xi8> {heddle.state = "a"},
                %scales: tensor<2x1x40x1xf32>) -> (tensor<2x1x40x4xi8> {heddle.state = "a"}, tensor<2x1x40x1xf32>) {
  // expected-error@+1 {{found rows of a state whose scales are not a state (S3)}}
  %0:2 = heddle.append %new into %a scales(%scales : tensor<2x1x40x1xf32>) at %past : tensor<2x1x3x4xf32> into tensor<2x1x40x4xi8>, tensor<2xi64>
  return %0#0, %0#1 : tensor<2x1x40x4xi8>, tensor<2x1x40x1xf32>
}
