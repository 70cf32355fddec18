//===- ConstantRules.cpp - constants that have a size in a range ----------===//

#include "ConstantRules.h"

#include "onnx/Constants.h"

#include "Heddle.h"
#include "SizeNumbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;
using onnx::Numbers;

/// Larger constants are weights.
static constexpr int64_t largestConstant = int64_t(1) << 14;

/// A table that is longer than the largest size has at most so many rows.
static constexpr int64_t longTable = 128;

/// Whether two constants of the same rank have the same elements as far as both go.
static bool agree(DenseElementsAttr one, DenseElementsAttr other) {
  ArrayRef<int64_t> shape = one.getType().getShape(), otherShape = other.getType().getShape();
  Numbers both;
  for (auto [extent, otherExtent] : llvm::zip_equal(shape, otherShape))
    both.push_back(std::min(extent, otherExtent));
  return onnx::bytesOf(onnx::gatherStrided(one, both, 0, onnx::stridesOf(shape))) ==
         onnx::bytesOf(onnx::gatherStrided(other, both, 0, onnx::stridesOf(otherShape)));
}

std::optional<ConstantRule> heddle::findBeginning(DenseElementsAttr constant, DenseElementsAttr table) {
  ArrayRef<int64_t> shape = constant.getType().getShape(), most = table.getType().getShape();
  auto fits = [](auto pair) { return std::get<0>(pair) <= std::get<1>(pair); };
  if (constant.getElementType() != table.getElementType() || !storedElementSize(constant.getElementType()) ||
      shape.size() != most.size() || !llvm::all_of(llvm::zip_equal(shape, most), fits) || !agree(constant, table))
    return std::nullopt;
  ConstantRule rule;
  rule.table = table;
  rule.begin.resize(shape.size());
  return rule;
}

std::optional<ConstantRule> heddle::findLongerTable(const Sizes &sizes, DenseElementsAttr constant,
                                                    DenseElementsAttr largest) {
  ArrayRef<int64_t> shape = constant.getType().getShape();
  std::optional<int64_t> width = storedElementSize(constant.getElementType());
  bool isShort = llvm::all_of(shape, [&](int64_t extent) { return sizes.of(extent).isFixed() || extent <= longTable; });
  if (!isShort || !width || !findBeginning(largest, constant))
    return std::nullopt;
  // A row more, which nobody reads: for a part and for the whole there would not be the same code.
  Numbers longer = llvm::map_to_vector(shape, [&](int64_t extent) { return extent + !sizes.of(extent).isFixed(); });
  auto type = RankedTensorType::get(longer, constant.getElementType());
  std::vector<char> from = onnx::bytesOf(constant), bytes(*storedSize(type));
  Numbers strides = onnx::stridesOf(longer);
  size_t next = 0;
  onnx::forEachIndex(shape, [&](ArrayRef<int64_t> at) {
    int64_t place = 0;
    for (auto [index, stride] : llvm::zip_equal(at, strides))
      place += index * stride;
    std::copy_n(from.begin() + next, *width, bytes.begin() + place * *width);
    next += *width;
  });
  ConstantRule rule;
  rule.table = onnx::fromBytes(type, bytes);
  rule.begin.resize(shape.size());
  return rule;
}

/// A number of one size, or none, and another: what `number` may be.
static std::optional<SizeOffset> findOffset(const Sizes &sizes, MLIRContext *context, int64_t number) {
  std::optional<SizeNumber> found = SizeNumber::find(sizes, IntegerAttr::get(IndexType::get(context), number));
  if (!found)
    return SizeOffset{"", number};
  if (found->extent.factor != 1 || found->extent.sizes.size() != 1)
    return std::nullopt;
  return SizeOffset{found->extent.sizes.front().str(), found->plus};
}

