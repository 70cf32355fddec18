//===- Lowering.h - transform operations of strategies ----------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_H
#define HEDDLE_LOWERING_H

namespace mlir {
class DialectRegistry;
}

namespace heddle {
/// Registers the transform dialect with Heddle's own operations and with upstream's extensions for linalg (structured
/// operations), scf, tensor, vector, loops and tuning.
void registerTransformOps(mlir::DialectRegistry &registry);
} // namespace heddle

#endif // HEDDLE_LOWERING_H
