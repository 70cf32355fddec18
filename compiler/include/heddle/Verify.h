//===- Verify.h - comparison of results with a reference --------*- C++ -*-===//
//
// The reference is the interpreter in f64. The bound of an f32 output is 4 x the largest error of the same interpreter
// in f32, plus 1e-6 x the largest magnitude of the reference. The bound of an f16 or bf16 output is 4 x the error of an
// interpretation that rounds each operation to that type, plus the machine epsilon of the type (2^-10 or 2^-7) x the
// magnitude; the bound of an f64 output is 2^-29 x the bound of the same computation in f32. NaN and infinities must be
// at the same positions as in the reference, rounded to the output's type. Elements that overflow in the f32
// interpretation are exceptions: with ordinary inputs, the same overflow is right (dropSharedOverflows); with
// adversarial inputs, these elements are not compared (dropOverflows). Integers and booleans must be equal.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_VERIFY_H
#define HEDDLE_VERIFY_H

#include "heddle/WeightStore.h"
#include "interpreter/Interpreter.h"

#include <string>

namespace heddle {

/// The interpreter's results for a function in two precisions.
struct Reference {
  llvm::SmallVector<Tensor> wide; // f64: the reference
  /// The results in Precision::F32. Results of type f64 are computed in Precision::Single, which rounds f64 values to
  /// f32, too. The difference from `wide` determines the bound.
  llvm::SmallVector<Tensor> narrow;
};

/// Returns the value of a heddle.weight.
using WeightSource = std::function<mlir::FailureOr<Tensor>(WeightOp)>;

/// The weights of a model for the interpreter; each recipe is evaluated once. `store` must outlive the result.
WeightSource weightsFrom(const WeightStore &store);

/// Interprets `function` twice, or three times if it has f64 results. Errors are emitted at the operation that caused
/// them.
mlir::FailureOr<Reference> computeReference(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> inputs,
                                            const WeightSource &weights);

/// The number of bytes that a comparison of `function` with the interpreter on `sets` sets of inputs needs: the inputs
/// and the results in two precisions for all sets, plus the memory of one interpretation or of `calls` concurrent
/// calls, whichever is larger. Each concurrent call has inputs and outputs of its own.
uint64_t comparisonBytes(mlir::func::FuncOp function, uint64_t sets, uint64_t calls = 1);

/// Random inputs for every argument of `function`; the same seed gives the same inputs on every machine. Floats are
/// standard normal, and integers are uniform within `heddle.range` (0 or 1 without it). Booleans are random, but the
/// first element of each row is true. If the range of an integer input is 0..1 or not known and its name ends in
/// "mask", each row is ones, then zeros. Emits an error for unsupported types or shapes.
mlir::FailureOr<llvm::SmallVector<Tensor>> randomInputs(mlir::func::FuncOp function, uint64_t seed);

/// Inputs with a name.
struct InputCase {
  std::string name;
  llvm::SmallVector<Tensor> inputs;
};

/// Inputs that are numerically hard for kernels, selected by the roles that the arguments of `function` have: for
/// example, huge, tiny and denormal numbers, large and equal scores, one dominant score, scores of -inf, masks that
/// exclude all keys, rows that contain NaN or an infinity, rows without variance, and NaN and infinities in keys and
/// values that some queries do not attend to. The same seed gives the same inputs on every machine. Errors are those of
/// randomInputs.
mlir::FailureOr<std::vector<InputCase>> adversarialInputs(mlir::func::FuncOp function, uint64_t seed);
/// The number of cases that adversarialInputs returns, without creating them.
unsigned countAdversarialInputs(mlir::func::FuncOp function);

/// Excludes elements of result `output` that overflow only in the f32 interpretation or only in the reference, or in
/// both but to different results. For this comparison, the reference is rounded to the output's type. An element is
/// excluded if one of the two values is finite and the other is not, or if the reference is an infinity and the f32
/// interpretation is NaN or the other infinity. An element whose reference is NaN is not excluded by this rule.
/// Excluded elements become NaN in `actual` and in both results of `reference`. If the output is f64 and the inputs are
/// finite (`finite`), also excludes elements that overflow in both `actual` and the reference, but to different results
/// (NaN, +inf or -inf), because these depend on the order of sums. Returns the number of excluded elements.
int64_t dropOverflows(Tensor &actual, Reference &reference, unsigned output, bool finite = false);

/// Excludes elements whose reference is finite, but which overflow to the same result (NaN, +inf or -inf) in `actual`
/// and in the f32 interpretation: they become NaN in `actual` and in both results of `reference`. Returns the number of
/// excluded elements.
int64_t dropSharedOverflows(Tensor &actual, Reference &reference, unsigned output);

/// An element that differs from its reference.
struct Difference {
  llvm::SmallVector<int64_t> where;
  double actual, reference;
};

/// The result of comparing one output. `ok` requires that error <= bound holds, so a NaN in either of them is a
/// failure.
struct Comparison {
  std::string output;  // the name of the output
  std::string against; // "interpreter" or "expected"
  llvm::SmallVector<int64_t> shape;
  std::string elementType;
  bool ok = false;
  double error = 0;                 // the largest error of a finite element
  llvm::SmallVector<int64_t> where; // the index of this element, or of the first NaN or infinity at a wrong position
  double actual = 0, reference = 0; // the elements at this index
  double bound = 0;
  double narrowError = 0;           // the error of the interpreter in lower precision
  double magnitude = 0;             // the largest finite |reference|
  bool exact = false;               // for integers: the bound is 0
  // The first element whose error exceeds the bound, or the first NaN or infinity at a wrong position.
  std::optional<Difference> first;
  std::string problem; // the reason for a failure other than error > bound; empty if there is none

  /// One line of text: the shape, the maximum absolute error, the bound and its terms, ok or FAIL.
  std::string text() const;
};

/// Compares `actual` with `wide`, the reference. The bound follows from the error of `narrow`, the interpreter's result
/// in lower precision; if this error is smaller than `minError`, `minError` replaces it.
Comparison compare(llvm::StringRef output, const Tensor &actual, const Tensor &wide, const Tensor &narrow,
                   double minError = 0);

/// Compares `actual` with `expected`, a tensor from a file, with the same bound as `compare`. (If the file stores f32,
/// its rounding error is at most half a unit in the last place of f32, 6e-8 x magnitude, which is much less than the
/// second term of the bound.)
Comparison compareExpected(llvm::StringRef output, const Tensor &actual, const Tensor &expected, const Tensor &wide,
                           const Tensor &narrow);

/// The name of result i of `function`: `heddle.name` or, without this attribute, "output<i>". argumentName returns the
/// name of argument i: `heddle.name` or "input<i>".
std::string resultName(mlir::func::FuncOp function, unsigned i);
std::string argumentName(mlir::func::FuncOp function, unsigned i);

} // namespace heddle

#endif // HEDDLE_VERIFY_H
