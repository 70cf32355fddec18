//===- FileSizes.cpp - sizes in ranges of .mlir files ---------------------===//

#include "FileSizes.h"

#include "AnySizes.h"
#include "Corners.h"
#include "sizes/ChooseStands.h"

#include "heddle/ParseMlir.h"

#include "Heddle.h"
#include "Notes.h"
#include "SizeNumbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

namespace {

/// Numbers in the place of the primes that stand for sizes.
class Substitution {
public:
  Substitution(ModuleOp module, ArrayRef<int64_t> values) : module(module), sizes(module), values(values) {}

  LogicalResult apply();

private:
  using Replaced = std::optional<std::pair<Attribute, WalkResult>>;
  int64_t at(int64_t number);
  SmallVector<int64_t> at(ArrayRef<int64_t> numbers) {
    return llvm::map_to_vector(numbers, [&](int64_t number) { return at(number); });
  }
  Replaced replace(Attribute attribute);
  Attribute replaceNumber(TypedAttr number);
  Attribute replaceElements(ElementsAttr elements);

  ModuleOp module;
  Sizes sizes;
  ArrayRef<int64_t> values;
  std::string wrong;
};

} // namespace

int64_t Substitution::at(int64_t number) {
  if (ShapedType::isDynamic(number))
    return number;
  Extent extent = sizes.of(number);
  // Of products of different sizes, one is larger than another everywhere if it is so at all corners.
  llvm::StringSet<> factors;
  for (StringRef name : extent.sizes)
    for (unsigned size : sizes.expressionOf(*sizes.find(name)).sizes())
      if (StringRef term = sizes.all()[size].name; !factors.insert(term).second)
        wrong = "has '" + term.str() + "' twice as a factor of " + std::to_string(number) + ", which a file cannot have";
  int64_t product = sizes.at(extent, values);
  if (!extent.isFixed() && product == INT64_MAX)
    wrong = std::to_string(number) + " becomes too large";
  return product;
}

/// An integer, or a float that has all digits of one, where it is a multiple of a prime.
Attribute Substitution::replaceNumber(TypedAttr number) {
  auto real = dyn_cast<FloatAttr>(number);
  if (real && std::abs(real.getValueAsDouble()) >=
                  std::ldexp(1.0, int(APFloat::semanticsPrecision(real.getValue().getSemantics()))))
    return number;
  std::optional<SizeNumber> found = SizeNumber::find(sizes, number);
  if (!found || found->plus || found->isInverse)
    return number;
  Attribute replaced = found->at(at(found->extent.number), number.getType());
  if (!replaced)
    wrong = std::to_string(found->extent.number) + " becomes too large";
  return replaced ? replaced : number;
}

Attribute Substitution::replaceElements(ElementsAttr elements) {
  auto type = dyn_cast<RankedTensorType>(elements.getShapedType());
  if (!type)
    return elements;
  RankedTensorType fixed = type.clone(at(type.getShape()));
  if (auto dense = dyn_cast<DenseElementsAttr>(Attribute(elements)); dense && dense.isSplat()) {
    dense = dense.resizeSplat(fixed);
    bool isNumber = fixed.getElementType().isIntOrIndexOrFloat();
    return isNumber ? DenseElementsAttr::get(fixed, replaceNumber(dense.getSplatValue<TypedAttr>())) : dense;
  }
  if (fixed == type)
    return elements;
  wrong = "has a constant that is not the same everywhere, whose shape depends on a size";
  return elements;
}

Substitution::Replaced Substitution::replace(Attribute attribute) {
  if (auto elements = dyn_cast<ElementsAttr>(attribute))
    return std::pair(replaceElements(elements), WalkResult::skip());
  if (auto numbers = dyn_cast<DenseI64ArrayAttr>(attribute))
    return std::pair<Attribute, WalkResult>(DenseI64ArrayAttr::get(module.getContext(), at(numbers.asArrayRef())),
                                            WalkResult::skip());
  if (!isa<IntegerAttr, FloatAttr>(attribute))
    return std::nullopt;
  return std::pair(replaceNumber(cast<TypedAttr>(attribute)), WalkResult::skip());
}

