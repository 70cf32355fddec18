//===- MatrixCode.h - products by matrix instructions -----------*- C++ -*-===//

#ifndef HEDDLE_KINDS_MATRIXCODE_H
#define HEDDLE_KINDS_MATRIXCODE_H

#include "ProductCode.h"

#include "MatrixCode.h.inc"

#endif // HEDDLE_KINDS_MATRIXCODE_H
