//===- MatrixCode.cpp - products by matrix instructions -------------------===//

#include "MatrixCode.h"

using namespace mlir;
using namespace heddle;

#include "MatrixCode.cpp.inc"
