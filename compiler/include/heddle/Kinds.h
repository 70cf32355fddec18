//===- Kinds.h - code for the kinds of products -----------------*- C++ -*-===//

#ifndef HEDDLE_KINDS_H
#define HEDDLE_KINDS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace heddle {

/// Registers the vector code of the kinds of heddle.tile_product (ProductCode.td). Without it, a heddle.tile_product
/// cannot be vectorized.
void registerProductCode(mlir::DialectRegistry &registry);

} // namespace heddle

#endif // HEDDLE_KINDS_H