std::optional<ConstantRule> heddle::findDiagonal(const Sizes &sizes, DenseElementsAttr constant) {
  ArrayRef<int64_t> shape = constant.getType().getShape();
  std::optional<int64_t> width = storedElementSize(constant.getElementType());
  if (shape.size() < 2 || !width || constant.isSplat() ||
      llvm::all_of(shape.take_back(2), [&](int64_t extent) { return sizes.of(extent).isFixed(); }))
    return std::nullopt;
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  std::vector<char> bytes = onnx::bytesOf(constant);
  auto element = [&](int64_t row, int64_t column) {
    return StringRef(bytes.data() + (row * columns + column) * *width, size_t(*width));
  };
  StringRef upTo = element(rows - 1, 0), behind = element(0, columns - 1);
  if (upTo == behind)
    return std::nullopt;
  int64_t diagonal = -1; // of the first row, or of the first column where that has none
  while (element(0, diagonal + 1) == upTo)
    ++diagonal;
  if (diagonal < 0)
    while (element(-diagonal, 0) != upTo)
      --diagonal;
  for (int64_t place = 0; place < constant.getNumElements(); ++place) {
    int64_t row = place / columns % rows, column = place % columns;
    if (element(0, place) != (column - row <= diagonal ? upTo : behind))
      return std::nullopt;
  }
  std::optional<SizeOffset> offset = findOffset(sizes, constant.getContext(), diagonal);
  if (!offset)
    return std::nullopt;
  auto values = constant.getValues<Attribute>();
  ConstantRule rule;
  rule.upTo = values[(rows - 1) * columns];
  rule.behind = values[columns - 1];
  rule.diagonal = *offset;
  return rule;
}

static int64_t offsetAt(const SizeOffset &offset, const Sizes &sizes, ArrayRef<int64_t> values) {
  return offset.size.empty() ? offset.plus : sizes.at(offset.size, values) + offset.plus;
}

/// With equal elements as one.
static DenseElementsAttr simplified(DenseElementsAttr elements) {
  auto values = elements.getValues<Attribute>();
  bool isSplat = !elements.empty() && llvm::all_of(values, [&](Attribute value) { return value == *values.begin(); });
  return isSplat ? DenseElementsAttr::get(elements.getType(), *values.begin()) : elements;
}

DenseElementsAttr heddle::elementsAt(const ConstantRule &rule, ArrayRef<int64_t> shape, const Sizes &sizes,
                                     ArrayRef<int64_t> values) {
  if (!rule.table) {
    auto type = RankedTensorType::get(shape, cast<TypedAttr>(rule.upTo).getType());
    int64_t diagonal = offsetAt(rule.diagonal, sizes, values);
    SmallVector<Attribute> elements;
    onnx::forEachIndex(shape, [&](ArrayRef<int64_t> at) {
      bool isUpTo = at.back() - at[at.size() - 2] <= diagonal;
      elements.push_back(isUpTo ? rule.upTo : rule.behind);
    });
    return simplified(DenseElementsAttr::get(type, elements));
  }
  Numbers most(rule.table.getType().getShape()), strides = onnx::stridesOf(most);
  int64_t begin = 0;
  for (auto [extent, all, size, stride] : llvm::zip_equal(shape, most, rule.begin, strides)) {
    int64_t from = size.empty() ? 0 : sizes.at(size, values);
    if (from + extent > all)
      return {};
    begin += from * stride;
  }
  return simplified(onnx::gatherStrided(rule.table, shape, begin, strides));
}

void heddle::forEachConstant(ModuleOp model, function_ref<void(unsigned, arith::ConstantOp)> see) {
  unsigned number = 0;
  model.walk([&](arith::ConstantOp op) { see(number++, op); });
}

static Value emitTable(OpBuilder &b, Location loc, const ConstantRule &rule, RankedTensorType type,
                       ArrayRef<int64_t> begin) {
  auto mixed = [&](ArrayRef<int64_t> values) { return getAsIndexOpFoldResult(b.getContext(), values); };
  auto all = arith::ConstantOp::create(b, loc, rule.table);
  return tensor::ExtractSliceOp::create(b, loc, type, all, mixed(begin), mixed(type.getShape()),
                                        mixed(Numbers(type.getRank(), 1)));
}

