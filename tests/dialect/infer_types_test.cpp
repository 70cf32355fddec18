//===- infer_types_test.cpp - result types from operand types -------------===//
//
// An op infers the types of its results. If a dimension of an operand is dynamic, another operand may determine it.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace {
/// Creates operands of given types, and converts inferred types to text.
struct InferTypes : testing::Test {
  Runner runner;
  OpBuilder builder{&runner.context};
  Block block; // outlives the ops that use its arguments
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc());

  InferTypes() { builder.setInsertionPointToStart(module->getBody()); }

  /// Returns a value of the type that the text `type` describes: a new argument of `block`.
  Value value(llvm::StringRef type) {
    return block.addArgument(parseType(type, &runner.context), builder.getUnknownLoc());
  }
  static std::string text(TypeRange types) {
    std::string result;
    llvm::raw_string_ostream os(result);
    llvm::interleaveComma(types, os);
    return result;
  }
};
} // namespace

TEST_F(InferTypes, AttentionRefinesFromAllOperands) {
  heddle::AttentionOp::Properties properties;
  properties.with_weights = builder.getUnitAttr();
  properties.result_layout = heddle::LayoutAttr::get(&runner.context, heddle::Layout::Bshd);
  properties.operandSegmentSizes = {1, 1, 1, 0, 0, 0}; // a query, a key, a value and no optional operands
  OperationState state(builder.getUnknownLoc(), heddle::AttentionOp::getOperationName());
  Value operands[] = {value("tensor<?x4x3x8xf32>"), value("tensor<2x2x?x8xf32>"), value("tensor<?x2x5x6xf32>")};
  SmallVector<Type> types;
  properties.query_layout = properties.key_layout = properties.value_layout =
      heddle::LayoutAttr::get(&runner.context, heddle::Layout::Bhsd);
  ASSERT_TRUE(succeeded(heddle::AttentionOp::inferReturnTypes(&runner.context, std::nullopt, operands, nullptr,
                                                              &properties, {}, types)));
  EXPECT_EQ(text(types), "tensor<2x3x4x6xf32>, tensor<2x4x3x5xf32>");
}

TEST_F(InferTypes, BiasDeterminesTheColumnsOfALinearWithPackedWeight) {
  Value input = value("tensor<?x8xf32>"), packed = value("tensor<2x8x32xf32>");
  Type unknown = heddle::LinearOp::create(builder, builder.getUnknownLoc(), input, packed, Value(), Value(), Value(),
                                       heddle::Activation::None, heddle::RowRoundingAttr()).getType();
  EXPECT_EQ(text(unknown), "tensor<?x?xf32>");
  Value bias = value("tensor<40xf32>"), residual = value("tensor<7x?xf32>");
  Type known = heddle::LinearOp::create(builder, builder.getUnknownLoc(), input, packed, bias, residual, Value(),
                                        heddle::Activation::None, heddle::RowRoundingAttr()).getType();
  EXPECT_EQ(text(known), "tensor<7x40xf32>");
}

TEST_F(InferTypes, ScaleDeterminesTheSizeOfANorm) {
  Value input = value("tensor<?x?xf16>"), scale = value("tensor<8xf16>");
  auto norm = heddle::LayerNormOp::create(builder, builder.getUnknownLoc(), input, scale, Value(), Value(),
                                          builder.getF64FloatAttr(1e-5));
  EXPECT_EQ(text(norm.getType()), "tensor<?x8xf16>");
}

TEST_F(InferTypes, WrongRanksFailWithoutACrash) {
  Value matrix = value("tensor<2x2xf32>");
  Value operands[] = {matrix, matrix, matrix};
  heddle::AttentionOp::Properties properties;
  properties.operandSegmentSizes = {1, 1, 1, 0, 0, 0};
  SmallVector<Type> types;
  EXPECT_TRUE(failed(heddle::AttentionOp::inferReturnTypes(&runner.context, builder.getUnknownLoc(), operands, nullptr,
                                                           &properties, {}, types)));
  EXPECT_EQ(runner.errors, "query, key and value must have rank 4 (C1)\n");
}
