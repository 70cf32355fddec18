//===- SizeArithmetic.h - computing with the sizes of a call ----*- C++ -*-===//
//
// Where sizes lie in ranges, code computes lengths from the sizes that the arena holds. A target says
// with which operations.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SIZEARITHMETIC_H
#define HEDDLE_SIZEARITHMETIC_H

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace heddle {

class Sizes;

/// Integers, of one type, where a function begins.
class SizeArithmetic {
public:
  virtual ~SizeArithmetic() = default;

  /// The size of this name; null where the function does not get the arena.
  virtual mlir::Value load(llvm::StringRef name) = 0;
  virtual mlir::Value constant(int64_t value) = 0;
  virtual mlir::Value add(mlir::Value x, mlir::Value y) = 0;
  virtual mlir::Value multiply(mlir::Value x, mlir::Value y) = 0;
  /// An integer of another type.
  virtual mlir::Value convert(mlir::Value value, mlir::Type type) = 0;
  /// A vector of this element.
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
