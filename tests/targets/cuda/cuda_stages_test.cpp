//===- cuda_stages_test.cpp - loops over tiles with stages ----------------===//
//
// Linear layers whose tiles have 1 to 4 buffers give the same bits. Each fault
// that is put into a loop with stages, or into the code of matrix instructions,
// is an error of the PTX interpreter, which names the kernel and the line.
//
//===----------------------------------------------------------------------===//

#include "KernelFaults.h"

#include "random/CaseCount.h"

#include "Heddle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <array>
#include <random>

using namespace heddle;
using namespace mlir;

constexpr unsigned numStageGroups = 2;

using CudaStages = OnInterpreter<QuotedOperations>;

TEST_P(CudaStages, GiveTheSameBits) {
  std::mt19937 random(5 + GetParam());
  auto number = [&](int low, int high) {
    return std::to_string(std::uniform_int_distribution<int>(low, high)(random));
  };
  for (unsigned i = 0; i < caseCount(5); ++i) {
    // The contraction may have fewer steps than stages, and its last step may be partial.
    std::string operation = "linear m=" + number(1, 200) + " n=" + number(1, 200) + " k=" + number(1, 150) + " bias=1";
    operation += std::array{"", " type=bf16", " rounding=f16 weights=constant"}[i % 3];
    SCOPED_TRACE(operation);
    std::vector<std::vector<std::vector<char>>> results;
    for (int stages = 1; stages <= 4; ++stages) {
      strategy = "linear=linear-tiles:stages=" + std::to_string(stages);
      auto model = importModel(context, operation);
      ASSERT_TRUE(succeeded(model));
      auto inputs = *randomInputs(model->module->lookupSymbol<func::FuncOp>("main"), i + 1);
      std::unique_ptr<Session> session = compileAndLoad(std::move(*model));
      ASSERT_TRUE(session);
      results.push_back(callWith(*session, inputs, nullptr));
      EXPECT_EQ(results.front(), results.back()) << "with " << stages << " stages";
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Random, CudaStages, testing::Range(0u, numStageGroups));

namespace {

struct CudaStageFaults : KernelFaults {
  std::string operation = "linear m=64 n=64 k=100";

  /// Makes the fault in `operation`, a layer whose tiles have three buffers.
  void expectNamed(Stage stage, function_ref<void(ModuleOp)> change, StringRef instruction, StringRef reason) {
    strategy = "linear=linear-tiles:stages=3";
    KernelFaults::expectNamed(operation, stage, change, instruction, reason);
  }
};

constexpr const char notComplete[] = "the destination of an async copy that is not complete";

} // namespace

TEST_F(CudaStageFaults, WaitForOneGroupTooFew) {
  auto change = [](ModuleOp module) { module.walk([](TileWaitOp wait) { wait.setPending(wait.getPending() + 1); }); };
  expectNamed(Stage::Dispatch, change, "ld.shared", notComplete);
}

TEST_F(CudaStageFaults, NoWait) {
  auto change = [](ModuleOp module) { eraseAll<NVVM::CpAsyncWaitGroupOp>(module); };
  expectNamed(Stage::LLVM, change, "ld.shared", notComplete);
}

TEST_F(CudaStageFaults, NoBarrier) {
  auto change = [](ModuleOp module) { eraseAll<NVVM::Barrier0Op>(module); };
  expectNamed(Stage::LLVM, change, "ld.shared", "which thread");
}

/// With one buffer for each tile, nothing but barriers orders copies and products.
TEST_F(CudaStageFaults, NoBarrierWithOneBuffer) {
  strategy = "linear=linear-tiles:stages=1";
  auto change = [](ModuleOp module) { eraseAll<NVVM::Barrier0Op>(module); };
  KernelFaults::expectNamed(operation, Stage::LLVM, change, "ld.shared", "no barrier orders the two accesses");
}

TEST_F(CudaStageFaults, CopiesToTheStageThatIsRead) {
  auto change = [](ModuleOp module) {
    module.walk([](TileCopyOp copy) {
      auto stage = copy.getTile().getDefiningOp<memref::SubViewOp>();
      if (!copy->getParentOfType<scf::ForOp>())
        return;
      // The copy goes to the buffer two after that of the step. With three buffers, the next one is the buffer of the
      // step itself.
      OpBuilder b(stage);
      Location loc = stage.getLoc();
      auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
      Value &&next = arith::AddIOp::create(b, loc, stage.getDynamicOffset(0), constant(1));
      stage.getOffsetsMutable().assign(Value(arith::RemUIOp::create(b, loc, next, constant(3))));
    });
  };
  expectNamed(Stage::Dispatch, change, "ld.shared", notComplete);
}

TEST_F(CudaStageFaults, NoCommitInTheLoop) {
  auto change = [](ModuleOp module) {
    eraseAll<TileCommitOp>(module, [](TileCommitOp op) { return bool(op->getParentOfType<scf::ForOp>()); });
  };
  expectNamed(Stage::Dispatch, change, "ld.shared", notComplete);
}

namespace {

/// A layer whose left factor is rounded on its way through registers, and whose right factor is copied asynchronously.
struct CudaMatrixFaults : CudaStageFaults {
  CudaMatrixFaults() { operation = "linear m=64 n=64 k=100 rounding=bf16 weights=constant"; }
};

} // namespace

TEST_F(CudaMatrixFaults, WaitForOneGroupTooFew) {
  auto change = [](ModuleOp module) { module.walk([](TileWaitOp wait) { wait.setPending(wait.getPending() + 1); }); };
  expectNamed(Stage::Dispatch, change, "ldmatrix", notComplete);
}

TEST_F(CudaMatrixFaults, NoBarrier) {
  auto change = [](ModuleOp module) { eraseAll<NVVM::Barrier0Op>(module); };
  expectNamed(Stage::LLVM, change, "ldmatrix", "which thread");
}

/// The last block has rows that are not in the source.
TEST_F(CudaMatrixFaults, CopiesBeyondTheEnd) {
  operation = "linear m=50 n=64 k=104 type=bf16";
  auto change = [](ModuleOp module) { module.walk([](TileCopyOp copy) { copy.getValidMutable().clear(); }); };
  expectNamed(Stage::Dispatch, change, "cp.async", "outside");
}
