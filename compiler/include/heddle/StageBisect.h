//===- StageBisect.h - which stage made a result wrong ----------*- C++ -*-===//
//
// The interpreter runs the module after every stage down to `loops`. Up to
// `kernels` it judges @main by the reference of the imported module. From then on
// each distinct kernel is judged by itself: it gets the inputs that its first call
// had, and @main the results that its calls had, at stage `kernels`. So nothing is
// wrong because of something else, and the first stage at which a kernel (or @main:
// what is passed where) differs is the one that made it so.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_STAGEBISECT_H
#define HEDDLE_STAGEBISECT_H

#include "heddle/Stages.h"
#include "heddle/Verify.h"

#include "llvm/ADT/StringSet.h"

namespace heddle {

/// What came of one output of a kernel after one stage.
struct StageJudgement {
  Stage stage;
  std::string kernel;    // the function's name
  std::string operation; // what it computes, empty for @main
  Comparison comparison;

  /// One line for people. Where it fails: the first element that differs.
  std::string text() const;
};

class StageBisect {
public:
  /// `reference` is that of the imported module for `inputs`, `seed` decides the order of tasks. `weights` must
  /// outlive this.
  StageBisect(llvm::ArrayRef<Tensor> inputs, Reference reference, const WeightStore &weights, uint64_t seed);

  /// Judges the module after a stage, each stage after the one before it. What failed is not judged again.
  /// Failure only for a module that no stage leaves behind, with an error.
  mlir::LogicalResult judge(Stage stage, mlir::ModuleOp module);

  llvm::ArrayRef<StageJudgement> judgements() const { return results; }
  bool ok() const { return failures.empty(); }

private:
  /// A call of @main at stage `kernels`; a weight that a stage packs is replaced.
  struct Call {
    std::string callee;
    llvm::SmallVector<Tensor> operands, results;
    llvm::SmallVector<bool> isWeight;
  };
  struct Kernel {
    std::string operation;
    Reference reference;
  };
  class Replay;

  void judgeMain(Stage stage, mlir::func::FuncOp main);
  mlir::LogicalResult capture(mlir::func::FuncOp main);
  void note(Stage stage, llvm::StringRef kernel, Comparison comparison);
  void noteError(Stage stage, llvm::StringRef kernel, llvm::StringRef error);
  bool hasFailed(llvm::StringRef kernel) const { return failures.contains(kernel); }

  llvm::SmallVector<Tensor> inputs;
  Reference reference;
  const WeightStore &store;
  WeightSource weights;
  uint64_t seed;
  std::vector<Call> calls;
  llvm::StringMap<Kernel> kernels;
  std::vector<std::string> outputNames;
  llvm::SmallVector<Tensor> outputs; // of @main at stage `kernels`, as its types hold them
  std::vector<StageJudgement> results;
  llvm::StringSet<> failures;
};

} // namespace heddle

#endif // HEDDLE_STAGEBISECT_H
