//===- FileSizes.cpp - .mlir files with sizes in ranges -------------------===//

#include "FileSizes.h"

#include "sizes/SymbolicImport.h"
#include "sizes/ChoosePlaceholders.h"
#include "sizes/EmitSizes.h"
#include "sizes/SizeScope.h"

#include "heddle/InputFile.h"
#include "heddle/ParseMlir.h"

#include "DerivedSizes.h"
#include "Heddle.h"
#include "Notes.h"
#include "Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
using namespace mlir;
using namespace heddle;

namespace {

/// Replaces the placeholders of sizes in a file by the sizes of the current import.
class Substitution {
public:
  /// `values` are the new values of the module's sizes, in the order of `heddle.sizes`.
  Substitution(ModuleOp module, ArrayRef<SizeExpression> values) : module(module), sizes(module), values(values) {}

  LogicalResult apply();

private:
  /// Returns the number that replaces `number` in types and attributes.
  int64_t at(int64_t number);
  SmallVector<int64_t> at(ArrayRef<int64_t> numbers) {
    return llvm::map_to_vector(numbers, [&](int64_t number) { return at(number); });
  }
  /// Returns the value of the expression with the new values of sizes; nothing if the value does not fit into 64 bits.
  std::optional<Dim> valueOf(const SizeExpression &expression);
  /// Returns a constant with the new shape. Only a splat constant may have a shape that depends on sizes.
  Attribute replaceElements(ElementsAttr elements);
  void replaceTypes();
  void replacePlaces(Operation *op);
  void warnOfNumber(arith::ConstantOp op);
  /// Replaces a `heddle.size` operation by the value of its size.
  void replaceSize(SizeOp op);

  ModuleOp module;
  Sizes sizes;
  ArrayRef<SizeExpression> values;
  std::string wrong; // the text of the last error; empty if there is none
};

} // namespace

std::optional<Dim> Substitution::valueOf(const SizeExpression &expression) {
  SizeExpression value = expression.withSizes(values);
  if (value.sizes().empty() && !value.isNumber())
    return std::nullopt;
  return Dim(value);
}

int64_t Substitution::at(int64_t number) {
  if (ShapedType::isDynamic(number))
    return number;
  Extent extent = sizes.of(number);
  SizeExpression product = extent.factor();
  for (StringRef name : extent.sizes())
    product = product * sizes.expressionOf(*sizes.find(name));
  std::optional<Dim> value = valueOf(product);
  if (value)
    return numberOf(*value);
  wrong = "the extent " + std::to_string(number) + " becomes too large for the given sizes";
  return number;
}

Attribute Substitution::replaceElements(ElementsAttr elements) {
  auto type = dyn_cast<RankedTensorType>(elements.getShapedType());
  if (!type)
    return elements;
  RankedTensorType fixed = type.clone(at(type.getShape()));
  if (fixed == type)
    return elements;
  if (auto dense = dyn_cast<DenseElementsAttr>(Attribute(elements)); dense && dense.isSplat())
    return dense.resizeSplat(fixed);
  wrong = "the file has a constant with different elements whose shape depends on a size";
  return elements;
}

