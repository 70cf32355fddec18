//===- Interpreter.h - runs functions of tensors ----------------*- C++ -*-===//
//
// The judge of everything: what a module means, computed without lowering it.
// An op takes part by implementing EvaluateInterface, either in
// reference/<Op>.cpp (Heddle's ops) or in interpreter/<Dialect>.cpp (upstream's).
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

/// F64 computes every float in double, whatever its declared type. F32 rounds the result of every
/// operation on f32 (or narrower) values to f32, then to f16 or bf16 where that is declared, and sums
/// left to right; f64 values stay f64. Single rounds these to f32 as well.
enum class Precision { F64, F32, Single };

struct InterpreterOptions {
  Precision precision = Precision::F64;

  /// The value of a `heddle.weight`. Without it, a module with weights is an error.
  std::function<mlir::FailureOr<Tensor>(WeightOp)> weights;

  /// What was made elsewhere of a state that heddle.append leaves, with errors of f32; null: that is not known. A number
  /// almost in the middle between two that can be stored becomes the one that it became there.
  std::function<const Tensor *(mlir::Value)> stored;

  /// Parallel iterations and tasks run in an order that this decides.
  uint64_t seed = 0;

  /// Takes the place of calls where it is set: gives the results of this one.
  std::function<mlir::LogicalResult(mlir::func::CallOp, llvm::MutableArrayRef<Tensor> operands,
                                    llvm::SmallVectorImpl<Tensor> &results)>
      call;

  /// Sees the results of every op outside the bodies of linalg ops, in order.
  std::function<void(mlir::Operation *, llvm::ArrayRef<Tensor>)> probe;
};

/// Makes ops evaluable in contexts that load this registry.
void registerInterpreter(mlir::DialectRegistry &registry);

/// Calls `function`; calls inside it are followed by symbol. The arguments' shapes and element
/// types must fit the function's. Errors are emitted at the op that caused them.
mlir::FailureOr<llvm::SmallVector<Tensor>> interpret(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> arguments,
                                                     const InterpreterOptions &options = {});

/// The state of a run, as ops see it.
class Evaluator {
public:
  explicit Evaluator(const InterpreterOptions &options) : options(options) {}

  const InterpreterOptions &getOptions() const { return options; }
  Precision precision() const { return options.precision; }

  /// The value of an operand; null for a value that has not been computed.
  const Tensor *find(mlir::Value value) const;

  mlir::FailureOr<llvm::SmallVector<Tensor>> call(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> arguments);

  /// Runs a block and returns the operands of its terminator.
  mlir::FailureOr<llvm::SmallVector<Tensor>> run(mlir::Block &block, llvm::SmallVector<Tensor> arguments);

  /// Runs one op whose operands are known.
  mlir::LogicalResult run(mlir::Operation *op);

private:
  /// What is known of an op that runs again and again.
  struct Decoded {
    EvaluateInterface evaluable;
    llvm::SmallVector<bool, 4> dies; // operands that nobody uses after it
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
