//===- EmittedSizes.h - what follows from sizes, computed in code *- C++ -*-===//

#ifndef HEDDLE_COMPILE_EMITTEDSIZES_H
#define HEDDLE_COMPILE_EMITTEDSIZES_H

#include "SizeNumber.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <tuple>

namespace heddle {

/// The value of a constant of LLVM's dialect or SPIR-V; null for another op.
mlir::Attribute getConstant(mlir::Operation *op);

/// Computes extents and numbers from the sizes in the arena, each once, where a function begins. All of it is null
/// where the function does not get the arena, or where its dialect has no such number.
class EmittedSizes {
public:
  virtual ~EmittedSizes() = default;

  mlir::Value of(const Extent &extent);
  /// What stands in the place of a constant of this type that is a number of sizes.
  mlir::Value of(const SizeNumber &number, mlir::Type type);

protected:
  EmittedSizes(mlir::FunctionOpInterface func, const Sizes &sizes);

  /// The size of this name.
  virtual mlir::Value load(llvm::StringRef name) = 0;
  /// An integer of the type that sizes have.
  virtual mlir::Value constant(int64_t value) = 0;
  virtual mlir::Value add(mlir::Value x, mlir::Value y) = 0;
  virtual mlir::Value multiply(mlir::Value x, mlir::Value y) = 0;
  /// An integer of another type.
  virtual mlir::Value convert(mlir::Value value, mlir::Type type) = 0;
  /// A vector of this element.
  virtual mlir::Value repeat(mlir::Value element, mlir::VectorType type) = 0;

  const Sizes &sizes;
  mlir::Location loc;
  mlir::OpBuilder b;

private:
  mlir::Value compute(const SizeNumber &number, mlir::Type type);

  llvm::StringMap<mlir::Value> loaded;
  llvm::DenseMap<int64_t, mlir::Value> extents;
  std::map<std::tuple<int64_t, int64_t, const void *>, mlir::Value> numbers;
};

/// In a function of the LLVM dialect, or of SPIR-V, for whose kernels the beginning of the arena is the first buffer.
std::unique_ptr<EmittedSizes> makeEmittedSizes(mlir::FunctionOpInterface func, const Sizes &sizes);
std::unique_ptr<EmittedSizes> makeLLVMEmittedSizes(mlir::FunctionOpInterface func, const Sizes &sizes);
std::unique_ptr<EmittedSizes> makeSpirvEmittedSizes(mlir::FunctionOpInterface func, const Sizes &sizes);

} // namespace heddle

#endif // HEDDLE_COMPILE_EMITTEDSIZES_H
