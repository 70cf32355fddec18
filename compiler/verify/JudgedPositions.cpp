//===- JudgedPositions.cpp - positions that a mask selects ----------------===//

#include "heddle/JudgedPositions.h"

#include "heddle/Inputs.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace mlir;
using namespace heddle;

/// Returns whether `shape` begins with the extents of `mask`.
static bool beginsWith(ArrayRef<int64_t> shape, ArrayRef<int64_t> mask) {
  return shape.size() >= mask.size() && shape.take_front(mask.size()) == mask;
}

LogicalResult heddle::checkMask(func::FuncOp main, StringRef mask) {
  std::vector<Port> inputs = inputPorts(main);
  auto found = llvm::find_if(inputs, [&](const Port &port) { return port.name == mask; });
  if (found == inputs.end()) {
    InFlightDiagnostic error = emitError(main.getLoc())
                               << "--where: the model has no input '" << mask << "'; the inputs are ";
    llvm::interleaveComma(inputs, error, [&](const Port &port) { error << port.name; });
    return error;
  }
  if (!found->type.getElementType().isInteger())
    return emitError(main.getLoc()) << "--where " << mask
                                    << ": expected an input of integers or booleans, which are 0 at positions to "
                                       "exclude, found "
                                    << found->type;
  for (const Port &output : outputPorts(main))
    if (!beginsWith(output.type.getShape(), found->type.getShape()))
      return emitError(main.getLoc()) << "--where " << mask << ": the dimensions of the input, " << found->type
                                      << ", are not the first dimensions of output '" << output.name << "', "
                                      << output.type << ": select other outputs with --only";
  return success();
}

JudgedPositions JudgedPositions::of(func::FuncOp main, ArrayRef<std::optional<Tensor>> inputs, StringRef mask) {
  std::vector<Port> ports = inputPorts(main);
  auto found = llvm::find_if(ports, [&](const Port &port) { return port.name == mask; });
  return JudgedPositions(mask, withDefaults(main, inputs)[size_t(found - ports.begin())]);
}

int64_t JudgedPositions::leftOut() const { return llvm::count(mask.ints(), 0); }

void JudgedPositions::clearOthers(Tensor &tensor) const {
  int64_t each = mask.size() ? tensor.size() / mask.size() : 0; // the number of elements at a position
  for (auto [i, keeps] : llvm::enumerate(mask.ints())) {
    if (keeps)
      continue;
    size_t begin = i * size_t(each);
    if (tensor.isFloat())
      llvm::fill(tensor.mutableFloats().slice(begin, each), std::numeric_limits<double>::quiet_NaN());
    else
      llvm::fill(tensor.mutableInts().slice(begin, each), 0);
  }
}

std::string JudgedPositions::text() const {
  return std::to_string(leftOut()) + " of " + std::to_string(all()) + " positions where " + name + " is 0";
}
