//===- fuse_elementwise_test.cpp - time of fusing long chains -------------===//

#include "heddle/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

using namespace mlir;

/// Returns the CPU time in seconds for fusing a chain of `length` operations. Checks that the chain becomes few loops
/// of at most 128 operations each.
static double fuseChain(unsigned length) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect, tensor::TensorDialect>();
  std::string text = "func.func @f(%x: tensor<8xf32>, %v0: tensor<8xf32>) -> tensor<8xf32> {\n";
  for (unsigned i = 0; i < length; ++i)
    text += "%v" + std::to_string(i + 1) + " = arith.addf %v" + std::to_string(i) + ", %x : tensor<8xf32>\n";
  text += "return %v" + std::to_string(length) + " : tensor<8xf32>\n}";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  PassManager manager(&context);
  manager.addNestedPass<func::FuncOp>(heddle::createFuseElementwise());
  clock_t begin = clock();
  EXPECT_TRUE(succeeded(manager.run(*module)));
  double seconds = double(clock() - begin) / CLOCKS_PER_SEC;
  unsigned loops = 0, operations = 0;
  module->walk([&](linalg::GenericOp op) {
    ++loops;
    operations += op.getBlock()->getOperations().size() - 1;
    EXPECT_LE(op.getBlock()->getOperations().size(), 128u + 1);
    EXPECT_EQ(op.getNumDpsInputs(), 2);
  });
  EXPECT_EQ(operations, length);
  EXPECT_LE(loops, length / 64 + 1);
  return seconds;
}

/// The time must be linear: a chain that is 16 times as long takes about 16 times as long. Quadratic time would take
/// 256 times as long.
TEST(FuseElementwise, TimeIsLinearInTheLengthOfAChain) {
  double ratio = 1e9;
  for (unsigned i = 0; i < 3; ++i)
    ratio = std::min(ratio, fuseChain(4800) / std::max(fuseChain(300), 1e-6));
  EXPECT_LT(ratio, 64);
}
