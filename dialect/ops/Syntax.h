//===- Syntax.h - directives of the assembly formats ------------*- C++ -*-===//
//
// The assembly formats in the .td files use these functions as custom<Word>(...), custom<Number>(...) and so on.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_OPS_SYNTAX_H
#define HEDDLE_OPS_SYNTAX_H

#include "mlir/IR/DialectImplementation.h"

#include "Heddle.h"

namespace heddle {

/// Parses and prints an enum attribute as its bare keyword: `lower_right`, not `#heddle.causal<lower_right>`.
template <typename Attr>
mlir::ParseResult parseWord(mlir::OpAsmParser &parser, Attr &attr) {
  using Enum = decltype(attr.getValue());
  auto value = mlir::FieldParser<Enum>::parse(parser);
  if (failed(value))
    return mlir::failure();
  attr = Attr::get(parser.getContext(), *value);
  return mlir::success();
}
template <typename Attr>
void printWord(mlir::OpAsmPrinter &printer, mlir::Operation *, Attr attr) {
  printer << stringifyEnum(attr.getValue());
}

/// Parses and prints a row rounding without the name of the attribute: `<ui8>`, not `#heddle.row_rounding<ui8>`.
mlir::ParseResult parseRowRounding(mlir::OpAsmParser &parser, RowRoundingAttr &rounding);
void printRowRounding(mlir::OpAsmPrinter &printer, mlir::Operation *, RowRoundingAttr rounding);

/// Parses and prints nothing: the type of the result of heddle.tile_product is that of `start` if `start` is a tensor.
mlir::ParseResult parseProductResult(mlir::OpAsmParser &parser, mlir::Type start, mlir::Type &result);
void printProductResult(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::Type start, mlir::Type result);

/// Parses and prints an f64 attribute. It is printed with the smallest precision, from 6 to 17 significant digits, from
/// which the same value is parsed. Trailing zeros are left out: `0.125`.
mlir::ParseResult parseNumber(mlir::OpAsmParser &parser, mlir::FloatAttr &number);
void printNumber(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::FloatAttr number);

/// Parses and prints a window of attention: the numbers of keys to the left and right of the query's position. -1,
/// which means no limit, is written `*`.
mlir::ParseResult parseWindow(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &window);
void printWindow(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::DenseI64ArrayAttr window);

} // namespace heddle

#endif // HEDDLE_OPS_SYNTAX_H
