//===- Passes.td - every pass of the compiler -----------------------------===//
//
// One stem per pass: the entry here, transforms/<Pass>.cpp (or the folder its
// stage has), tests/.../<pass>.mlir and <pass>-errors.mlir.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PASSES_TD
#define HEDDLE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandMath : Pass<"heddle-expand-math"> {
  let summary = "Replaces math functions of scalars and vectors by arithmetic";
  let description = [{
    exp, erf and tanh of f32 and f64 become polynomials, so that generated code neither calls
    libm nor leaves vector registers. exp is Heddle's own (relative error below 2 ulp for f32
    results that are normal numbers; smaller ones become 0); the others are upstream's.
    -inf, +inf and NaN keep their meaning.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

class Heddle_StrategyPass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  let options = [
    ListOption<"features", "features", "std::string", "features of the CPU, as LLVM names them">,
    ListOption<"strategies", "strategy", "std::string", "OP=NAME or OP=FILE, with :knob=value,... after it">
  ];
}

def Tile : Heddle_StrategyPass<"heddle-tile"> {
  let summary = "Chooses each kernel's strategy and runs its @tile";
}

def Vectorize : Heddle_StrategyPass<"heddle-vectorize"> {
  let summary = "Runs @vectorize of the strategy that heddle-tile chose";
}

def Recognise : Pass<"heddle-recognise", "::mlir::ModuleOp"> {
  let summary = "Turns decomposed layers into heddle operations";
  let description = [{
    Exporters decompose attention into products, scaling, masks and a softmax, layer norm into
    means and a root, GELU into erf or tanh. Where such a subgraph is the same function as a
    heddle operation, it becomes one.
  }];
  let options = [
    Option<"remarks", "remarks", "bool", "false", "a remark on each operation that stayed general, with the reason">
  ];
  let dependentDialects = [
    "::heddle::HeddleDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

#endif // HEDDLE_PASSES_TD
