//===- Interpreter.h - the reference interpreter ----------------*- C++ -*-===//
//
// The interpreter evaluates the operations of a module without lowering them. Its results are the reference with which
// all compiled code is compared. An op is evaluated through its EvaluateInterface, which is implemented in
// reference/<Op>.cpp for Heddle's ops and in interpreter/<Dialect>*.cpp for upstream ops.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_INTERPRETER_INTERPRETER_H
#define HEDDLE_DIALECT_INTERPRETER_INTERPRETER_H

#include "Heddle.h"
#include "interpreter/EvaluateInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <functional>
#include <unordered_map>

namespace heddle {

/// The precision in which the interpreter computes. F64 computes floats of all types in double, without rounding. F32
/// rounds the result of each operation on f32 or narrower values to f32, and then to f16 or bf16 if this is the type of
/// the result. With F32, terms are added from left to right, and f64 values stay f64. Single also rounds f64 values to
/// f32.
enum class Precision { F64, F32, Single };

struct InterpreterOptions {
  Precision precision = Precision::F64;

  /// Returns the value of a `heddle.weight`, whose elements are in a file. If this function is not set, evaluating a
  /// heddle.weight is an error.
  std::function<mlir::FailureOr<Tensor>(WeightOp)> weights;

  /// Returns the state that compiled code, which computes in f32, has stored as this result of heddle.append; null if
  /// the stored state is unknown. If a new element is almost halfway between two values of the state's element type,
  /// the interpreter rounds it to the value in the returned state: compiled code may round it in either direction.
  std::function<const Tensor *(mlir::Value)> stored;

  /// The seed of the random order in which parallel iterations and tasks run.
  uint64_t seed = 0;

  /// If set, this function computes the results of a func.call instead of the called function.
  std::function<mlir::LogicalResult(mlir::func::CallOp, llvm::MutableArrayRef<Tensor> operands,
                                    llvm::SmallVectorImpl<Tensor> &results)>
      call;

  /// If set, this function is called with the op and its results after the evaluation of each op, except for ops in
  /// bodies that are decoded, such as those of linalg ops (ElementProgram.h).
  std::function<void(mlir::Operation *, llvm::ArrayRef<Tensor>)> probe;
};

/// Registers the implementations of EvaluateInterface, so ops can be evaluated in contexts with this registry.
void registerInterpreter(mlir::DialectRegistry &registry);

/// Runs `function`, including the functions that it calls. The shapes and element types of the arguments must match
/// those of the function. Errors are emitted at the op that caused them.
mlir::FailureOr<llvm::SmallVector<Tensor>> interpret(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> arguments,
                                                     const InterpreterOptions &options = {});

/// The state of one call of `interpret`. Implementations of EvaluateInterface use this class to read values and to run
/// regions and functions.
class Evaluator {
public:
  /// `options` must outlive the evaluator.
  explicit Evaluator(const InterpreterOptions &options) : options(options) {}

  const InterpreterOptions &getOptions() const { return options; }
  Precision precision() const { return options.precision; }

  /// Returns the value of `value` in the function that is running; null if it has not been computed or has been freed.
  const Tensor *find(mlir::Value value) const;

  /// Runs a function, which must have one block, and returns its results.
  mlir::FailureOr<llvm::SmallVector<Tensor>> call(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> arguments);

  /// Runs a block and returns the operands of its terminator.
  mlir::FailureOr<llvm::SmallVector<Tensor>> run(mlir::Block &block, llvm::SmallVector<Tensor> arguments);

  /// Runs one op whose operands have been computed.
  mlir::LogicalResult run(mlir::Operation *op);

private:
  /// Cached properties of an op, which may run many times.
  struct Decoded {
    EvaluateInterface evaluable;
    llvm::SmallVector<bool, 4> lastUses; // for each operand, whether it has no later use
  };
  /// The values that a running function has computed, by Value::getAsOpaquePointer().
  using Frame = std::unordered_map<void *, Tensor>;

  /// Returns the cached properties of an op, which the first call computes. Emits an error if the op cannot be
  /// evaluated.
  mlir::FailureOr<Decoded *> decode(mlir::Operation *op);

  const InterpreterOptions &options;
  std::unordered_map<mlir::Operation *, Decoded> decoded;
  Frame *frame = nullptr; // the values of the function that is running
  unsigned depth = 0;     // the number of nested calls
};

} // namespace heddle

#endif // HEDDLE_DIALECT_INTERPRETER_INTERPRETER_H
