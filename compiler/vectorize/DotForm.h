//===- DotForm.h - products of numbers stored in few bits -------*- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_DOTFORM_H
#define HEDDLE_VECTORIZE_DOTFORM_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace heddle {

/// A product of matrices whose innermost loop is what one heddle.dot sums up.
struct DotForm {
  int64_t depth;           // products that a lane sums up at a time: of 4 bytes, or of 2 words or bf16
  int64_t unsignedSide = -1; // the input whose bytes have no sign; -1: both have one
};

/// Of sum[i, j] += a[.., t] * b[.., depth * j + t], where t is the innermost loop of `depth` iterations: i8, or
/// i16 of a and i8 of b, widened to i32, or bf16 widened to f32. Further inputs have no use in the body. None of another op.
std::optional<DotForm> findDotForm(mlir::linalg::LinalgOp op);

} // namespace heddle

#endif // HEDDLE_VECTORIZE_DOTFORM_H
