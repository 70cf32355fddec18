//===- ConstantFormula.h - integers as a function of their place -*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_CONSTANTFORMULA_H
#define HEDDLE_IMPORT_SIZES_CONSTANTFORMULA_H

#include "SizeExpression.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace heddle {

/// What each element of a constant of integers is by its place, if it is one of: a step further along each dimension, as
/// positions are; one number up to a diagonal of the last two dimensions and another behind it, as causal masks are. A part
/// of such a table that begins or ends at a size needs no memory, and recognition knows what it is.
std::optional<SizeExpression> formulaOf(mlir::DenseElementsAttr constant);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_CONSTANTFORMULA_H
