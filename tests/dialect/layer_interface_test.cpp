//===- layer_interface_test.cpp - the layer interface ---------------------===//
//
// Ops that are layers of transformers implement LayerOpInterface (LayerOpInterface.td), through which passes query the
// roles of operands, the dimensions that index rows, the residual, and the number of multiply-adds.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Parses a function with one layer, and returns properties of the layer's operands.
struct LayerInterface : testing::Test {
  Runner runner;
  OwningOpRef<ModuleOp> module;

  /// Returns the layer `op` in a function with these arguments. The layer is valid until the next call.
  LayerOpInterface layer(const std::string &arguments, const std::string &op) {
    module = parseSourceString<ModuleOp>("func.func @main(" + arguments + ") { " + op + "\n return }", &runner.context);
    LayerOpInterface found;
    if (module)
      module->walk([&](LayerOpInterface op) { found = op; });
    EXPECT_TRUE(found) << runner.errors;
    return found;
  }
  static std::vector<OperandRole> roles(LayerOpInterface layer) {
    std::vector<OperandRole> result;
    for (OpOperand &operand : layer->getOpOperands())
      result.push_back(layer.getOperandRole(operand));
    return result;
  }
  /// Returns the dimensions of an operand, given by its index, that index rows.
  static SmallVector<unsigned> rows(LayerOpInterface layer, unsigned operand) {
    return layer.getOperandRows(layer->getOpOperand(operand)).dims;
  }
};

using Roles = std::vector<OperandRole>;
using Dims = SmallVector<unsigned>;

const std::string attention = R"(%0 = heddle.attention %q, %k, %v mask(%m) causal(lower_right)
  query_layout(bshd) value_layout(bshd) : (tensor<2x9x4x8xf32>, tensor<2x2x9x8xf32>, tensor<2x9x2x6xf32>,
  tensor<9xi1>) -> tensor<2x4x9x6xf32>)";
const std::string attentionArguments =
    "%q: tensor<2x9x4x8xf32>, %k: tensor<2x2x9x8xf32>, %v: tensor<2x9x2x6xf32>, %m: tensor<9xi1>";
} // namespace

/// The test lists the ops that are not layers. All other ops must implement the interface.
TEST_F(LayerInterface, IsImplementedByEveryLayer) {
  for (RegisteredOperationName op : runner.context.getRegisteredOperations())
    if (op.getDialectNamespace() == "heddle")
      EXPECT_EQ(op.hasInterface<LayerOpInterface>(),
                !llvm::is_contained({"accesses", "checked_index", "dequantize", "dispatch", "dot", "exp2_nonpositive",
                                     "exp_nonpositive", "launch", "lookup", "pair", "pair_dot", "size", "sizes",
                                     "tile_commit", "tile_copy", "tile_product", "tile_wait", "weight", "yield"},
                                    op.stripDialect()))
          << op.getStringRef().str();
}

TEST_F(LayerInterface, AbsentOperandsHaveNoRole) {
  EXPECT_EQ(roles(layer(attentionArguments, attention)),
            (Roles{OperandRole::Query, OperandRole::Key, OperandRole::Value, OperandRole::Mask}));
  EXPECT_EQ(roles(layer("%x: tensor<3x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>",
                        R"(%0 = heddle.ffn %x, %w, %w gate(%w) gate_bias(%b) residual(%x) : (tensor<3x8xf32>,
                           tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<3x8xf32>)
                           -> tensor<3x8xf32>)")),
            (Roles{OperandRole::Input, OperandRole::Weight, OperandRole::Weight, OperandRole::Weight,
                   OperandRole::Bias, OperandRole::Residual}));
}

/// A row has an index in two dimensions: that of the batch entries and that of the positions. The layout determines
/// which dimension of a tensor is that of the positions. A row of the result depends on one row of the query
/// (`rowwise`), but on all rows of the key.
TEST_F(LayerInterface, RowsFollowTheLayouts) {
  LayerOpInterface op = layer(attentionArguments, attention);
  EXPECT_EQ(op.getResultRows(), (Dims{0, 2}));
  EXPECT_EQ(rows(op, 0), (Dims{0, 1}));
  EXPECT_EQ(rows(op, 1), (Dims{0, 2}));
  EXPECT_EQ(rows(op, 2), (Dims{0, 1}));
  EXPECT_EQ(rows(op, 3), Dims());
  EXPECT_TRUE(op.getOperandRows(op->getOpOperand(0)).rowwise);
  EXPECT_FALSE(op.getOperandRows(op->getOpOperand(1)).rowwise);
}

TEST_F(LayerInterface, RowsAreAllDimensionsButTheLast) {
  LayerOpInterface op = layer("%x: tensor<2x3x8xf32>, %w: tensor<8xf32>",
                              R"(%0 = heddle.rms_norm %x scale(%w) residual(%x)
                                 : (tensor<2x3x8xf32>, tensor<8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>)");
  EXPECT_EQ(rows(op, 0), (Dims{0, 1}));
  EXPECT_EQ(rows(op, 1), Dims());
  EXPECT_EQ(rows(op, 2), (Dims{0, 1}));
}

/// A linear layer accepts a residual, which is added to its result. Attention has no residual operand.
TEST_F(LayerInterface, ResidualCanBeSet) {
  LayerOpInterface op = layer("%x: tensor<3x8xf32>, %w: tensor<8x8xf32>",
                              "%0 = heddle.linear %x, %w : (tensor<3x8xf32>, tensor<8x8xf32>) -> tensor<3x8xf32>");
  ASSERT_EQ(op.getResidualPlace(), ResidualPlace::Last);
  EXPECT_TRUE(op.getResidualMutable().empty());
  op.getResidualMutable().assign(op.getInputMutable().get());
  EXPECT_EQ(cast<LinearOp>(op.getOperation()).getResidual(), op.getInputMutable().get());
  EXPECT_TRUE(succeeded(verify(op)));
  LayerOpInterface takesNone = layer(attentionArguments, attention);
  EXPECT_EQ(takesNone.getResidualPlace(), ResidualPlace::None);
  EXPECT_TRUE(takesNone.getResidualMutable().empty());
}

TEST_F(LayerInterface, MultiplyAddsOfAllProductsAreCounted) {
  // With causal, the 9 queries have 1 to 9 keys. There are 2 batch entries, 4 heads, a head size of 8 and values of
  // size 6.
  EXPECT_EQ(layer(attentionArguments, attention).getMultiplyAdds(), 2 * 4 * 45 * (8 + 6));
  // The packed weights have 48 columns, of which the layer uses 40.
  EXPECT_EQ(layer("%x: tensor<3x8xf32>, %u: tensor<3x8x16xf32>, %d: tensor<40x8xf32>, %g: tensor<3x8x16xf32>",
                  R"(%0 = heddle.ffn %x, %u, %d gate(%g) : (tensor<3x8xf32>, tensor<3x8x16xf32>, tensor<40x8xf32>,
                     tensor<3x8x16xf32>) -> tensor<3x8xf32>)")
                .getMultiplyAdds(),
            3 * 40 * (2 * 8 + 8));
  // The number is 0 if a size is dynamic.
  EXPECT_EQ(layer("%x: tensor<?x8xf32>, %w: tensor<8x8xf32>",
                  "%0 = heddle.linear %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>")
                .getMultiplyAdds(),
            0);
}
