//===- Norm.h - what layer_norm and rms_norm share --------------*- C++ -*-===//

#ifndef HEDDLE_RECOGNISE_NORM_H
#define HEDDLE_RECOGNISE_NORM_H

#include "Match.h"

namespace heddle {

/// dividend / sqrt(variance + epsilon), with one root per row.
struct Normalised {
  mlir::Value dividend, variance; // [.., D], and one element per row
  double epsilon;
  mlir::Operation *root;          // the sqrt or rsqrt
};

/// `op` as a division by a root, a product with its inverse, or with rsqrt.
/// `root` is set as soon as one is seen, for the reason's sake.
std::optional<Normalised> matchNormalised(mlir::Operation *op, mlir::Operation *&root, llvm::StringRef &reason);

/// The one operation that uses `value` (through reshapes): `value` x scale where
/// scale [.., D] repeats one row.
std::optional<std::pair<mlir::Value, mlir::Value>> findRowScale(mlir::Value value);
/// Likewise `value` + bias.
std::optional<std::pair<mlir::Value, mlir::Value>> findRowShift(mlir::Value value);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_NORM_H
