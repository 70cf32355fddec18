// RUN: heddle-opt %s --verify-diagnostics --split-input-file

// A name that nobody reads.

// expected-error @below {{heddle.kernal: there is no note of this name}}
func.func @misspelt() attributes {heddle.kernal} {
  return
}

// -----

// A place where nobody looks for it.

func.func @misplaced(%x: f32) -> f32 {
  // expected-error @below {{heddle.kernel: is a note on a function}}
  %y = math.exp %x {heddle.kernel} : f32
  return %y : f32
}

// -----

// expected-error @below {{argument 1: heddle.arena_size: is a note on a module}}
func.func @misplaced(%x: f32, %y: f32 {heddle.arena_size = 1 : i64}) {
  return
}

// -----

// expected-error @below {{result 0: heddle.range: is a note on an argument}}
func.func @misplaced(%x: tensor<2xi64>) -> (tensor<2xi64> {heddle.range = array<i64: 0, 1>}) {
  return %x : tensor<2xi64>
}

// -----

// A function's wish to write past the caches and a write that does are two notes.

func.func @way(%x: vector<16xf32>, %y: memref<16xf32>, %i: index) {
  // expected-error @below {{heddle.stream_results: is a note on a function}}
  vector.transfer_write %x, %y[%i] {heddle.stream_results} : vector<16xf32>, memref<16xf32>
  return
}

// -----

// expected-error @below {{heddle.nontemporal: is a note on a vector transfer}}
func.func @wish() attributes {heddle.nontemporal} {
  return
}

// -----

// expected-error @below {{heddle.head_lanes: is a note on heddle.attention}}
func.func @heads() attributes {heddle.head_lanes = 16 : i64} {
  return
}

// -----

// Another kind of value.

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

// expected-error @below {{heddle.sums: expected a list of {name, terms, plus, stands}}}
module attributes {heddle.sums = [{name = "s + 1", terms = "s", plus = 1, stands = 38}]} {}

// -----

// expected-error @below {{heddle.sums: expected sums of what heddle.sizes names, found "s"}}
module attributes {heddle.sums = [{name = "s + 1", terms = ["s"], plus = 1, stands = 38}]} {}

// -----

// expected-error @below {{heddle.weight_files: expected a list of paths}}
module attributes {heddle.weight_files = "a.safetensors"} {}
