//===- Accesses.h - accesses to tensors in memory ---------------*- C++ -*-===//

#ifndef HEDDLE_ACCESSES_H
#define HEDDLE_ACCESSES_H

namespace mlir {
class DialectRegistry;
}

namespace heddle {
/// Lets one-shot-bufferize put the region of heddle.accesses in its place.
void registerAccessesBufferization(mlir::DialectRegistry &registry);
/// Tells one-shot-bufferize what vector.transfer_write leaves of a tensor. Before upstream's models are registered: of
/// two for one op, the first stays.
void registerWriteBufferization(mlir::DialectRegistry &registry);
} // namespace heddle

#endif // HEDDLE_ACCESSES_H
