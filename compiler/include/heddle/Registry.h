//===- Registry.h - what a context of the compiler knows --------*- C++ -*-===//

#ifndef HEDDLE_REGISTRY_H
#define HEDDLE_REGISTRY_H

namespace mlir {
class DialectRegistry;
}

namespace heddle {

/// Adds Heddle's dialect, upstream's, and everything attached to them: interfaces
/// for the interpreter and bufferization, transform ops, translations.
void registerDialects(mlir::DialectRegistry &registry);

} // namespace heddle

#endif // HEDDLE_REGISTRY_H
