//===- Shapes.cpp - checks for verifiers and type inference ---------------===//

#include "Shapes.h"

using namespace mlir;
using namespace heddle;

std::string heddle::shapeText(ArrayRef<int64_t> shape) {
  std::string result;
  llvm::raw_string_ostream os(result);
  os << '[';
  llvm::interleaveComma(shape, os, [&](int64_t size) { isDynamic(size) ? os << '?' : os << size; });
  os << ']';
  return result;
}

/// Whether two sizes may be equal at run time. A dynamic size may have any value.
static bool agree(int64_t a, int64_t b) { return isDynamic(a) || isDynamic(b) || a == b; }

ArrayRef<int64_t> heddle::shapeOf(Value value) {
  return value ? cast<RankedTensorType>(value.getType()).getShape() : ArrayRef<int64_t>();
}

double heddle::countElements(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.hasStaticShape() ? double(type.getNumElements()) : 0;
}

LogicalResult heddle::expectSize(Operation *op, StringRef label, StringRef operand, StringRef what,
                                 int64_t found, int64_t expected, StringRef source) {
  if (agree(found, expected))
    return success();
  return op->emitOpError() << operand << " has " << what << ' ' << found << ", expected " << expected
                           << " as in " << source << " (" << label << ')';
}

LogicalResult heddle::expectShape(Operation *op, StringRef label, StringRef operand, Value value,
                                  ArrayRef<int64_t> expected) {
  if (!value)
    return success();
  ArrayRef<int64_t> found = shapeOf(value);
  if (found.size() == expected.size() && llvm::all_of_zip(found, expected, agree))
    return success();
  return op->emitOpError() << operand << " has shape " << shapeText(found) << ", expected " << shapeText(expected)
                           << " (" << label << ')';
}

LogicalResult heddle::expectRank(Operation *op, StringRef label, StringRef operand, Value value, int64_t minimum,
                                 int64_t maximum) {
  if (!value)
    return success();
  int64_t rank = shapeOf(value).size();
  if (rank >= minimum && rank <= maximum)
    return success();
  InFlightDiagnostic error = op->emitOpError() << operand << " has rank " << rank << ", expected ";
  if (maximum == INT64_MAX)
    error << "at least " << minimum;
  else if (minimum == 0)
    error << "at most " << maximum;
  else if (minimum != maximum)
    error << minimum << (maximum == minimum + 1 ? " or " : " to ") << maximum;
  else
    error << minimum;
  return error << " (" << label << ')';
}

LogicalResult heddle::expectElementType(Operation *op, StringRef label,
                                        ArrayRef<std::pair<StringRef, Value>> operands) {
  Type expected = getElementTypeOrSelf(operands.front().second);
  for (auto [name, value] : operands) {
    if (!value || getElementTypeOrSelf(value) == expected)
      continue;
    return op->emitOpError() << name << " has element type " << getElementTypeOrSelf(value) << ", expected "
                             << expected << " as in " << operands.front().first << " (" << label << ')';
  }
  for (Value result : op->getResults())
    if (getElementTypeOrSelf(result) != expected)
      return op->emitOpError() << "result #" << cast<OpResult>(result).getResultNumber() << " has element type "
                               << getElementTypeOrSelf(result) << ", expected " << expected << " as in "
                               << operands.front().first << " (" << label << ')';
  return success();
}

LogicalResult heddle::expectBroadcastable(Operation *op, StringRef label, StringRef operand, Value value,
                                          ArrayRef<int64_t> shape) {
  if (!value)
    return success();
  ArrayRef<int64_t> found = shapeOf(value);
  bool fits = found.size() <= shape.size() &&
              llvm::all_of_zip(found, shape.take_back(found.size()),
                               [](int64_t size, int64_t target) { return size == 1 || agree(size, target); });
  if (fits)
    return success();
  return op->emitOpError() << operand << " has shape " << shapeText(found) << ", expected one that broadcasts to "
                           << shapeText(shape) << " (" << label << ')';
}

Columns heddle::columnsOf(Value weight) {
  ArrayRef<int64_t> shape = shapeOf(weight);
  if (shape.size() == 2)
    return {shape[1], shape[1]};
  int64_t interleaved = shape.size() == 4 ? shape[0] : 1, panels = shape[shape.size() - 3], panel = shape.back();
  if (isDynamic(interleaved) || isDynamic(panels) || isDynamic(panel))
    return {ShapedType::kDynamic, ShapedType::kDynamic};
  // The last group of interleaved panels contains at least one column.
  return {std::max<int64_t>(0, (panels - 1) * interleaved * panel + 1), panels * interleaved * panel};
}

int64_t heddle::rowsOf(Value weight) { return shapeOf(weight).take_back(2).front(); }

LogicalResult heddle::expectColumns(Operation *op, StringRef label, StringRef operand, Value weight,
                                    int64_t columns) {
  Columns allowed = columnsOf(weight);
  if (isDynamic(columns) || isDynamic(allowed.minimum) || (columns >= allowed.minimum && columns <= allowed.maximum))
    return success();
  InFlightDiagnostic error = op->emitOpError()
                             << operand << " has shape " << shapeText(shapeOf(weight)) << ", whose panels are for ";
  return error << allowed.minimum << " to " << allowed.maximum << " columns, expected panels for " << columns << " ("
               << label << ')';
}

bool heddle::areCompatible(TypeRange a, TypeRange b) {
  return a.size() == b.size() && llvm::all_of_zip(a, b, [](Type x, Type y) {
           auto left = dyn_cast<RankedTensorType>(x), right = dyn_cast<RankedTensorType>(y);
           return left && right && left.getElementType() == right.getElementType() &&
                  left.getEncoding() == right.getEncoding() && left.getRank() == right.getRank() &&
                  llvm::all_of_zip(left.getShape(), right.getShape(), agree);
         });
}

RankedTensorType heddle::withLastDim(Value input, int64_t size) {
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = size;
  return RankedTensorType::get(shape, type.getElementType());
}

RankedTensorType heddle::refined(RankedTensorType type, Value other) {
  if (!other || shapeOf(other).size() != type.getShape().size())
    return type;
  SmallVector<int64_t> shape;
  for (auto [size, known] : llvm::zip_equal(type.getShape(), shapeOf(other)))
    shape.push_back(refine(size, known));
  return RankedTensorType::get(shape, type.getElementType());
}
