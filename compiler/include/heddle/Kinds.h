//===- Kinds.h - code for the kinds of products -----------------*- C++ -*-===//

#ifndef HEDDLE_KINDS_H
#define HEDDLE_KINDS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace heddle {

/// Registers, for each kind of product that heddle.tile_product can compute (ProductKind.td), the functions that emit
/// vector operations for a product of this kind (ProductCode.td). Without them, a heddle.tile_product cannot be
/// vectorized.
void registerProductCode(mlir::DialectRegistry &registry);

} // namespace heddle

#endif // HEDDLE_KINDS_H
