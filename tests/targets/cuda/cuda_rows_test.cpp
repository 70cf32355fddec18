//===- cuda_rows_test.cpp - softmax and norms with rows in registers ------===//
//
// Verifies rows of special sizes and with special values. Other tests put a
// fault into the code, which the PTX interpreter must report with the kernel and
// the line. Random sizes are in cuda_tiles_test.cpp.
//
//===----------------------------------------------------------------------===//

#include "KernelFaults.h"

#include "Heddle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <cmath>
#include <limits>

using namespace heddle;
using namespace mlir;

namespace {

struct CudaRows : OnInterpreter<QuotedOperations> {
  /// Checks a quoted operation with a strategy. `change` changes the elements of its first input.
  void checkWith(
      StringRef operation, StringRef chosen,
      function_ref<void(MutableArrayRef<double>)> change = [](MutableArrayRef<double>) {}) {
    strategy = chosen.str();
    check(operation, [&](func::FuncOp main) {
      auto inputs = *randomInputs(main, 7);
      change(inputs.front().mutableFloats());
      return inputs;
    });
  }
};

/// An operation, its strategy, and a strategy with which several warps share a row of 512 elements.
struct Layer {
  const char *op, *strategy, *shared;
};
constexpr Layer layers[] = {
    {"softmax", "softmax=softmax-row-tiles", "softmax=softmax-row-tiles:warp_columns=256"},
    {"layer_norm", "layer_norm=layer-norm-row-tiles", "layer_norm=layer-norm-row-tiles:warp_columns=256"},
    {"rms_norm", "rms_norm=rms-norm-row-tiles", "rms_norm=rms-norm-row-tiles:warp_columns=256"}};

struct CudaRowFaults : KernelFaults {
  /// Makes the fault in a softmax of rows that are shorter than their tile; each warp of a workgroup has a row.
  void expectNamed(Stage stage, function_ref<void(ModuleOp)> change, StringRef instruction, StringRef reason) {
    strategy = "softmax=softmax-row-tiles:min_blocks=32";
    KernelFaults::expectNamed("softmax rows=64 d=100", stage, change, instruction, reason);
  }
};

/// Finds the branches to code that accesses vectors with operations of type OpTy, and makes these branches
/// unconditional. There must be at least one. Only accesses to global memory use vectors; the elements of a lane are
/// accessed one by one.
template <typename OpTy> void removeGuards(ModuleOp module) {
  unsigned count = 0;
  module.walk([&](LLVM::CondBrOp branch) {
    bool isGuard = llvm::any_of(branch.getTrueDest()->getOps<OpTy>(), [](OpTy op) {
      Type type = op->getNumResults() ? op->getResult(0).getType() : op->getOperand(0).getType();
      return isa<VectorType>(type);
    });
    if (!isGuard)
      return;
    ++count;
    OpBuilder b(branch);
    branch.getConditionMutable().assign(
        LLVM::ConstantOp::create(b, branch.getLoc(), b.getI1Type(), b.getBoolAttr(true)));
  });
  EXPECT_GT(count, 0u);
}

} // namespace

TEST_F(CudaRows, OneRowOrOneColumn) {
  for (const Layer &layer : layers)
    for (const char *extents : {" rows=1 d=1", " rows=700 d=1", " rows=1 d=3", " rows=1 d=4096", " rows=2 d=4095"})
      checkWith(std::string(layer.op) + extents, layer.strategy);
}

/// Each lane has several rows. It loads the scale and bias, which the rows share, before the rows, or column by column
/// if they do not fit into registers. The last block is not full, and neither is the last chunk of a row.
TEST_F(CudaRows, SeveralOfALane) {
  for (const Layer &layer : layers)
    for (const char *type : {"f32", "bf16"})
      for (const char *extents : {" rows=261 d=100", " rows=261 d=1003", " rows=131 d=1000", " rows=70 d=2046"})
        checkWith(std::string(layer.op) + extents + " type=" + type,
                  std::string(layer.strategy) + ":min_blocks=32,warps=1");
}

TEST_F(CudaRows, WithNaNAndInfinity) {
  constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  constexpr int64_t columns = 512;
  // Each row is a case. The last row keeps its random elements: other rows must not affect it.
  auto change = [&](MutableArrayRef<double> x) {
    auto row = [&](int64_t number) { return x.slice(number * columns, columns); };
    row(0)[300] = nan;
    row(1)[0] = infinity;
    row(2)[columns - 1] = -infinity;
    row(3)[7] = infinity;
    row(3)[8] = -infinity;
    llvm::fill(row(4), -infinity);
    llvm::fill(row(5), infinity);
    llvm::fill(row(6), nan);
    llvm::fill(row(7), -0.0);
    // The exponentials of elements near -1000 are 0, but not those of their differences from the maximum. All bf16
    // numbers near -1000 are multiples of 4.
    for (double &element : row(8))
      element = 4 * std::round(element) - 1000;
  };
  for (const Layer &layer : layers)
    for (const char *chosen : {layer.strategy, layer.shared})
      for (const char *type : {"f32", "bf16", "f16"})
        checkWith(std::string(layer.op) + " rows=10 d=512 type=" + type, chosen, change);
}

TEST_F(CudaRowFaults, ReadsBehindTheRow) {
  auto change = [](ModuleOp module) { removeGuards<LLVM::LoadOp>(module); };
  expectNamed(Stage::LLVM, change, "ld.global", "outside its 25600 bytes");
}

TEST_F(CudaRowFaults, WritesBehindTheRow) {
  auto change = [](ModuleOp module) { removeGuards<LLVM::StoreOp>(module); };
  expectNamed(Stage::LLVM, change, "st.global", "no barrier orders the two accesses");
}

TEST_F(CudaRowFaults, WarpsComputeTheSameRow) {
  auto change = [](ModuleOp module) {
    unsigned count = 0;
    module.walk([&](LLVM::UDivOp warp) {
      ++count;
      OpBuilder b(warp);
      warp.getResult().replaceAllUsesWith(
          LLVM::ConstantOp::create(b, warp.getLoc(), warp.getType(), b.getIntegerAttr(warp.getType(), 0)));
    });
    EXPECT_GT(count, 0u);
  };
  expectNamed(Stage::LLVM, change, "st.global", "no barrier orders the two accesses");
}

TEST_F(CudaRowFaults, LanesAreMissingInAnExchange) {
  auto change = [](ModuleOp module) {
    module.walk([](NVVM::ShflOp shuffle) {
      OpBuilder b(shuffle);
      Value lanes = LLVM::ConstantOp::create(b, shuffle.getLoc(), b.getI32Type(), b.getI32IntegerAttr(0xffff));
      shuffle.getThreadMaskMutable().assign(lanes);
    });
  };
  expectNamed(Stage::LLVM, change, "shfl.sync", "executes the instruction, but is not in the mask");
}

TEST_F(CudaRowFaults, NoBarrierBetweenWarpsOfARow) {
  strategy = "softmax=softmax-row-tiles";
  auto change = [](ModuleOp module) { eraseAll<NVVM::Barrier0Op>(module); };
  KernelFaults::expectNamed("softmax rows=3 d=4096", Stage::LLVM, change, "ld.shared",
                            "no barrier orders the two accesses");
}