LogicalResult Substitution::apply() {
  notes::sizes.remove(module);
  notes::derived.remove(module);
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](Attribute attribute) { return replace(attribute); });
  replacer.addReplacement([&](RankedTensorType type) -> std::optional<std::pair<Type, WalkResult>> {
    return std::pair<Type, WalkResult>(type.clone(at(type.getShape())), WalkResult::skip());
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
  module.walk([&](SizeOp op) {
    OpBuilder b(op);
    if (!sizes.find(op.getName())) {
      wrong = "has no size \"" + op.getName().str() + "\"";
      return;
    }
    op.replaceAllUsesWith(arith::ConstantIndexOp::create(b, op.getLoc(), sizes.at(op.getName(), values)).getResult());
    op.erase();
  });
  if (!wrong.empty())
    return module.emitError() << notes::sizes.name << ": " << wrong;
  return verify(module);
}

static constexpr int64_t mostStands = 1 << 16;

/// Whether an expression is a sum of different sizes and a number: then what holds at the corners of the ranges holds
/// between them.
static bool isSum(const SizeExpression &expression, size_t sizes) {
  SizeExpression sum = SizeEvaluator(expression).at(SmallVector<int64_t>(sizes, 0)).value_or(0);
  for (unsigned size : expression.sizes())
    sum = sum + SizeExpression::size(size);
  return sum == expression;
}

/// Whether what a module derives of its sizes are sums, and what stands for them has a prime factor of its own, that is none
/// of the `primes` of its sizes.
static LogicalResult checkDerived(ModuleOp module, ArrayRef<SizeRange> ranges, llvm::StringSet<> &names,
                               const llvm::DenseSet<int64_t> &primes) {
  auto refuse = [&] { return module.emitError() << notes::derived.name << ": "; };
  Sizes sizes(module);
  SizeDomain domain = sizes.domain();
  DerivedSizes derived = sizes.derived();
  for (const DerivedSize &size : derived) {
    if (!isSum(size.expression, ranges.size()))
      return refuse() << "expected the sum of different sizes and a number, found \"" << size.name << '"';
    if (size.name.empty() || !names.insert(size.name).second)
      return refuse() << "expected a name of its own for each size, found \"" << size.name << '"';
    std::optional<SizeBounds> bounds = domain.boundsOf(size.expression, {}, /*isExact=*/true);
    if (!bounds || bounds->low != size.low || bounds->high != size.high)
      return refuse() << "expected the bounds of \"" << size.name << "\", found " << size.low << ".." << size.high;
    auto stands = llvm::map_to_vector(ranges, [](const SizeRange &range) { return range.stands; });
    if (SizeEvaluator(size.expression).at(stands) != size.stands)
      return refuse() << "expected of \"" << size.name << "\" the value at what stands for its sizes, found "
                      << size.stands;
    SmallVector<int64_t> others = llvm::to_vector(primes);
    for (const DerivedSize &other : derived)
      if (other.name != size.name)
        others.push_back(other.stands);
    if (size.stands > mostStands || size.stands < 2 || ownPart(size.stands, others) < 5)
      return refuse() << "expected a number that has a prime factor of its own for each size, found " << size.stands;
  }
  return success();
}

/// Whether the primes of a module are such, and it is valid at all corners of the ranges, and so between them.
static LogicalResult checkSizes(ModuleOp module, ArrayRef<SizeRange> ranges) {
  auto refuse = [&] { return module.emitError() << notes::sizes.name << ": "; };
  llvm::StringSet<> names;
  llvm::DenseSet<int64_t> primes;
  for (const SizeRange &range : ranges) {
    if (range.name.empty() || !names.insert(range.name).second)
      return refuse() << "expected a name of its own for each size, found \"" << range.name << '"';
    if (range.stands > mostStands || !isPrime(range.stands) || !primes.insert(range.stands).second)
      return refuse() << "expected another prime below " << mostStands << " for each size, found " << range.stands;
  }
  if (ranges.size() > mostSizes)
    return refuse() << "expected at most " << mostSizes << " sizes, found " << ranges.size();
  if (failed(checkDerived(module, ranges, names, primes)))
    return failure();
  for (size_t corner = 0; corner < size_t(1) << ranges.size(); ++corner) {
    SmallVector<int64_t> values = cornerOf(ranges, corner);
    std::string text;
    for (auto [range, value] : llvm::zip_equal(ranges, values))
      text += " " + range.name.str() + "=" + std::to_string(value);
    OwningOpRef<ModuleOp> fixed = module.clone();
    if (failed(Substitution(*fixed, values).apply()))
      return refuse() << "the module is not valid at" << text;
  }
  return success();
}

static bool mentionsSizes(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer && (*buffer)->getBuffer().contains(notes::sizes.name);
}

LogicalResult heddle::addFileRanges(MLIRContext &context, StringRef path, ImportOptions &options) {
  // When it is imported again, all of them are there.
  if (!options.sizes.at.empty() || options.sizes.primes != 0 || !mentionsSizes(path))
    return success();
  FailureOr<OwningOpRef<ModuleOp>> module = parseMlirFile(context, path);
  if (failed(module))
    return failure();
  SizeRanges ranges = notes::sizes.get(**module).value_or(SizeRanges());
  if (failed(checkSizes(**module, ranges)))
    return failure();
  std::vector<DimRange> given = std::move(options.ranges);
  options.ranges.clear();
  for (const SizeRange &range : ranges) {
    DimRange wanted{range.name.str(), range.low, range.high};
    auto found = llvm::find_if(given, [&](const DimRange &other) { return other.name == range.name; });
    auto number = options.dims.find(range.name);
    if (found != given.end()) {
      wanted = *found;
      given.erase(found);
    } else if (number != options.dims.end()) {
      wanted.low = wanted.high = number->second;
    }
    if (wanted.low < range.low || wanted.high > range.high) {
      if (options.wrongUsage)
        *options.wrongUsage = true;
      return (*module)->emitError() << range.name << " is " << range.low << ".." << range.high << " in this file";
    }
    if (number == options.dims.end())
      options.ranges.push_back(wanted);
  }
  llvm::append_range(options.ranges, given); // which the file does not have, as is found there
  return success();
}

FailureOr<std::vector<std::string>> heddle::fixFileSizes(ModuleOp module, const ImportOptions &options) {
  std::vector<std::string> names;
  SmallVector<int64_t> values;
  for (const SizeRange &range : notes::sizes.get(module).value_or(SizeRanges())) {
    names.push_back(range.name.str());
    values.push_back(options.dims.lookup(range.name));
  }
  if (notes::sizes.has(module) && failed(Substitution(module, values).apply()))
    return failure();
  return names;
}

LogicalResult heddle::checkPrintable(const Model &model) {
  auto module = model.module.get();
  SizeRanges ranges = notes::sizes.get(module).value_or(SizeRanges());
  if (ranges.empty())
    return success();
  if (failed(checkSizes(module, ranges)))
    return failure();
  if (model.isSymbolic) {
    // Only extents and places stand for sizes here, but who reads the file takes any number for one.
    WalkResult walked = module.walk([&](arith::ConstantOp op) {
      return SizeNumber::find(Sizes(module), op.getValue()) ? WalkResult::interrupt() : WalkResult::advance();
    });
    return walked.wasInterrupted() ? module.emitError() << "cannot be printed: a number that is no size is a multiple of "
                                                           "what stands for one"
                                   : success();
  }
  SizeOptions largest;
  largest.hasRules = true;
  SmallVector<int64_t> values;
  for (const SizeRange &range : ranges) {
    largest.at[range.name] = range.high;
    values.push_back(range.high);
  }
  FailureOr<Model> fixed = model.importAgain(largest);
  OwningOpRef<ModuleOp> copy = module.clone();
  if (failed(fixed) || failed(Substitution(*copy, values).apply()))
    return failure();
  if (failed(isSameAt(*copy, {}, *fixed->module)))
    return module.emitError() << "cannot be printed: a number that is no size is a multiple of what stands for one, or "
                                 "one that is computed from a size is not";
  return success();
}
