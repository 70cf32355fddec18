//===- Monomials.h - the terms of an expression of sizes --------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_MONOMIALS_H
#define HEDDLE_IMPORT_SIZES_MONOMIALS_H

#include "SizeExpression.h"

namespace heddle {

/// Whether the expression is a comparison, whose value is 1 or 0.
bool isComparison(const SizeExpression &atom);

/// A number times sizes and functions of sizes (atoms).
struct Monomial {
  int64_t number = 1;
  llvm::SmallVector<SizeExpression> atoms;

  /// The product of the atoms.
  SizeExpression product() const;
  /// Whether an atom is a comparison.
  bool hasComparison() const;
};

/// Returns the terms of the expression, which is a polynomial of atoms; empty if the expression has no value.
llvm::SmallVector<Monomial> monomialsOf(const SizeExpression &expression);

/// Whether an expression is a number minus terms that grow with sizes, such as 8 - s. Since the placeholders of sizes
/// are large, the value of the expression at the placeholders is negative. It needs a placeholder that does not depend
/// on the others.
bool isIndependent(const SizeExpression &expression);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_MONOMIALS_H
