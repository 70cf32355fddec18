//===- QueryRows.cpp - the queries of a tile ------------------------------===//

#include "QueryRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

Value QueryRows::emitHead(OpBuilder &b, Location loc, Value row) const {
  if (heads == 1)
    return head;
  return arith::AddIOp::create(b, loc, head, b.createOrFold<arith::DivUIOp>(loc, row, queries.emitValue(b, loc)));
}

Value QueryRows::emitQuery(OpBuilder &b, Location loc, Value row) const {
  return heads == 1 ? row : b.createOrFold<arith::RemUIOp>(loc, row, queries.emitValue(b, loc));
}
