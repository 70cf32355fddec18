//===- Passes.h - constructors of the compiler's passes ---------*- C++ -*-===//

#ifndef HEDDLE_PASSES_H
#define HEDDLE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace heddle {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "heddle/Passes.h.inc"

} // namespace heddle

#endif // HEDDLE_PASSES_H
