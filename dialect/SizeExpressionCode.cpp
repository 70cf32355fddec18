//===- SizeExpressionCode.cpp - stack code of expressions -----------------===//
//
// Annotations of modules and descriptions of libraries store expressions of sizes as code for a stack machine: a list
// of pairs of an instruction (SizeCode) and a number.
//
//===----------------------------------------------------------------------===//

#include "SizeExpression.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace heddle;
using llvm::ArrayRef;
using llvm::SmallVector;

void SizeExpression::append(const Atom &atom, llvm::SmallVectorImpl<int64_t> &code) {
  if (!isLeaf(atom.kind)) {
    atom.a.append(code);
    atom.b.append(code);
  }
  code.append({int64_t(atom.kind), isLeaf(atom.kind) ? int64_t(atom.number) : 0});
}

void SizeExpression::append(llvm::SmallVectorImpl<int64_t> &code) const {
  auto push = [&](SizeCode kind, int64_t number = 0) { code.append({int64_t(kind), number}); };
  if (!content->isValid) { // an invalid expression is stored as 0 floordiv 0, which has no value, either
    push(SizeCode::Number, 0);
    push(SizeCode::Number, 0);
    return push(SizeCode::FloorDivide);
  }
  if (content->terms.empty())
    return push(SizeCode::Number, 0);
  bool isFirst = true;
  for (const Term &term : numberLast()) {
    bool isWhole = term.factors.empty() || term.coefficient != 1; // whether the coefficient is pushed
    if (isWhole)
      push(SizeCode::Number, term.coefficient);
    for (auto [i, atom] : llvm::enumerate(term.factors)) {
      append(*atom, code);
      if (isWhole || i > 0)
        push(SizeCode::Multiply);
    }
    if (!std::exchange(isFirst, false))
      push(SizeCode::Add);
  }
}

SmallVector<int64_t> SizeExpression::code() const {
  SmallVector<int64_t> words;
  append(words);
  return words;
}

std::optional<SizeExpression> SizeExpression::fromCode(ArrayRef<int64_t> code) {
  constexpr int64_t maxLeaves = 1 << 16; // the limit of indices, since the code may come from a file
  SmallVector<SizeExpression> stack;
  if (code.size() % 2)
    return std::nullopt;
  for (size_t i = 0; i < code.size(); i += 2) {
    int64_t number = code[i + 1];
    if (code[i] < 0 || code[i] > int64_t(SizeCode::Place))
      return std::nullopt;
    auto kind = SizeCode(code[i]);
    if (kind == SizeCode::Number) {
      stack.push_back(number);
    } else if (kind == SizeCode::Size || kind == SizeCode::Place) {
      if (number < 0 || number >= maxLeaves)
        return std::nullopt;
      stack.push_back(kind == SizeCode::Size ? size(unsigned(number)) : place(unsigned(number)));
    } else {
      if (stack.size() < 2)
        return std::nullopt;
      SizeExpression b = stack.pop_back_val(), a = stack.pop_back_val();
      size_t terms = a.content->terms.size(), others = b.content->terms.size();
      // Code whose expression would be too large is refused before the expression is built.
      if (kind == SizeCode::Multiply ? terms * others > maxTerms : terms + others > maxTerms)
        return std::nullopt;
      stack.push_back(apply(kind, a, b));
    }
  }
  return stack.size() == 1 ? std::optional(stack.front()) : std::nullopt;
}

unsigned SizeExpression::stacked() const {
  SmallVector<int64_t> words = code();
  unsigned now = 0, maximum = 0;
  for (size_t i = 0; i < words.size(); i += 2) {
    now = isLeaf(SizeCode(words[i])) ? now + 1 : now - 1;
    maximum = std::max(maximum, now);
  }
  return maximum;
}

std::optional<int64_t> SizeEvaluator::at(ArrayRef<int64_t> sizes, ArrayRef<int64_t> places) const {
  SmallVector<int64_t, 16> stack;
  for (size_t i = 0; i < code.size(); i += 2) {
    auto kind = SizeCode(code[i]);
    if (isLeaf(kind)) {
      stack.push_back(kind == SizeCode::Number ? code[i + 1] : (kind == SizeCode::Size ? sizes : places)[code[i + 1]]);
      continue;
    }
    int64_t b = stack.pop_back_val(), &a = stack.back();
    bool fits = true;
    switch (kind) {
    case SizeCode::Add:
      fits = !llvm::AddOverflow(a, b, a);
      break;
    case SizeCode::Multiply:
      fits = !llvm::MulOverflow(a, b, a);
      break;
    case SizeCode::FloorDivide: {
      std::optional<int64_t> quotient = floorDivide(a, b);
      fits = quotient.has_value();
      a = quotient.value_or(0);
      break;
    }
    case SizeCode::Min:
      a = std::min(a, b);
      break;
    case SizeCode::Max:
      a = std::max(a, b);
      break;
    case SizeCode::Less:
      a = a < b;
      break;
    default:
      a = a == b;
    }
    if (!fits)
      return std::nullopt;
  }
  return stack.back();
}
