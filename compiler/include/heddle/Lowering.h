//===- Lowering.h - transform operations of strategies ----------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_H
#define HEDDLE_LOWERING_H

namespace mlir {
class DialectRegistry;
}

namespace heddle {
/// Registers the transform dialect with upstream's structured, loop, vector, tensor and tuning extensions and with
/// Heddle's own operations.
void registerTransformOps(mlir::DialectRegistry &registry);
} // namespace heddle

#endif // HEDDLE_LOWERING_H