/// Booleans as a comparison, as recognition knows it.
static Value emitDiagonal(OpBuilder &b, Location loc, const ConstantRule &rule, RankedTensorType type,
                          int64_t diagonal) {
  int64_t rank = type.getRank();
  bool isMask = type.getElementType().isInteger(1);
  bool isTrueBehind = isMask && !cast<IntegerAttr>(rule.behind).getValue().isZero();
  auto element = [&](Attribute value) -> Value {
    return isMask ? Value() : arith::ConstantOp::create(b, loc, cast<TypedAttr>(value));
  };
  Value upTo = element(rule.upTo), behind = element(rule.behind);
  Value offset = arith::ConstantIndexOp::create(b, loc, diagonal);
  auto body = [&](OpBuilder &inner, Location loc, ValueRange) {
    Value row = linalg::IndexOp::create(inner, loc, rank - 2), column = linalg::IndexOp::create(inner, loc, rank - 1);
    Value last = arith::AddIOp::create(inner, loc, row, offset);
    auto predicate = isTrueBehind ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::sle;
    Value result = arith::CmpIOp::create(inner, loc, predicate, column, last);
    if (!isMask)
      result = arith::SelectOp::create(inner, loc, result, upTo, behind);
    linalg::YieldOp::create(inner, loc, result);
  };
  Value empty = tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(b, loc, type, ValueRange(), empty, b.getMultiDimIdentityMap(rank), iterators, body)
      .getResult(0);
}

LogicalResult heddle::takeRules(ModuleOp model, const ConstantRules &rules, ArrayRef<int64_t> values) {
  Sizes sizes(model);
  SmallVector<std::pair<arith::ConstantOp, const ConstantRule *>> found;
  forEachConstant(model, [&](unsigned number, arith::ConstantOp op) {
    if (auto rule = rules.find(number); rule != rules.end())
      found.push_back({op, &rule->second});
  });
  for (auto [op, rule] : found) {
    auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
    auto type = dyn_cast<RankedTensorType>(op.getType());
    bool isLike = elements && (!rule->table || rule->table.getType().getRank() == type.getRank());
    DenseElementsAttr expected = isLike ? elementsAt(*rule, type.getShape(), sizes, values) : DenseElementsAttr();
    if (!expected || expected.getType() != type || onnx::bytesOf(expected) != onnx::bytesOf(elements))
      return op.emitError() << "is not the part of what it is for larger sizes";
    OpBuilder b(op);
    Value value;
    if (rule->table) {
      SmallVector<int64_t> begin = llvm::map_to_vector(
          rule->begin, [&](const std::string &size) { return size.empty() ? 0 : sizes.at(size, values); });
      value = emitTable(b, op.getLoc(), *rule, type, begin);
    } else {
      value = emitDiagonal(b, op.getLoc(), *rule, type, offsetAt(rule->diagonal, sizes, values));
    }
    op.replaceAllUsesWith(value);
    op.erase();
  }
  return success();
}

LogicalResult heddle::storeLargeConstants(Model &model) {
  int64_t number = 0;
  WalkResult walked = model.module->walk([&](arith::ConstantOp op) -> WalkResult {
    auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!elements || elements.isSplat() || elements.getNumElements() <= largestConstant)
      return WalkResult::advance();
    std::string name;
    do
      name = "constant." + std::to_string(number++);
    while (model.weights.find(name));
    auto type = cast<RankedTensorType>(op.getType());
    if (!model.weights.add(name, type, onnx::bytesOf(elements)))
      return op.emitError() << "a constant of type " << type << " cannot be stored";
    OpBuilder b(op);
    auto weight = WeightOp::create(b, op.getLoc(), type, b.getStringAttr(name), b.getArrayAttr({}));
    op.getResult().replaceAllUsesWith(weight.getResult());
    op.erase();
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}
