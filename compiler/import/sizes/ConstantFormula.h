//===- ConstantFormula.h - formulas of constants ----------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_CONSTANTFORMULA_H
#define HEDDLE_IMPORT_SIZES_CONSTANTFORMULA_H

#include "SizeExpression.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace heddle {

/// Returns a formula for the elements of an integer constant as a function of their indices. The constant must have one
/// of these forms: a constant step along each dimension, as in positions, or one number up to a diagonal of the last
/// two dimensions and another number after it, as in causal masks. Otherwise returns nothing. If the bounds of a slice
/// of such a constant depend on sizes, the compiled code computes the slice with the formula instead of reading it from
/// memory, and the passes that recognise layers can match it.
std::optional<SizeExpression> formulaOf(mlir::DenseElementsAttr constant);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_CONSTANTFORMULA_H
