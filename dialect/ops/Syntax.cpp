//===- Syntax.cpp - directives of the assembly formats --------------------===//

#include "Syntax.h"

using namespace mlir;
using namespace heddle;

static ParseResult parseExtent(OpAsmParser &parser, int64_t &extent) {
  extent = -1;
  return succeeded(parser.parseOptionalStar()) ? success() : parser.parseInteger(extent);
}

ParseResult heddle::parseWindow(OpAsmParser &parser, DenseI64ArrayAttr &window) {
  int64_t left, right;
  if (parseExtent(parser, left) || parser.parseComma() || parseExtent(parser, right))
    return failure();
  window = parser.getBuilder().getDenseI64ArrayAttr({left, right});
  return success();
}

void heddle::printWindow(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr window) {
  llvm::interleaveComma(window.asArrayRef(), printer.getStream(), [&](int64_t extent) {
    if (extent < 0)
      printer << '*';
    else
      printer << extent;
  });
}
