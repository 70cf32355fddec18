//===- WriteWeights.h - writes the block of weights -------------*- C++ -*-===//

#ifndef HEDDLE_COMPILE_WRITEWEIGHTS_H
#define HEDDLE_COMPILE_WRITEWEIGHTS_H

#include "compile/ScaleLimit.h"
#include "compile/WeightsObject.h"
#include "heddle/Compile.h"

namespace heddle {

/// A block of weights that was written.
struct WrittenWeights {
  uint64_t size = 0;                     // the size of the block in bytes, including its header
  int64_t hash = 0;                      // the hash of the weights, without the header
  std::unique_ptr<WeightsObject> object; // the object that contains the block, if it is embedded
  std::vector<char> bytes;               // the block, if it is neither embedded nor written to the options' stream
};

/// Writes the block of weights that the weight table of `module` describes: to an object, to the stream in the options,
/// or to memory. `weightsSize` is the size of the block without its header. Consumes `weights`, so that their files are
/// unmapped before an object is made. Checks the scales that `scales` has collected.
mlir::FailureOr<WrittenWeights> writeWeights(mlir::ModuleOp module, WeightStore weights, int64_t weightsSize,
                                             const ScaleLimit &scales, const CompileOptions &options);

} // namespace heddle

#endif // HEDDLE_COMPILE_WRITEWEIGHTS_H
