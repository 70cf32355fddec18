//===- EmitSizes.cpp - code that computes expressions of sizes ------------===//

#include "EmitSizes.h"

#include "SizeScope.h"
#include "SizedTensor.h"

#include "Heddle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Emits operations that compute the value of an expression from its postfix code (SizeExpression::code).
class ExpressionEmitter {
public:
  ExpressionEmitter(OpBuilder &b, Location loc, ValueRange places)
      : ExpressionEmitter(b, loc, places, llvm::DenseMap<unsigned, Value>()) {}
  /// `sizes` maps the index of a size in the SizeScope to a value that was already emitted.
  ExpressionEmitter(OpBuilder &b, Location loc, ValueRange places, llvm::DenseMap<unsigned, Value> sizes)
      : b(b), loc(loc), places(places), sizes(std::move(sizes)) {}

  Value emit(const SizeExpression &expression);

private:
  Value constant(int64_t number) { return arith::ConstantIndexOp::create(b, loc, number); }
  /// Returns the value of the size with the index `number` in the SizeScope. Emits a heddle.size at the first use.
  Value size(unsigned number);
  /// Emits the operation `code` of the operands `x` and `y`.
  Value combine(SizeCode code, Value x, Value y);
  /// Converts a condition to the index 1 or 0.
  Value asNumber(Value condition) { return arith::SelectOp::create(b, loc, condition, constant(1), constant(0)); }
  Value floorDiv(Value x, Value y);

  OpBuilder &b;
  Location loc;
  ValueRange places; // the indices of the element that is computed
  llvm::DenseMap<unsigned, Value> sizes;
};
} // namespace

Value ExpressionEmitter::size(unsigned number) {
  Value &value = sizes[number];
  if (!value)
    value = SizeOp::create(b, loc, SizeScope::current()->all()[number].name);
  return value;
}

/// Divides and rounds down, whatever the signs of the operands are. The divisor is not 0 for any element.
Value ExpressionEmitter::floorDiv(Value x, Value y) {
  Value zero = constant(0);
  // A vectorised loop also computes elements beyond the last one, for which the divisor may be 0.
  if (!places.empty() && !matchPattern(y, m_Constant())) {
    Value isZero = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, y, zero);
    y = arith::SelectOp::create(b, loc, isZero, constant(1), y);
  }
  Value quotient = arith::DivSIOp::create(b, loc, x, y), rest = arith::RemSIOp::create(b, loc, x, y);
  auto is = [&](arith::CmpIPredicate predicate, Value a) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, a, zero);
  };
  Value differ = arith::XOrIOp::create(b, loc, is(arith::CmpIPredicate::slt, rest), is(arith::CmpIPredicate::slt, y));
  Value down = arith::AndIOp::create(b, loc, is(arith::CmpIPredicate::ne, rest), differ);
  return arith::SubIOp::create(b, loc, quotient, asNumber(down));
}

Value ExpressionEmitter::combine(SizeCode code, Value x, Value y) {
  switch (code) {
  case SizeCode::Add:
    return arith::AddIOp::create(b, loc, x, y);
  case SizeCode::Multiply:
    return arith::MulIOp::create(b, loc, x, y);
  case SizeCode::FloorDivide:
    return floorDiv(x, y);
  case SizeCode::Min:
    return arith::MinSIOp::create(b, loc, x, y);
  case SizeCode::Max:
    return arith::MaxSIOp::create(b, loc, x, y);
  case SizeCode::Less:
    return asNumber(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y));
  default:
    return asNumber(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, y));
  }
}

Value ExpressionEmitter::emit(const SizeExpression &expression) {
  SmallVector<Value> stack;
  SmallVector<int64_t> code = expression.code();
  for (size_t i = 0; i < code.size(); i += 2) {
    auto kind = SizeCode(code[i]);
    if (kind == SizeCode::Number) {
      stack.push_back(constant(code[i + 1]));
    } else if (kind == SizeCode::Size) {
      stack.push_back(size(unsigned(code[i + 1])));
    } else if (kind == SizeCode::Place) {
      stack.push_back(places[size_t(code[i + 1])]);
    } else {
      Value y = stack.pop_back_val(), x = stack.pop_back_val();
      stack.push_back(combine(kind, x, y));
    }
  }
  return stack.back();
}

