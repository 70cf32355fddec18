//===- SizeExpressionText.cpp - expressions of sizes as text --------------===//

#include "SizeExpression.h"

using namespace heddle;
using llvm::ArrayRef;
using llvm::StringRef;

std::string SizeExpression::text(const Atom &atom, ArrayRef<StringRef> names) {
  switch (atom.kind) {
  case SizeCode::Size:
    return names[atom.number].str();
  case SizeCode::Place:
    return "d" + std::to_string(atom.number);
  case SizeCode::Min:
  case SizeCode::Max:
    return (atom.kind == SizeCode::Min ? "min(" : "max(") + atom.a.text(names) + ", " + atom.b.text(names) + ")";
  default: {
    auto part = [&](const SizeExpression &e) {
      // An operand needs parentheses unless the operand is a size, or a number that is not negative.
      bool isOne = e.number() ? *e.number() >= 0 : e.asSize().has_value();
      return isOne ? e.text(names) : "(" + e.text(names) + ")";
    };
    StringRef word = atom.kind == SizeCode::FloorDivide ? " floordiv " : atom.kind == SizeCode::Less ? " < " : " == ";
    return "(" + part(atom.a) + word.str() + part(atom.b) + ")";
  }
  }
}

std::string SizeExpression::text(ArrayRef<StringRef> names) const {
  if (!content->isValid)
    return "a number that does not fit into 64 bits";
  if (content->terms.empty())
    return "0";
  std::string text;
  for (bool positive : {true, false}) // positive terms first: "s - 1", not "-1 + s"
    for (const Term &term : numberLast()) {
      if ((term.coefficient > 0) != positive)
        continue;
      uint64_t size = term.coefficient < 0 ? 0 - uint64_t(term.coefficient) : uint64_t(term.coefficient);
      std::string product = size == 1 && !term.factors.empty() ? "" : std::to_string(size);
      for (const AtomRef &atom : term.factors)
        product += (product.empty() ? "" : " * ") + SizeExpression::text(*atom, names);
      text += text.empty() ? (positive ? "" : "-") : (positive ? " + " : " - ");
      text += product;
    }
  // If the text consists of a single quotient or comparison, its outer parentheses are removed.
  StringRef whole = text;
  bool isOneAtom = content->terms.size() == 1 && content->terms[0].coefficient == 1 && content->terms[0].factors.size() == 1;
  if (isOneAtom && whole.starts_with("(") && whole.ends_with(")"))
    return whole.drop_front().drop_back().str();
  return text;
}
