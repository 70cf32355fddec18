//===- SizeValues.h - what follows from sizes, computed in code -*- C++ -*-===//

#ifndef HEDDLE_COMPILE_SIZEVALUES_H
#define HEDDLE_COMPILE_SIZEVALUES_H

#include "SizeNumbers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringMap.h"

namespace heddle {

/// Computes extents and numbers from the sizes in the arena, each once, where a function begins. All of it is null
/// where the function does not get the arena.
class SizeValues {
public:
  SizeValues(mlir::LLVM::LLVMFuncOp func, const Sizes &sizes);

  mlir::Value of(const Extent &extent);
  /// What stands in the place of a constant that is a number of sizes, or a vector of one.
  mlir::Value of(mlir::LLVM::ConstantOp constant);

private:
  mlir::Value load(llvm::StringRef name);
  mlir::Value compute(const SizeNumber &number, mlir::Type type);

  const Sizes &sizes;
  mlir::Location loc;
  mlir::Value arena;
  mlir::OpBuilder b;
  llvm::StringMap<mlir::Value> loaded;
  llvm::DenseMap<int64_t, mlir::Value> extents;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Type>, mlir::Value> numbers;
};

} // namespace heddle

#endif // HEDDLE_COMPILE_SIZEVALUES_H
