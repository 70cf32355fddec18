//===- Interpreter.h - the reference interpreter ----------------*- C++ -*-===//
//
// Computes the meaning of a module without lowering it. All compiled code is compared with its results. An op is
// interpreted through its EvaluateInterface, which is implemented in reference/<Op>.cpp for Heddle's ops and in
// interpreter/<Dialect>.cpp for upstream's.
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

/// F64 computes all floats in double, whatever their declared type. F32 rounds the result of each operation on f32 (or
/// narrower) values to f32, then to f16 or bf16 if that is the declared type, and sums from left to right; f64 values
/// stay f64. Single rounds f64 values to f32 as well.
enum class Precision { F64, F32, Single };

struct InterpreterOptions {
  Precision precision = Precision::F64;

  /// Returns the value of a `heddle.weight`. If unset, a module with weights is an error.
  std::function<mlir::FailureOr<Tensor>(WeightOp)> weights;

  /// Returns the state that compiled code (with f32 errors) stored for this result of heddle.append; null if it is
  /// unknown. If an element is almost halfway between two values that can be stored, the value in that state is taken.
  std::function<const Tensor *(mlir::Value)> stored;

  /// Determines the random order in which parallel iterations and tasks run.
  uint64_t seed = 0;

  /// If set, computes the results of calls instead of the called function.
  std::function<mlir::LogicalResult(mlir::func::CallOp, llvm::MutableArrayRef<Tensor> operands,
                                    llvm::SmallVectorImpl<Tensor> &results)>
      call;

  /// If set, is called with the results of every op outside of the bodies of linalg ops, in order.
  std::function<void(mlir::Operation *, llvm::ArrayRef<Tensor>)> probe;
};

/// Registers the models that make ops evaluable in contexts with this registry.
void registerInterpreter(mlir::DialectRegistry &registry);

/// Runs `function`, including the functions that it calls by symbol. The arguments' shapes and element types must match
/// the function's. Errors are emitted at the op that caused them.
mlir::FailureOr<llvm::SmallVector<Tensor>> interpret(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> arguments,
                                                     const InterpreterOptions &options = {});

/// The state of a run, which models of ops have access to.
class Evaluator {
public:
  explicit Evaluator(const InterpreterOptions &options) : options(options) {}

  const InterpreterOptions &getOptions() const { return options; }
  Precision precision() const { return options.precision; }

  /// The value of an operand; null if it has not been computed.
  const Tensor *find(mlir::Value value) const;

  mlir::FailureOr<llvm::SmallVector<Tensor>> call(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> arguments);

  /// Runs a block and returns the operands of its terminator.
  mlir::FailureOr<llvm::SmallVector<Tensor>> run(mlir::Block &block, llvm::SmallVector<Tensor> arguments);

  /// Runs one op whose operands have been computed.
  mlir::LogicalResult run(mlir::Operation *op);

private:
  /// Cached properties of an op, which may run many times.
  struct Decoded {
    EvaluateInterface evaluable;
    llvm::SmallVector<bool, 4> dies; // operands that have no later use
  };
  using Frame = std::unordered_map<void *, Tensor>;

  mlir::FailureOr<Decoded *> decode(mlir::Operation *op);

  const InterpreterOptions &options;
  std::unordered_map<mlir::Operation *, Decoded> decoded;
  Frame *frame = nullptr;
  unsigned depth = 0;
};

} // namespace heddle

#endif // HEDDLE_DIALECT_INTERPRETER_INTERPRETER_H
