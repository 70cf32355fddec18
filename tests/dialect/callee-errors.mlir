// heddle.launch and heddle.dispatch must name a function that takes the index and the arguments that they pass, and
// that returns nothing. The last module is valid.
// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @main(%m: memref<8xf32>, %groups: index) {
  // expected-error@+1 {{'heddle.launch' op kernel @nobody is not a function}}
  heddle.launch @nobody for %groups args(%m) : index, memref<8xf32>
  return
}

// -----

// expected-note@+1 {{expected ('index', 'memref<8xi8>')}}
func.func private @kernel(%g: index, %m: memref<8xi8>)
func.func @main(%m: memref<8xf32>, %groups: index) {
  // expected-error@+2 {{'heddle.launch' op kernel @kernel expects other arguments}}
  // expected-note@+1 {{found    ('index', 'memref<8xf32>')}}
  heddle.launch @kernel for %groups args(%m) : index, memref<8xf32>
  return
}

// -----

func.func private @task(%i: index) -> f32
func.func @main(%arena: memref<64xi8>, %count: index) {
  // expected-error@+1 {{'heddle.dispatch' op task @task must not return values}}
  heddle.dispatch @task for %count in %arena : index, memref<64xi8>
  return
}

// -----

func.func private @task(%i: index, %scratch: memref<4xi8>, %m: memref<8xf32>)
func.func @main(%arena: memref<64xi8>, %scratch: memref<4xi8>, %m: memref<8xf32>, %count: index) {
  heddle.dispatch @task for %count in %arena scratch(%scratch) args(%m) : index, memref<64xi8>, memref<4xi8>, memref<8xf32>
  return
}
