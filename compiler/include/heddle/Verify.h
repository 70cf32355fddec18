//===- Verify.h - when a result is right ------------------------*- C++ -*-===//
//
// The reference is the interpreter in f64. The bound of a floating-point output
// is 4 x the largest error the same interpreter makes in f32, plus 1e-6 x the
// largest magnitude of the reference. Of f16 and bf16 it is 4 x the error where
// each operation rounds to that type, plus the type's last digit x the magnitude;
// of f64, 2^-29 x the bound of the same computation in f32. NaN and infinities
// must be in the same places (or where the interpreter has them in f32, being of
// what f32 cannot hold); integers and booleans must be equal.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_VERIFY_H
#define HEDDLE_VERIFY_H

#include "heddle/WeightStore.h"
#include "interpreter/Interpreter.h"

#include <string>

namespace heddle {

/// What the interpreter says a function yields, in both precisions.
struct Reference {
  llvm::SmallVector<Tensor> wide; // F64: the reference
  /// Precision::F32 (of f64 results Precision::Single): how far a computation with fewer digits is from it.
  llvm::SmallVector<Tensor> narrow;
};

using WeightSource = std::function<mlir::FailureOr<Tensor>(WeightOp)>;

/// The weights of a model for the interpreter: each recipe is evaluated once. `store` must outlive
/// the result.
WeightSource weightsFrom(const WeightStore &store);

/// Interprets `function` twice, with results of f64 three times. Errors are emitted at the op that caused them.
mlir::FailureOr<Reference> computeReference(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> inputs,
                                            const WeightSource &weights);

/// Bytes that judging `function` on so many sets of inputs takes: the inputs and both references of all, and one
/// interpretation or call at a time. So many calls hold inputs and outputs of their own.
uint64_t judgingBytes(mlir::func::FuncOp function, uint64_t sets, uint64_t calls = 1);

/// Inputs for every argument of `function`, the same for the same seed on every machine: floats
/// are standard normal, integers uniform within `heddle.range` (0 or 1 without), masks keep at
/// least the first entry of each line, and an integer input called *mask is ones, then zeros.
/// Failure, with an error, for types or shapes that this does not cover.
mlir::FailureOr<llvm::SmallVector<Tensor>> randomInputs(mlir::func::FuncOp function, uint64_t seed);

/// Inputs and what they are called.
struct InputCase {
  std::string name;
  llvm::SmallVector<Tensor> inputs;
};

/// Inputs that kernels find hard, as far as they concern what the arguments of `function` are
/// for: huge, tiny and denormal numbers, large and equal scores, one dominant score, rows that
/// are masked, removed, NaN or infinite, rows without variance, values that are not finite at
/// keys that are removed. The same for the same seed everywhere. Errors as of randomInputs.
mlir::FailureOr<std::vector<InputCase>> adversarialInputs(mlir::func::FuncOp function, uint64_t seed);
/// How many these are, without making them.
unsigned countAdversarialInputs(mlir::func::FuncOp function);

/// Takes from the comparison what the interpreter in f32 cannot hold on the way although the
/// reference is finite: such elements become NaN in all three. Of f64, whose reference is no wider, and `finite` inputs
/// also what neither holds: NaN or which infinity is then a matter of the order of sums. Returns how many.
int64_t dropOverflows(Tensor &actual, Reference &reference, unsigned output, bool finite = false);

/// Takes from the comparison what overflows in f32 and not in f64, in code as in the interpreter: such elements, NaN or
/// infinite in the same way, become NaN in all three. Returns how many.
int64_t dropSharedOverflows(Tensor &actual, Reference &reference, unsigned output);

/// An element that is not what it should be.
struct Difference {
  llvm::SmallVector<int64_t> where;
  double actual, reference;
};

/// The outcome of comparing one output. It is right only where error <= bound holds, so a NaN in
/// either fails.
struct Comparison {
  std::string output;  // name
  std::string against; // "interpreter" or "expected"
  llvm::SmallVector<int64_t> shape;
  std::string elementType;
  bool ok = false;
  double error = 0;                 // the largest, over finite elements
  llvm::SmallVector<int64_t> where; // index of that error, or of the first misplaced NaN or infinity
  double actual = 0, reference = 0; // the elements there
  double bound = 0;
  double narrowError = 0;           // of the interpreter in fewer digits
  double magnitude = 0;             // largest finite |reference|
  bool exact = false;               // integers: the bound is 0
  std::optional<Difference> first;  // the first element beyond the bound or with NaN or infinity misplaced
  std::string problem;              // why not ok, where it is not error > bound; empty otherwise

  /// One line for people: shape, max abs error, the bound and where it came from, ok or FAIL.
  std::string text() const;
};

/// Judges `actual` by the interpreter: `wide` and `narrow` are its results for that output. Its error in fewer digits
/// counts as `leastError` at least.
Comparison compare(llvm::StringRef output, const Tensor &actual, const Tensor &wide, const Tensor &narrow,
                   double leastError = 0);

/// Judges `actual` by a given tensor with the same bound. (A file that stores f32 is off by half a
/// unit in the last place of f32, 6e-8 x magnitude: well inside the bound's second term.)
Comparison compareExpected(llvm::StringRef output, const Tensor &actual, const Tensor &expected, const Tensor &wide,
                           const Tensor &narrow);

/// The name of result i of `function`: `heddle.name`, else "output<i>" (and of argument i: "input<i>").
std::string resultName(mlir::func::FuncOp function, unsigned i);
std::string argumentName(mlir::func::FuncOp function, unsigned i);

} // namespace heddle

#endif // HEDDLE_VERIFY_H
