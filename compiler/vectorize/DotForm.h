//===- DotForm.h - matrix products of int8, int16 and bf16 ------*- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_DOTFORM_H
#define HEDDLE_VECTORIZE_DOTFORM_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace heddle {

/// The form of a matrix product whose innermost loop can be computed by one heddle.dot.
struct DotForm {
  int64_t depth;             // the number of products that a lane adds at a time: 4 of i8, or 2 of i16 or bf16
  int64_t unsignedSide = -1; // the input (0 or 1) whose bytes are unsigned; -1: both are signed
};

/// Returns the form of an op that computes sum[i, j] += a[.., t] * b[.., depth * j + t], where t is the innermost loop
/// and has `depth` iterations. The elements are i8 (or i16 in a and i8 in b), widened to i32, or bf16, widened to f32.
/// Further inputs may not be used in the body. Returns nullopt for any other op.
std::optional<DotForm> findDotForm(mlir::linalg::LinalgOp op);

} // namespace heddle

#endif // HEDDLE_VECTORIZE_DOTFORM_H
