//===- Syntax.cpp - directives of the assembly formats --------------------===//

#include "Syntax.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace mlir;
using namespace heddle;

ParseResult heddle::parseRowRounding(OpAsmParser &parser, RowRoundingAttr &rounding) {
  rounding = dyn_cast_or_null<RowRoundingAttr>(RowRoundingAttr::parse(parser, Type()));
  return success(rounding != nullptr);
}

void heddle::printRowRounding(OpAsmPrinter &printer, Operation *, RowRoundingAttr rounding) { rounding.print(printer); }

ParseResult heddle::parseNumber(OpAsmParser &parser, FloatAttr &number) {
  return parser.parseAttribute(number, parser.getBuilder().getF64Type());
}

void heddle::printNumber(OpAsmPrinter &printer, Operation *, FloatAttr number) {
  double value = number.getValueAsDouble();
  if (!std::isfinite(value)) // printed as hexadecimal bits, which MLIR's parser accepts
    return printer.printAttributeWithoutType(number);
  char text[40];
  for (int digits = 6; digits <= 17; ++digits) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, nullptr) == value)
      break;
  }
  // MLIR's float literals need a decimal point: 1e-12 is written 1.0e-12.
  StringRef all(text), mantissa = all.take_until([](char c) { return c == 'e'; });
  printer << mantissa << (mantissa.contains('.') ? "" : ".0") << all.drop_front(mantissa.size());
}

/// Parses one side of a window: the number of keys, or `*` for -1, which means no limit.
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

ParseResult heddle::parseProductResult(OpAsmParser &, Type start, Type &result) {
  if (isa<TensorType>(start))
    result = start;
  return success();
}

void heddle::printProductResult(OpAsmPrinter &, Operation *, Type, Type) {}
