// The verifier of the dialect checks annotations (attributes heddle.*; notes in C++): an annotation must be declared in
// Notes.h, be on an operation or argument of the right kind, and have a value of the right type.
// RUN: heddle-opt %s --verify-diagnostics --split-input-file

// No annotation with this name is declared.

// expected-error @below {{heddle.kernal: there is no annotation of this name}}
func.func @misspelt() attributes {heddle.kernal} {
  return
}

// -----

// Annotations are on operations or arguments of the wrong kind.

func.func @misplaced(%x: f32) -> f32 {
  // expected-error @below {{heddle.kernel: belongs on a function}}
  %y = math.exp %x {heddle.kernel} : f32
  return %y : f32
}

// -----

// expected-error @below {{argument 1: heddle.arena_size: belongs on a module}}
func.func @misplaced(%x: f32, %y: f32 {heddle.arena_size = 1 : i64}) {
  return
}

// -----

// expected-error @below {{result 0: heddle.range: belongs on an argument}}
func.func @misplaced(%x: tensor<2xi64>) -> (tensor<2xi64> {heddle.range = array<i64: 0, 1>}) {
  return %x : tensor<2xi64>
}

// -----

// heddle.stream_results requests streaming stores for a function; heddle.nontemporal marks a streaming store.

func.func @request_on_a_store(%x: vector<16xf32>, %y: memref<16xf32>, %i: index) {
  // expected-error @below {{heddle.stream_results: belongs on a function}}
  vector.transfer_write %x, %y[%i] {heddle.stream_results} : vector<16xf32>, memref<16xf32>
  return
}

// -----

// expected-error @below {{heddle.nontemporal: belongs on a vector transfer}}
func.func @mark_on_a_function() attributes {heddle.nontemporal} {
  return
}

// -----

func.func @reads() {
  // expected-error @below {{heddle.prefetch_bytes: belongs on a linalg operation}}
  %x = arith.constant {heddle.prefetch_bytes = 4096 : i64} 0.0 : f32
  return
}

// -----

// expected-error @below {{heddle.head_lanes: belongs on heddle.attention}}
func.func @heads() attributes {heddle.head_lanes = 16 : i64} {
  return
}

// -----

// Annotations have values of the wrong type.

// expected-error @below {{heddle.kernel: expected no value}}
func.func @kind() attributes {heddle.kernel = true} {
  return
}

// -----

// expected-error @below {{argument 0: heddle.range: expected array<i64: LOW, HIGH> on an integer tensor}}
func.func @kind(%x: tensor<2xf32> {heddle.range = array<i64: 0, 1>}) {
  return
}

// -----

// `code` must consist of pairs of integers, but this code has an odd number of integers.

// expected-error @below {{heddle.derived: expected a list of {name, code, placeholder, low, high}, 0 <= low <= high, 2 <= placeholder, code as in SizeExpression::code}}
module attributes {heddle.derived = [{name = "s + 1", code = array<i64: 1, 0, 0, 1, 2>, placeholder = 38, low = 1, high = 2}]} {}

// -----

// The code is valid but not in canonical form: SizeExpression writes s + 1, not 1 + s.

// expected-error @below {{heddle.derived: expected a list of {name, code, placeholder, low, high}, 0 <= low <= high, 2 <= placeholder, code as in SizeExpression::code}}
module attributes {heddle.sizes = [{name = "s", low = 1, high = 9, placeholder = 37}],
                   heddle.derived = [{name = "s + 1", code = array<i64: 0, 1, 1, 0, 2, 0>, placeholder = 38, low = 2, high = 10}]} {}

// -----

// The expression contains size 0, but the module has no sizes.

// expected-error @below {{heddle.derived: expected an expression of sizes in heddle.sizes, found "s + 1"}}
module attributes {heddle.derived = [{name = "s + 1", code = array<i64: 1, 0, 0, 1, 2, 0>, placeholder = 38, low = 2, high = 10}]} {}

// -----

// The expression contains the place of an element (d0), which only expressions of a tensor's elements may contain.

// expected-error @below {{heddle.derived: expected an expression of sizes in heddle.sizes, found "d0"}}
module attributes {heddle.sizes = [{name = "s", low = 1, high = 9, placeholder = 37}],
                   heddle.derived = [{name = "d0", code = array<i64: 9, 0>, placeholder = 38, low = 2, high = 10}]} {}

// -----


// expected-error @below {{heddle.weight_files: expected a list of paths}}
module attributes {heddle.weight_files = "a.safetensors"} {}