void Substitution::replaceTypes() {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](ElementsAttr elements) -> std::optional<std::pair<Attribute, WalkResult>> {
    return std::pair(replaceElements(elements), WalkResult::skip());
  });
  replacer.addReplacement([&](RankedTensorType type) -> std::optional<std::pair<Type, WalkResult>> {
    return std::pair<Type, WalkResult>(type.clone(at(type.getShape())), WalkResult::skip());
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
}

/// Replaces the placeholders in those attributes of an operation that are offsets, extents, widths of padding or bounds
/// of inputs. Numbers in all other attributes are data.
void Substitution::replacePlaces(Operation *op) {
  auto replaceSlice = [&](auto slice) {
    slice.setStaticOffsets(at(slice.getStaticOffsets()));
    slice.setStaticSizes(at(slice.getStaticSizes()));
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<tensor::ExtractSliceOp, tensor::InsertSliceOp>(replaceSlice)
      .Case([&](tensor::PadOp pad) {
        pad.setStaticLow(at(pad.getStaticLow()));
        pad.setStaticHigh(at(pad.getStaticHigh()));
      })
      .Case([&](tensor::ExpandShapeOp expand) { expand.setStaticOutputShape(at(expand.getStaticOutputShape())); })
      .Case([&](func::FuncOp function) {
        for (unsigned i = 0; i < function.getNumArguments(); ++i)
          if (auto range = notes::range.get(function, i))
            notes::range.set(function, i, {at(range->low), at(range->high)});
      });
}

/// Warns about a constant that equals a placeholder or a multiple of a placeholder. Earlier versions of Heddle wrote
/// such constants to files instead of `heddle.size` operations, for example as the divisor of a mean, so the constant
/// may be meant as a size.
void Substitution::warnOfNumber(arith::ConstantOp op) {
  Attribute number = op.getValue();
  if (auto elements = dyn_cast<SplatElementsAttr>(number))
    number = elements.getSplatValue<Attribute>();
  std::optional<int64_t> integer;
  if (auto real = dyn_cast<FloatAttr>(number); real && real.getValue().isInteger() && std::abs(real.getValueAsDouble()) < 0x1p53)
    integer = int64_t(real.getValueAsDouble());
  else if (auto whole = dyn_cast<IntegerAttr>(number); whole && whole.getValue().getSignificantBits() <= 64)
    integer = whole.getValue().getSExtValue();
  if (!integer || *integer == 0)
    return;
  if (Extent extent = sizes.of(*integer); !extent.isFixed())
    op.emitWarning() << "this constant is " << *integer << " at all sizes, although " << *integer
                     << " is the placeholder for " << llvm::join(extent.sizes(), " x ")
                     << " in types; if the size is meant, import the model again";
}

void Substitution::replaceSize(SizeOp op) {
  std::optional<int64_t> size = sizes.find(op.getName());
  if (!size) {
    wrong = "the file reads the size \"" + op.getName().str() + "\", which is not in this list";
    return;
  }
  std::optional<Dim> value = valueOf(sizes.expressionOf(*size));
  if (!value) {
    wrong = "the size \"" + op.getName().str() + "\" becomes too large for the given sizes";
    return;
  }
  OpBuilder b(op);
  std::optional<int64_t> number = value->number();
  op.replaceAllUsesWith(number ? arith::ConstantIndexOp::create(b, op.getLoc(), *number).getResult()
                               : emitSize(b, op.getLoc(), value->asExpression()));
  op.erase();
}

LogicalResult Substitution::apply() {
  notes::sizes.remove(module);
  notes::derived.remove(module);
  replaceTypes();
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    replacePlaces(op);
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      warnOfNumber(constant);
    if (auto size = dyn_cast<SizeOp>(op))
      replaceSize(size);
  }
  if (!wrong.empty())
    return module.emitError() << notes::sizes.name << ": " << wrong;
  // With sizes in ranges, the placeholders may violate MLIR's rules at this point. `checkExtents` later checks each
  // operation for all sizes.
  return SizeScope::current() ? success() : verify(module);
}

/// The upper bound of the placeholders of derived sizes, which are computed from other sizes. The placeholders of these
/// other sizes have the smaller upper bound `maxPlaceholder`.
static constexpr int64_t maxDerived = int64_t(1) << 32;

/// Checks the sizes of a file. There may be at most `maxSizes` sizes that are not derived, and the placeholder of each
/// of them must be a different prime, at most `maxPlaceholder`. The bounds of a derived size must be those of its
/// expression. Each size, derived or not, must have a unique name, and a placeholder that is at most `maxDerived` and
/// has a prime factor that no other placeholder has. The prime factors of a number in a type then show of which sizes
/// it is the product.
static LogicalResult checkSizes(ModuleOp module) {
  auto refuse = [&](StringRef note) { return module.emitError() << note << ": "; };
  Sizes sizes(module);
  if (sizes.all().size() > maxSizes)
    return refuse(notes::sizes.name) << "expected at most " << maxSizes << " sizes, found " << sizes.all().size();
  llvm::StringSet<> names;
  SmallVector<int64_t> placeholders;
  auto check = [&](StringRef note, StringRef name, int64_t number) -> LogicalResult {
    if (name.empty() || !names.insert(name).second)
      return refuse(note) << "expected a unique name for each size, found \"" << name << '"';
    placeholders.push_back(number);
    return success();
  };
  for (const SizeRange &range : sizes.all()) {
    if (failed(check(notes::sizes.name, range.name, range.placeholder)))
      return failure();
    if (range.placeholder > maxPlaceholder || !isPrime(range.placeholder) ||
        llvm::is_contained(ArrayRef(placeholders).drop_back(), range.placeholder))
      return refuse(notes::sizes.name) << "expected a different prime of at most " << maxPlaceholder
                                       << " for each size, found " << range.placeholder;
  }
  for (const DerivedSize &size : derivedSizes(module)) {
    if (failed(check(notes::derived.name, size.name, size.placeholder)))
      return failure();
    std::optional<SizeBounds> bounds = sizes.domain().boundsOf(size.expression, {}, /*isExact=*/true);
    if (!bounds || bounds->low != size.low || bounds->high != size.high)
      return refuse(notes::derived.name) << "expected bounds of \"" << size.name
                                         << "\" that equal those of its expression, found " << size.low << ".."
                                         << size.high;
  }
  for (size_t i = 0; i < placeholders.size(); ++i) {
    SmallVector<int64_t> others(placeholders);
    others.erase(others.begin() + i);
    if (placeholders[i] > maxDerived || ownPart(placeholders[i], others) == 1)
      return refuse(notes::derived.name) << "expected a number of at most " << maxDerived
                                         << " for each size, with a prime factor that no other size has, found "
                                         << placeholders[i];
  }
  return success();
}

/// Whether the text of a file contains the name `heddle.sizes`. Other files need not be parsed to find their sizes. If
/// the file cannot be read, the result is false, and the import of the model emits the error.
static bool mentionsSizes(StringRef path) {
  auto buffer = readRegularFile(path, /*isText=*/true);
  if (!buffer) {
    llvm::consumeError(buffer.takeError());
    return false;
  }
  return (*buffer)->getBuffer().contains(notes::sizes.name);
}

LogicalResult heddle::addFileRanges(MLIRContext &context, StringRef path, ImportTask &options) {
  // When a model is imported again, its ranges are already in the options.
  if (!options.sizes.at.empty() || !options.sizes.within.empty() || options.sizes.placeholderSet != 0 ||
      !mentionsSizes(path))
    return success();
  FailureOr<OwningOpRef<ModuleOp>> module = parseMlirFile(context, path);
  if (failed(module))
    return failure();
  if (failed(checkSizes(**module)))
    return failure();
  SizeRanges ranges = notes::sizes.get(**module).value_or(SizeRanges());
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
      options.setWrongUsage();
      return (*module)->emitError() << range.name << ": expected sizes within " << range.low << ".." << range.high
                                    << ", the range in this file, found " << wanted.low << ".." << wanted.high;
    }
    if (number == options.dims.end())
      options.ranges.push_back(wanted);
  }
  // `bindSizes` later reports names of sizes that the file does not contain.
  llvm::append_range(options.ranges, given);
  return success();
}

FailureOr<std::vector<std::string>> heddle::fixFileSizes(ModuleOp module, const ImportTask &options) {
  std::vector<std::string> names;
  SmallVector<SizeExpression> values;
  for (const SizeRange &range : notes::sizes.get(module).value_or(SizeRanges())) {
    names.push_back(range.name.str());
    values.push_back(dimOf(options.dims.lookup(range.name)).asExpression());
  }
  if (!notes::sizes.has(module)) {
    WalkResult walked = module.walk([](SizeOp op) -> WalkResult {
      return op.emitError() << "the file does not declare the size \"" << op.getName() << "\": its module has no "
                            << notes::sizes.name;
    });
    return walked.wasInterrupted() ? FailureOr<std::vector<std::string>>(failure()) : names;
  }
  if (failed(Substitution(module, values).apply()))
    return failure();
  return names;
}

LogicalResult heddle::checkPrintable(const Model &model) {
  return notes::sizes.has(*model.module) ? checkSizes(*model.module) : success();
}
