//===- Monomials.h - the terms of an expression of sizes --------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_MONOMIALS_H
#define HEDDLE_IMPORT_SIZES_MONOMIALS_H

#include "SizeExpression.h"

namespace heddle {

/// Whether the expression is a comparison, whose value is 1 or 0.
bool isComparison(const SizeExpression &atom);

/// A product of a number and of atoms. An atom is a size, a place (an index of an element in a tensor) or a function of
/// sizes and places, such as min(s, 4).
struct Monomial {
  int64_t number = 1;
  llvm::SmallVector<SizeExpression> atoms;

  /// The product of the atoms.
  SizeExpression product() const;
  /// Whether an atom is a comparison.
  bool hasComparison() const;
};

/// Returns the terms of the expression, which is a polynomial of atoms. Returns no terms if the expression has no
/// value.
llvm::SmallVector<Monomial> monomialsOf(const SizeExpression &expression);

/// Whether an expression is a number minus terms that grow with sizes, such as 8 - s. Since the placeholders of sizes
/// are large, the value of the expression at the placeholders is negative, so the expression needs a placeholder that
/// is independent of the placeholders of the sizes.
bool isIndependent(const SizeExpression &expression);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_MONOMIALS_H
