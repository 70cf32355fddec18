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

bool Monomial::hasComparison() const {
  return llvm::any_of(atoms, [](const SizeExpression &atom) {
    auto function = atom.asFunction();
    return function && (function->kind == SizeCode::Less || function->kind == SizeCode::Equal);
  });
}

/// The code of an expression adds up products: what a function takes is one atom.
SmallVector<Monomial> heddle::monomialsOf(const SizeExpression &expression) {
  struct Part {
    size_t begin; // of its code
    SmallVector<Monomial> terms;
  };
  SmallVector<Part> stack;
  SmallVector<int64_t> code = expression.code();
  for (size_t i = 0; i < code.size(); i += 2) {
    auto kind = SizeCode(code[i]);
    if (kind == SizeCode::Number) {
      stack.push_back({i, {{code[i + 1], {}}}});
      continue;
    }
    if (kind == SizeCode::Size || kind == SizeCode::Place) {
      auto number = unsigned(code[i + 1]);
      stack.push_back({i, {{1, {kind == SizeCode::Size ? SizeExpression::size(number) : SizeExpression::place(number)}}}});
      continue;
    }
    Part right = stack.pop_back_val();
    Part &left = stack.back();
    if (kind == SizeCode::Add) {
      llvm::append_range(left.terms, right.terms);
    } else if (kind == SizeCode::Multiply) {
      left.terms.front().number *= right.terms.front().number;
      llvm::append_range(left.terms.front().atoms, right.terms.front().atoms);
    } else {
      std::optional<SizeExpression> atom =
          SizeExpression::fromCode(llvm::ArrayRef(code).slice(left.begin, i + 2 - left.begin));
      if (!atom)
        return {};
      left.terms = {{1, {*atom}}};
    }
  }
  return stack.back().terms;
}

bool heddle::standsAlone(const SizeExpression &expression) {
  SmallVector<Monomial> terms = monomialsOf(expression);
  return terms.size() > 1 && llvm::all_of(terms, [](const Monomial &term) {
    return term.atoms.empty() ? term.number > 0 : term.number < 0 && !term.hasComparison();
  });
}
