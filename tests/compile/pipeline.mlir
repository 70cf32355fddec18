// After stage plan, weights, results and intermediate values are in memory that the caller provides, so the code
// allocates and copies nothing. After stage llvm, only operations of the LLVM dialect are left.
// RUN: heddle-opt %s --heddle-pipeline=to=plan | FileCheck %s --check-prefix=PLAN
// RUN: heddle-opt %s --heddle-pipeline=to=llvm | FileCheck %s --check-prefix=LLVM

// PLAN: heddle.arena_size = {{[0-9]+}}
// PLAN: heddle.weight_table = [{name = "w", offset = 0 : i64, recipe = [], type = tensor<4x37xf32>}]
// PLAN-LABEL: func.func @main(
// PLAN-NOT: memref.alloc
// PLAN-NOT: memref.copy
// PLAN: return
// LLVM-NOT: {{func|arith|memref|vector|scf|cf}}.
// LLVM: llvm.func @main(
func.func @main(%x: tensor<4x37xf32> {heddle.name = "x"}, %m: tensor<4x37xi1> {heddle.name = "m"})
    -> (tensor<4x37xf32> {heddle.name = "y"}) {
  %w = heddle.weight "w" : tensor<4x37xf32>
  %0 = arith.addf %x, %w : tensor<4x37xf32>
  %1 = math.exp %0 : tensor<4x37xf32>
  %2 = arith.select %m, %1, %x : tensor<4x37xi1>, tensor<4x37xf32>
  %e = tensor.empty() : tensor<4xf32>
  %c = arith.constant 0.0 : f32
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.reduce ins(%2 : tensor<4x37xf32>) outs(%f : tensor<4xf32>) dimensions = [1] (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  %e2 = tensor.empty() : tensor<4x37xf32>
  %bc = linalg.broadcast ins(%r : tensor<4xf32>) outs(%e2 : tensor<4x37xf32>) dimensions = [1]
  %o = arith.divf %2, %bc : tensor<4x37xf32>
  return %o : tensor<4x37xf32>
}
