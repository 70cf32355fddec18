//===- WriteWeights.h - the block of weights of a library -------*- C++ -*-===//

#ifndef HEDDLE_COMPILE_WRITEWEIGHTS_H
#define HEDDLE_COMPILE_WRITEWEIGHTS_H

#include "compile/ScaleLimit.h"
#include "compile/WeightsObject.h"
#include "heddle/Compile.h"

namespace heddle {

/// A block of weights that was written.
struct WrittenWeights {
  uint64_t size = 0; // with its header
  int64_t hash = 0;
  std::unique_ptr<WeightsObject> object; // that it is in, where it is embedded
  std::vector<char> bytes;               // it, where it is neither there nor in the options' stream
};

/// Writes the block that `module` notes, of so many bytes, to where the options want it. Nobody else reads `weights`:
/// their mapping goes before an object is made. Those of `scales` are checked.
mlir::FailureOr<WrittenWeights> writeWeights(mlir::ModuleOp module, WeightStore weights, int64_t weightsSize,
                                             const ScaleLimit &scales, const CompileOptions &options);

} // namespace heddle

#endif // HEDDLE_COMPILE_WRITEWEIGHTS_H
