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

#endif // HEDDLE_PASSES_TD
