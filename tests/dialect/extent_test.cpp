//===- extent_test.cpp - symbolic lengths ---------------------------------===//

#include "Extent.h"

#include "Heddle.h"
#include "Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace heddle;

namespace {
/// A module with a function of one index argument. Two sizes lie in ranges: `s` in 1..9 with the placeholder 4001, and
/// `t` in 0..5 with the placeholder 4003.
struct Extents : testing::Test {
  Extents() : b(&context), loc(b.getUnknownLoc()), module(ModuleOp::create(loc)) {
    context.loadDialect<HeddleDialect, arith::ArithDialect, func::FuncDialect>();
    notes::sizes.set(*module, SizeRanges{{"s", 1, 9, 4001}, {"t", 0, 5, 4003}});
    b.setInsertionPointToEnd(module->getBody());
    auto function = func::FuncOp::create(b, loc, "f", b.getFunctionType(b.getIndexType(), {}));
    block = function.addEntryBlock();
    b.setInsertionPointToEnd(block);
  }
  /// Returns the names of the operations that were created since the last call.
  std::string created() {
    std::string names;
    for (Operation &op : llvm::drop_begin(*block, count))
      names += (names.empty() ? "" : " ") + op.getName().stripDialect().str();
    count = block->getOperations().size();
    return names;
  }

  MLIRContext context;
  OpBuilder b;
  Location loc;
  OwningOpRef<ModuleOp> module;
  Block *block;     // the body of the function
  size_t count = 0; // the number of operations in `block` at the end of the last call of created()
};
} // namespace

TEST_F(Extents, AConstantIsTheSameInAllCalls) {
  Extent extent = 22;
  EXPECT_TRUE(extent.isFixed());
  EXPECT_EQ(extent.number(), 22);
  EXPECT_EQ(extent.inTypes(), 22);
  EXPECT_EQ(extent.low(), 22);
  EXPECT_EQ(extent.high(), 22);
  EXPECT_EQ(getConstantIntValue(extent.emit(b, loc)), 22);
  EXPECT_EQ(extent.emitOnce(b, loc).number(), 22);
  EXPECT_EQ(created(), "");
  EXPECT_EQ(getConstantIntValue(extent.emitValue(b, loc)), 22);
  EXPECT_EQ(created(), "constant");
  EXPECT_EQ(Extent(OpFoldResult(b.getIndexAttr(22))).number(), 22);
}

TEST_F(Extents, WholeStepsAndTheRestCoverTheExtent) {
  for (int64_t number : {0, 1, 7, 8, 9, 22})
    for (int64_t step : {1, 3, 8}) {
      Extent extent = number;
      EXPECT_EQ(extent.wholeSteps(step) % step, 0);
      EXPECT_EQ(extent.wholeSteps(step) + extent.rest(step), number);
      EXPECT_EQ(extent.steps(step), extent.wholeSteps(step) / step + (extent.rest(step) > 0));
      EXPECT_LT(extent.rest(step), step);
    }
}

TEST_F(Extents, EmitCreatesTheOperationsOfAProduct) {
  Extent extent = Sizes(*module).of(3 * 4001 * 4003);
  EXPECT_FALSE(extent.isFixed());
  EXPECT_EQ(extent.inTypes(), 3 * 4001 * 4003);
  EXPECT_EQ(extent.factor(), 3);
  EXPECT_EQ(extent.low(), 0);
  EXPECT_EQ(extent.high(), 3 * 9 * 5);
  EXPECT_TRUE(isa<Value>(extent.emit(b, loc)));
  EXPECT_EQ(created(), "size size muli constant muli");
  EXPECT_TRUE(isa<Value>(Sizes(*module).of(4001).emit(b, loc)));
  EXPECT_EQ(created(), "size");
}

TEST_F(Extents, EmitOnceCreatesTheOperationsOnce) {
  Extent extent = Sizes(*module).of(2 * 4001).emitOnce(b, loc);
  EXPECT_EQ(created(), "size constant muli");
  EXPECT_FALSE(extent.isFixed());
  EXPECT_TRUE(ShapedType::isDynamic(extent.inTypes()));
  EXPECT_EQ(extent.low(), 2); // the bounds do not change
  EXPECT_EQ(extent.high(), 18);
  EXPECT_EQ(extent.emitValue(b, loc), extent.emitValue(b, loc));
  EXPECT_EQ(extent.emitOnce(b, loc).emitValue(b, loc), extent.emitValue(b, loc));
  EXPECT_EQ(created(), "");
}

TEST_F(Extents, ARunTimeValueHasNoUpperBound) {
  Value argument = block->getArgument(0);
  for (const Extent &extent : {Extent(argument), Extent(OpFoldResult(argument))}) {
    EXPECT_FALSE(extent.isFixed());
    EXPECT_TRUE(ShapedType::isDynamic(extent.inTypes()));
    EXPECT_EQ(extent.low(), 0);
    EXPECT_EQ(extent.high(), INT64_MAX);
    EXPECT_EQ(extent.emitValue(b, loc), argument);
  }
  EXPECT_EQ(created(), "");
}
