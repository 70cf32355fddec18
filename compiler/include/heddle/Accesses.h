//===- Accesses.h - heddle.accesses in memory -------------------*- C++ -*-===//

#ifndef HEDDLE_ACCESSES_H
#define HEDDLE_ACCESSES_H

namespace mlir {
class DialectRegistry;
}

namespace heddle {
/// Lets one-shot-bufferize put the region of heddle.accesses in its place.
void registerAccessesBufferization(mlir::DialectRegistry &registry);
} // namespace heddle

#endif // HEDDLE_ACCESSES_H
