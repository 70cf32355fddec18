//===- Monomials.cpp - the terms of an expression of sizes ----------------===//

#include "Monomials.h"

#include "llvm/ADT/STLExtras.h"

using namespace heddle;
using llvm::SmallVector;

SizeExpression Monomial::product() const {
  SizeExpression all = 1;
  for (const SizeExpression &atom : atoms)
    all = all * atom;
  return all;
}

bool heddle::isComparison(const SizeExpression &atom) {
  auto function = atom.asFunction();
  return function && (function->kind == SizeCode::Less || function->kind == SizeCode::Equal);
}

bool Monomial::hasComparison() const { return llvm::any_of(atoms, isComparison); }

/// The postfix code of an expression computes a sum of products of atoms. This function counts the atoms of each
/// product; a function of sizes, together with its operands, is one atom.
SmallVector<Monomial> heddle::monomialsOf(const SizeExpression &expression) {
  SmallVector<SizeExpression> atoms; // in the order of the code
  (void)expression.evaluate([&](const SizeExpression &atom) {
    atoms.push_back(atom);
    return 0;
  });
  struct Term {
    int64_t number; // the factor
    size_t atoms;   // the number of atoms
  };
  SmallVector<SmallVector<Term>> stack;
  SmallVector<int64_t> code = expression.code();
  for (size_t i = 0; i < code.size(); i += 2) {
    auto kind = SizeCode(code[i]);
    if (kind == SizeCode::Number || kind == SizeCode::Size || kind == SizeCode::Place) {
      stack.push_back({kind == SizeCode::Number ? Term{code[i + 1], 0} : Term{1, 1}});
      continue;
    }
    SmallVector<Term> right = stack.pop_back_val(), &left = stack.back();
    if (kind == SizeCode::Add)
      llvm::append_range(left, right);
    else if (kind == SizeCode::Multiply)
      left.front() = {left.front().number * right.front().number, left.front().atoms + right.front().atoms};
    else
      left = {{1, 1}};
  }
  SmallVector<Monomial> terms;
  llvm::ArrayRef<SizeExpression> left = atoms;
  for (const Term &term : stack.back()) {
    if (term.atoms > left.size()) // the expression has no value: evaluation stopped early
      return {};
    terms.push_back({term.number, SmallVector<SizeExpression>(left.take_front(term.atoms))});
    left = left.drop_front(term.atoms);
  }
  return terms;
}

bool heddle::isIndependent(const SizeExpression &expression) {
  SmallVector<Monomial> terms = monomialsOf(expression);
  return terms.size() > 1 && llvm::all_of(terms, [](const Monomial &term) {
    return term.atoms.empty() ? term.number > 0 : term.number < 0 && !term.hasComparison();
  });
}
