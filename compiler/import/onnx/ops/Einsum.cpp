//===- Einsum.cpp - the ONNX operator Einsum ------------------------------===//
//
// The operands are multiplied one after the other. Each multiplication sums over the labels that occur neither in the
// result nor in a later operand. A label that occurs in both factors, and in the result or a later operand, is a batch
// dimension. If both factors contain a label that is summed over, the multiplication becomes a product of matrices, or
// of batches of matrices; otherwise it becomes an elementwise product. Attention that is written with Einsum is
// therefore recognised as attention.
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"
#include "SizedOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

/// A tensor with a label for each of its dimensions. A label is a letter or, for each dimension that "..." covers, a
/// digit; the last of these digits is '0'.
struct Term {
  std::string labels;
  Value value;
};

/// The labels of the operands and of the result.
struct Equation {
  SmallVector<std::string> operands;
  std::string result;
};

/// The maximum number of dimensions that "..." covers, so that one digit can label each of them.
constexpr size_t maxEllipsisDims = 8;

/// Reads the labels of an operand with `rank` dimensions. For the result, `rank` is -1, and "..." covers `ellipsis`
/// dimensions; for an operand, `ellipsis` is not used.
FailureOr<std::string> readLabels(NodeContext &n, StringRef text, int64_t rank, size_t ellipsis) {
  auto [before, after] = text.split("...");
  bool hasEllipsis = text.contains("...");
  std::string letters = (before + after).str();
  if (!llvm::all_of(letters, [](char c) { return llvm::isAlpha(c); }))
    return n.error() << "cannot read '" << text << "' in the equation: expected letters and at most one '...'";
  if (rank >= 0) {
    if (hasEllipsis ? rank < int64_t(letters.size()) : rank != int64_t(letters.size()))
      return n.error() << "'" << text << "' does not fit a tensor of " << rank << " dimensions";
    ellipsis = rank - letters.size();
  }
  if (!hasEllipsis)
    return letters;
  if (ellipsis > maxEllipsisDims)
    return n.error() << "'...' for " << ellipsis << " dimensions is not supported";
  std::string labels = before.str();
  for (size_t dim = ellipsis; dim-- > 0;)
    labels += char('0' + dim);
  return labels + after.str();
}

FailureOr<Equation> readEquation(NodeContext &n) {
  std::string text = n.stringAttr("equation", "");
  llvm::erase(text, ' ');
  auto [left, right] = StringRef(text).split("->");
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  if (parts.size() != n.operands().size())
    return n.error() << "the number of operands of the equation '" << text << "' is " << parts.size()
                     << ", but the number of inputs is " << n.operands().size();
  Equation equation;
  size_t ellipsis = 0;
  std::string all;
  for (auto [part, operand] : llvm::zip_equal(parts, n.operands())) {
    FailureOr<std::string> labels = readLabels(n, part, rankOf(operand), 0);
    if (failed(labels))
      return failure();
    for (char label : *labels)
      ellipsis = std::max<size_t>(ellipsis, llvm::isDigit(label) ? label - '0' + 1 : 0);
    all += *labels;
    equation.operands.push_back(*labels);
  }
  // Without "->", the labels of the result are "..." and the letters that occur once, in alphabetical order.
  if (!StringRef(text).contains("->")) {
    for (size_t dim = ellipsis; dim-- > 0;)
      equation.result += char('0' + dim);
    llvm::sort(all);
    for (char label : all)
      if (llvm::isAlpha(label) && llvm::count(all, label) == 1)
        equation.result += label;
    return equation;
  }
  FailureOr<std::string> labels = readLabels(n, right, -1, ellipsis);
  if (failed(labels))
    return failure();
  for (char label : *labels)
    if (llvm::count(*labels, label) > 1 || !llvm::is_contained(all, label))
      return n.error() << "the result '" << right << "' has a label twice, or one that no operand has";
  equation.result = *labels;
  return equation;
}

/// Returns a term in which each label occurs once. If several dimensions have the same label, the term contains their
/// diagonal: the elements whose indices in these dimensions are equal.
FailureOr<Term> diagonal(NodeContext &n, Term term) {
  Emitter &b = n.b;
  for (size_t first = 0; first < term.labels.size(); ++first) {
    size_t again;
    while ((again = term.labels.find(term.labels[first], first + 1)) != std::string::npos) {
      Shape shape(shapeOf(term.value)), rows(shape.size(), 1), columns(shape.size(), 1);
      if (shape[first] != shape[again])
        return n.error() << "dimension '" << term.labels[first] << "' has different extents, " << shape[first].text()
                         << " and " << shape[again].text();
      rows[first] = columns[again] = shape[first];
      auto [row, column] = b.together(positions(b, rows, first), positions(b, columns, again));
      Value isOn = b.elementwise<arith::CmpIOp>(arith::CmpIPredicate::eq, row, column);
      // Replaces the elements off the diagonal by 0, even if they are infinite or NaN. The sum of a row is then its
      // element on the diagonal.
      Value others = b.select(isOn, term.value, b.splatLike(term.value, 0));
      term.value = b.reduce(Emitter::Reduction::Sum, others, {int64_t(again)}, /*keep=*/false);
      term.labels.erase(again, 1);
    }
  }
  return term;
}