Value heddle::emitSize(OpBuilder &b, Location loc, const SizeExpression &expression, ValueRange places) {
  return ExpressionEmitter(b, loc, places).emit(expression);
}

/// Converts an index to an element of type `type`. An i1 becomes true if the index is not 0.
static Value asElement(OpBuilder &b, Location loc, Value index, IntegerType type) {
  if (type.getWidth() != 1)
    return arith::IndexCastOp::create(b, loc, type, index);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, index, zero);
}

namespace {
/// A mask in the last two dimensions: true where column <= row + offset or, if `isAfter`, where column > row + offset.
struct Diagonal {
  SizeExpression offset;
  bool isAfter;
};
} // namespace

/// Returns the diagonal of a mask whose elements are given by a formula; nothing if the formula is not a comparison of
/// the row with the column.
static std::optional<Diagonal> findDiagonal(const SizeExpression &formula, unsigned rank) {
  if (rank < 2)
    return std::nullopt;
  SizeExpression row = SizeExpression::place(rank - 2), column = SizeExpression::place(rank - 1);
  for (bool isNot : {false, true}) {
    auto sides = (isNot ? SizeExpression(1) - formula : formula).asFunction();
    if (!sides || sides->kind != SizeCode::Less)
      continue;
    SizeExpression difference = sides->b - sides->a; // positive if a < b
    SizeExpression up = difference + column - row, down = difference - column + row;
    if (!up.hasPlaces()) // column < row + up
      return Diagonal{up - 1, isNot};
    if (!down.hasPlaces()) // row - down < column
      return Diagonal{-down, !isNot};
  }
  return std::nullopt;
}

/// Emits operations that compute the tensor of `op`, and returns the tensor.
static Value lower(SizesOp op) {
  SizedTensor tensor = *SizedTensor::of(op.getResult());
  OpBuilder b(op);
  Location loc = op.getLoc();
  RankedTensorType type = cast<RankedTensorType>(op.getType());
  if (std::optional<Dim> all = tensor.splat()) {
    Value empty = tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
    Value element = asElement(b, loc, emitSize(b, loc, all->asExpression()), tensor.element);
    return linalg::FillOp::create(b, loc, element, empty).getResult(0);
  }
  std::optional<SizeExpression> formula = tensor.formula();
  // Only a tensor without elements has no formula, so there is nothing to compute.
  if (!formula) {
    SmallVector<Value> elements;
    for (const SizeExpression &expression : tensor.elements)
      elements.push_back(asElement(b, loc, emitSize(b, loc, expression), tensor.element));
    return tensor::FromElementsOp::create(b, loc, type, elements);
  }
  unsigned rank = unsigned(type.getRank());
  std::optional<Diagonal> diagonal = tensor.element.getWidth() == 1 ? findDiagonal(*formula, rank) : std::nullopt;
  Value offset = diagonal ? emitSize(b, loc, diagonal->offset) : Value();
  // Sizes are emitted here, since the body of a linalg.generic must not contain a heddle.size.
  llvm::DenseMap<unsigned, Value> sizes;
  if (!diagonal)
    for (unsigned number : formula->sizes())
      sizes[number] = SizeOp::create(b, loc, SizeScope::current()->all()[number].name);
  Value empty = tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  auto body = [&](OpBuilder &inner, Location loc, ValueRange) {
    SmallVector<Value> places;
    for (unsigned dim = 0; dim < rank; ++dim)
      places.push_back(linalg::IndexOp::create(inner, loc, dim));
    Value result;
    if (diagonal) {
      Value last = arith::AddIOp::create(inner, loc, places[rank - 2], offset);
      auto predicate = diagonal->isAfter ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::sle;
      result = arith::CmpIOp::create(inner, loc, predicate, places[rank - 1], last);
    } else {
      result = asElement(inner, loc, ExpressionEmitter(inner, loc, places, sizes).emit(*formula), tensor.element);
    }
    linalg::YieldOp::create(inner, loc, result);
  };
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(b, loc, type, ValueRange(), empty, b.getMultiDimIdentityMap(rank), iterators, body)
      .getResult(0);
}

void heddle::lowerSizes(func::FuncOp main) {
  for (auto op : llvm::make_early_inc_range(main.getOps<SizesOp>())) {
    if (!op->use_empty())
      op.replaceAllUsesWith(lower(op));
    op.erase();
  }
}
