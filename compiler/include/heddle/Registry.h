//===- Registry.h - registers all dialects ----------------------*- C++ -*-===//

#ifndef HEDDLE_REGISTRY_H
#define HEDDLE_REGISTRY_H

namespace mlir {
class DialectRegistry;
}

namespace heddle {

/// Adds Heddle's dialect, upstream's dialects, and everything that is attached to them: interfaces for the interpreter
/// and for bufferization, transform operations and translations.
void registerDialects(mlir::DialectRegistry &registry);

} // namespace heddle

#endif // HEDDLE_REGISTRY_H