/// Returns the extent of the dimension with this label; 1 if the term does not contain the label.
Dim extentOf(const Term &term, char label) {
  size_t at = term.labels.find(label);
  return at == std::string::npos ? Dim(1) : shapeOf(term.value)[at];
}

/// Transposes the dimensions to the order of `labels`. Labels that the term does not contain become dimensions of
/// extent 1.
Value arranged(Emitter &b, const Term &term, StringRef labels) {
  Numbers permutation;
  Shape shape;
  for (char label : labels) {
    if (size_t at = term.labels.find(label); at != std::string::npos)
      permutation.push_back(at);
    shape.push_back(extentOf(term, label));
  }
  return b.reshape(b.transpose(term.value, permutation), shape);
}

/// Sums over the labels that are not in `kept`.
Term summed(Emitter &b, const Term &term, StringRef kept) {
  Numbers axes;
  Term result;
  for (auto [dim, label] : llvm::enumerate(term.labels)) {
    if (kept.contains(label))
      result.labels += label;
    else
      axes.push_back(dim);
  }
  result.value = b.reduce(Emitter::Reduction::Sum, term.value, axes, /*keep=*/false);
  return result;
}

/// Multiplies both terms and sums over the labels that are not in `kept`. Emits an error if a tensor becomes too large.
FailureOr<Term> product(NodeContext &n, Term left, Term right, StringRef kept) {
  Emitter &b = n.b;
  left = summed(b, left, kept.str() + right.labels);
  right = summed(b, right, kept.str() + left.labels);
  // The labels of batch dimensions, of summed dimensions, of dimensions that only the left term has, and of dimensions
  // that only the right term has.
  std::string batch, inner, rows, columns;
  for (char label : left.labels) {
    bool inBoth = StringRef(right.labels).contains(label);
    (!inBoth ? rows : kept.contains(label) ? batch : inner) += label;
  }
  for (char label : right.labels)
    if (!StringRef(left.labels).contains(label))
      columns += label;
  Term result{batch + rows + columns, {}};
  // A dimension of "..." may have extent 1 in one of the terms.
  auto extents = [&](StringRef labels) {
    Shape shape;
    for (char label : labels) {
      Dim extent = extentOf(left, label);
      shape.push_back(extent.number() == 1 ? extentOf(right, label) : extent);
    }
    return shape;
  };
  for (const std::string &labels : {result.labels, batch + rows + inner, batch + inner + columns})
    if (failed(n.checkShape(extents(labels))))
      return failure();
  if (inner.empty()) {
    result.value = b.mul(arranged(b, left, result.labels), arranged(b, right, result.labels));
    return result;
  }
  auto matrices = [&](const Term &term, const std::string &first, const std::string &last) {
    std::string order = batch + first + last;
    Value value = b.broadcast(arranged(b, term, order), extents(order));
    Shape shape{*countElements(extents(batch)), *countElements(extents(first)), *countElements(extents(last))};
    return b.reshape(value, batch.empty() ? ArrayRef(shape).drop_front() : ArrayRef(shape));
  };
  Value value = b.matmul(matrices(left, rows, inner), matrices(right, inner, columns));
  result.value = b.reshape(value, extents(result.labels));
  return result;
}

LogicalResult convertEinsum(NodeContext &n) {
  FailureOr<Equation> equation = readEquation(n);
  if (failed(equation) || failed(n.requireSameElements(n.operands())))
    return failure();
  if (elementOf(n.in(0)).isInteger(1))
    return n.error() << "arithmetic on bool elements is not supported";
  SmallVector<Term> terms;
  for (auto [labels, operand] : llvm::zip_equal(equation->operands, n.operands())) {
    FailureOr<Term> term = diagonal(n, {labels, operand});
    if (failed(term))
      return failure();
    terms.push_back(std::move(*term));
  }
  llvm::DenseMap<char, Dim> extents;
  for (const Term &term : terms)
    for (auto [label, extent] : llvm::zip_equal(term.labels, shapeOf(term.value))) {
      Dim &known = extents.try_emplace(label, extent).first->second;
      bool isBroadcast = llvm::isDigit(label) && (known.number() == 1 || extent.number() == 1);
      if (!isBroadcast && known != extent)
        return n.error() << "dimension '" << label << "' has different extents, " << known.text() << " and "
                         << extent.text();
      known = known.number() == 1 ? extent : known;
    }
  Term result = terms.front();
  for (size_t i = 1; i < terms.size(); ++i) {
    std::string kept = equation->result;
    for (const Term &later : ArrayRef(terms).drop_front(i + 1))
      kept += later.labels;
    FailureOr<Term> next = product(n, result, terms[i], kept);
    if (failed(next))
      return failure();
    result = std::move(*next);
  }
  result = summed(n.b, result, equation->result);
  return n.yield(arranged(n.b, result, equation->result));
}

} // namespace

void heddle::onnx::addEinsumOps(OpTable &table) { table["Einsum"] = {convertEinsum, 1, variadic, 12}; }
