//===- SizeArithmetic.h - computing with a call's sizes ---------*- C++ -*-===//
//
// If sizes lie in ranges, generated code computes lengths from the values of the sizes in the call header, which is at
// the start of the arena (ArenaLayout.h). This interface emits the computation with the operations of a target.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SIZEARITHMETIC_H
#define HEDDLE_SIZEARITHMETIC_H

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace heddle {

class Sizes;

/// Emits computations of integers, all of one type, at the beginning of a function.
class SizeArithmetic {
public:
  virtual ~SizeArithmetic() = default;

  /// The value of the size with this name in the call header; null if the arena is not an argument of the function.
  virtual mlir::Value load(llvm::StringRef name) = 0;
  virtual mlir::Value constant(int64_t value) = 0;
  virtual mlir::Value add(mlir::Value x, mlir::Value y) = 0;
  virtual mlir::Value multiply(mlir::Value x, mlir::Value y) = 0;
  /// Converts an integer to another integer type.
  virtual mlir::Value convert(mlir::Value value, mlir::Type type) = 0;
  /// A vector whose elements are all `element`.
  virtual mlir::Value repeat(mlir::Value element, mlir::VectorType type) = 0;

protected:
  SizeArithmetic(mlir::FunctionOpInterface func, const Sizes &sizes)
      : sizes(sizes), loc(func.getLoc()), b(mlir::OpBuilder::atBlockBegin(&func.getFunctionBody().front())) {}

  const Sizes &sizes;
  mlir::Location loc;
  mlir::OpBuilder b;
};

} // namespace heddle

#endif // HEDDLE_SIZEARITHMETIC_H
