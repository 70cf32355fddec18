//===- Monomials.h - the terms of an expression of sizes --------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_MONOMIALS_H
#define HEDDLE_IMPORT_SIZES_MONOMIALS_H

#include "SizeExpression.h"

namespace heddle {

/// Whether it is a comparison, which is 1 or 0.
bool isComparison(const SizeExpression &atom);

/// A number times sizes and functions of them.
struct Monomial {
  int64_t number = 1;
  llvm::SmallVector<SizeExpression> atoms;

  /// The product of the atoms.
  SizeExpression product() const;
  /// Whether an atom is a comparison.
  bool hasComparison() const;
};

/// The terms of a polynomial; none of one that has no value.
llvm::SmallVector<Monomial> monomialsOf(const SizeExpression &expression);

/// Whether an expression is a number less something that grows with sizes, such as 8 - s. What stands for sizes is
/// large, so that no number that is such a difference stands for it.
bool standsAlone(const SizeExpression &expression);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_MONOMIALS_H
