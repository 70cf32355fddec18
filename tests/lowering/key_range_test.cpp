//===- key_range_test.cpp - the keys that a block of queries sees ---------===//
//
// Compares the ranges of keys for blocks of queries with the definition of
// heddle.attention: which keys causal order, windows and key lengths remove.
//
//===----------------------------------------------------------------------===//

#include "attention/KeyRange.h"

#include "heddle/Registry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace heddle;

namespace {

/// The attributes and operands of heddle.attention that remove keys by position. If `left` or `right` is negative, the
/// window has no limit on this side. If `length` is negative, the operation has no key lengths.
struct Positions {
  Causal causal;
  int64_t left, right, length;

  /// Returns the attributes and operands of the op in the assembly format.
  std::string print() const {
    auto extent = [](int64_t number) { return number < 0 ? "*" : std::to_string(number); };
    std::string text = length < 0 ? "" : " key_lengths(%lengths)";
    if (causal != Causal::None)
      text += " causal(" + stringifyCausal(causal).str() + ")";
    if (left >= 0 || right >= 0)
      text += " window(" + extent(left) + ", " + extent(right) + ")";
    return text;
  }
  /// Returns whether query i of `queries` sees key j of `keys`.
  bool sees(int64_t i, int64_t j, int64_t queries, int64_t keys) const {
    int64_t valid = length < 0 ? keys : std::min(length, keys);
    int64_t position = causal == Causal::UpperLeft ? i : i + valid - queries;
    return j < valid && (causal == Causal::None || j <= position) && (left < 0 || j >= position - left) &&
           (right < 0 || j <= position + right);
  }
};

struct KeyRanges : testing::Test {
  KeyRanges() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  /// Checks the ranges of all blocks of `rows` queries.
  void check(const Positions &positions, int64_t queries, int64_t keys, int64_t rows);

  MLIRContext context;
};

/// Returns the value of an index or flag that is computed from constants by comparisons and disjunctions.
int64_t evaluate(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant;
  auto operand = [&](unsigned i) { return evaluate(value.getDefiningOp()->getOperand(i)); };
  if (value.getDefiningOp<arith::OrIOp>())
    return operand(0) | operand(1);
  auto compare = cast<arith::CmpIOp>(value.getDefiningOp());
  return arith::applyCmpPredicate(compare.getPredicate(), APInt(64, operand(0), true), APInt(64, operand(1), true));
}

} // namespace

void KeyRanges::check(const Positions &positions, int64_t queries, int64_t keys, int64_t rows) {
  auto tensor = [](int64_t count) { return "tensor<1x1x" + std::to_string(count) + "x4xf32>"; };
  std::string types = tensor(queries) + ", " + tensor(keys) + ", " + tensor(keys);
  std::string text = "func.func @f(%q: " + tensor(queries) + ", %k: " + tensor(keys) + ") -> " + tensor(queries) +
                     " {\n  %lengths = arith.constant dense<" + std::to_string(std::max<int64_t>(positions.length, 0)) +
                     "> : tensor<1xi64>\n  %0 = heddle.attention %q, %k, %k" + positions.print() + " : (" + types +
                     (positions.length < 0 ? "" : ", tensor<1xi64>") + ") -> " + tensor(queries) + "\n  return %0 : " +
                     tensor(queries) + "\n}";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module) << text;
  AttentionOp op;
  module->walk([&](AttentionOp found) { op = found; });
  TileBuilder b(op.getLoc(), OpBuilder(op));
  auto number = [](Value value) { return getConstantIntValue(value).value_or(INT64_MIN); };
  for (int64_t first = 0; first < queries; first += rows) {
    SCOPED_TRACE("block of " + std::to_string(rows) + " from query " + std::to_string(first) + " on\n" + text);
    KeyRange range = KeyRange::emit(b, op, queries, keys, {b.index(0), b.index(first), rows});
    ASSERT_NE(number(range.end), INT64_MIN);
    EXPECT_GE(number(range.begin), 0);
    EXPECT_LE(number(range.end), keys);
    for (int64_t firstKey = 0; firstKey < keys; firstKey += 2) {
      bool seesAll = true;
      for (int64_t i = first; i < std::min(first + rows, queries); ++i)
        seesAll &= positions.sees(i, firstKey, queries, keys) && positions.sees(i, firstKey + 1, queries, keys);
      if (!seesAll)
        EXPECT_TRUE(evaluate(range.emitIsEdge(b, b.index(firstKey), 2))) << "keys from " << firstKey;
      else if (first + rows <= queries) // otherwise, the missing queries of the block may cause an edge
        EXPECT_FALSE(evaluate(range.emitIsEdge(b, b.index(firstKey), 2))) << "keys from " << firstKey;
    }
    for (int64_t i = first; i < std::min(first + rows, queries); ++i)
      for (int64_t j = 0; j < keys; ++j) {
        bool isSeen = positions.sees(i, j, queries, keys);
        bool isBelowEnd = j < number(range.length);
        bool isAbove = range.removeAbove && j > i + number(range.removeAbove);
        bool isBelow = range.removeBelow && j < i + number(range.removeBelow);
        EXPECT_EQ(isSeen, isBelowEnd && !isAbove && !isBelow) << "query " << i << ", key " << j;
        if (isSeen)
          EXPECT_TRUE(j >= number(range.begin) && j < number(range.end)) << "query " << i << ", key " << j;
        else
          EXPECT_FALSE(j >= number(range.fullBegin) && j < number(range.fullEnd)) << "query " << i << ", key " << j;
        // A block of one query sees all keys of its range.
        if (rows == 1 && j >= number(range.begin) && j < number(range.end))
          EXPECT_TRUE(isSeen) << "query " << i << ", key " << j;
      }
  }
}

TEST_F(KeyRanges, AreThoseOfTheDefinition) {
  for (Causal causal : {Causal::None, Causal::LowerRight, Causal::UpperLeft})
    for (int64_t left : {-1, 0, 3, 20})
      for (int64_t right : {-1, 0, 2, 20})
        for (int64_t length : {-1, 0, 5, 7, 9})
          for (auto [queries, keys] : {std::pair<int64_t, int64_t>{7, 7}, {3, 9}, {10, 4}})
            for (int64_t rows : {1, 4, 16})
              check({causal, left, right, length}, queries, keys, rows);
}
