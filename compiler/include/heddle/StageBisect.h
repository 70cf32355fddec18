//===- StageBisect.h - finds the stage that changed results -----*- C++ -*-===//
//
// The interpreter runs the module after every stage up to `loops`. Up to stage `kernels`, the results of @main are
// compared with the reference of the imported module. After later stages, each function is compared by itself: a kernel
// runs on the inputs that its first call had at stage `kernels`, and when @main runs, the calls of kernels return the
// results that they had at that stage. Errors therefore do not propagate from one function to another. The first stage
// after which a kernel (or @main, which passes values to kernels) differs is the stage that made it wrong.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_STAGEBISECT_H
#define HEDDLE_STAGEBISECT_H

#include "heddle/Stages.h"
#include "heddle/Verify.h"

#include "llvm/ADT/StringSet.h"

namespace heddle {

/// The comparison of one output of a kernel after one stage.
struct StageJudgement {
  Stage stage;
  std::string kernel;    // the name of the function
  std::string operation; // the operation that the kernel computes; empty for @main
  Comparison comparison;

  /// One line of text. If the comparison failed, the line describes the first element that differs, or says why there
  /// was nothing to compare.
  std::string text() const;
};

/// Compares the results of a module after each stage, as described above.
class StageBisect {
public:
  /// `reference` is the reference of the imported module for `inputs`. `seed` determines the random order in which the
  /// interpreter runs parallel iterations and tasks. `weights` must outlive this object.
  StageBisect(llvm::ArrayRef<Tensor> inputs, Reference reference, const WeightStore &weights, uint64_t seed);

  /// Compares the results of the module after a stage with their references. Must be called in the order of the stages.
  /// A function whose comparison failed is not compared again. Returns failure if the module has no function @main.
  /// Also emits an error and returns failure if @main cannot be interpreted at stage `kernels`, or if the results of
  /// its calls need more memory than is available.
  mlir::LogicalResult judge(Stage stage, mlir::ModuleOp module);

  llvm::ArrayRef<StageJudgement> judgements() const { return results; }
  bool ok() const { return failures.empty(); }

private:
  /// A call that @main makes at stage `kernels`. `isWeight` marks operands that are weights. If a later stage packs a
  /// weight, the packed weight replaces it in `operands`.
  struct Call {
    std::string callee;
    llvm::SmallVector<Tensor> operands, results;
    llvm::SmallVector<bool> isWeight;
  };
  /// A kernel, and the reference for the inputs of its first call.
  struct Kernel {
    std::string operation; // StageJudgement::operation
    Reference reference;
  };
  class Replay;

  void judgeMain(Stage stage, mlir::func::FuncOp main);
  /// Interprets @main at stage `kernels`, and stores the operands and results of each call.
  mlir::LogicalResult capture(mlir::func::FuncOp main);
  /// Adds a comparison of an output of `kernel`, or a failed comparison with the text of an error, to the results.
  void note(Stage stage, llvm::StringRef kernel, Comparison comparison);
  void noteError(Stage stage, llvm::StringRef kernel, llvm::StringRef error);
  bool hasFailed(llvm::StringRef kernel) const { return failures.contains(kernel); }

  llvm::SmallVector<Tensor> inputs;
  Reference reference;
  const WeightStore &store;
  WeightSource weights;
  uint64_t seed;
  std::vector<Call> calls; // in the order in which @main makes them
  llvm::StringMap<Kernel> kernels;
  std::vector<std::string> outputNames;
  llvm::SmallVector<Tensor> outputs; // results of @main at stage `kernels`, rounded to their types
  std::vector<StageJudgement> results;
  llvm::StringSet<> failures; // the functions with a failed comparison
};

} // namespace heddle

#endif // HEDDLE_STAGEBISECT_H
