//===- RotaryEmbedding.cpp -----------------------------------------------------------===//

#include "Heddle.h"

using namespace mlir;
using namespace heddle;

LogicalResult RotaryEmbeddingOp::verify() { return success(); }
