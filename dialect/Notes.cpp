//===- Notes.cpp - list and verification of annotations -------------------===//

#include "Notes.h"
#include "ClassNotes.h"
#include "DerivedSizes.h"
#include "Heddle.h"
#include "ReadNotes.h"
#include "WeightNotes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/VectorInterfaces.h"

using namespace mlir;
using namespace heddle;

/// All annotations. The verifier rejects an annotation that is not in this list.
static constexpr const Note *all[] = {
    &notes::source,        &notes::weightFiles, &notes::name,         &notes::dims,           &notes::defaultValue,
    &notes::range,         &notes::zeroWhere,   &notes::kernel,       &notes::boolean,        &notes::booleanWeight,
    &notes::chosen,        &notes::strategy,    &notes::prefetch,     &notes::rare,           &notes::rowByRow,
    &notes::streamResults, &notes::nontemporal, &notes::weightOffset, &notes::weightTable,    &notes::weightsSize,
    &notes::weights,       &notes::result,      &notes::arenaSize,    &notes::workerSize,     &notes::arena,
    &notes::scratch,       &notes::arenaOffset, &notes::headLanes,    &notes::sizes,          &notes::derived,
    &notes::indexCheck,    &notes::state,       &notes::statePast,    &notes::stateSizes,     &notes::stateReplaced,
    &notes::mergedWeights, &notes::prefetchBytes,       &notes::prefetchCache,   &notes::weightPrefixes,
    &notes::laneRegisters, &notes::stages,      &notes::replacedInputs,
};

const Note *Note::find(StringRef name) {
  const auto *found = llvm::find_if(all, [&](const Note *note) { return note->name == name; });
  return found == std::end(all) ? nullptr : *found;
}

std::optional<SizeRanges> NoteKind<SizeRanges>::read(Attribute value) {
  auto list = dyn_cast<ArrayAttr>(value);
  if (!list)
    return std::nullopt;
  SizeRanges sizes;
  for (Attribute entry : list) {
    auto fields = dyn_cast<DictionaryAttr>(entry);
    auto name = fields ? fields.getAs<StringAttr>("name") : StringAttr();
    auto number = [&](StringRef field) {
      auto integer = fields.getAs<IntegerAttr>(field);
      return integer ? NoteKind<int64_t>::read(integer).value_or(0) : 0;
    };
    if (!name || number("low") < 0 || number("high") < std::max<int64_t>(number("low"), 1) || number("placeholder") < 2)
      return std::nullopt;
    sizes.push_back({name, number("low"), number("high"), number("placeholder")});
  }
  return sizes;
}

std::optional<DerivedSizeNote> DerivedSizeNote::read(Attribute value) {
  auto fields = dyn_cast<DictionaryAttr>(value);
  auto name = fields ? fields.getAs<StringAttr>("name") : StringAttr();
  auto code = fields ? fields.getAs<DenseI64ArrayAttr>("code") : DenseI64ArrayAttr();
  if (!name || !code)
    return std::nullopt;
  auto number = [&](StringRef field) {
    auto integer = fields.getAs<IntegerAttr>(field);
    return integer ? NoteKind<int64_t>::read(integer).value_or(-1) : -1;
  };
  DerivedSizeNote size{name, code, number("placeholder"), number("low"), number("high")};
  return size.placeholder < 2 || size.low < 0 || size.high < size.low ? std::nullopt : std::optional(size);
}

std::optional<DerivedSizeNotes> NoteKind<DerivedSizeNotes>::read(Attribute value) {
  auto list = dyn_cast<ArrayAttr>(value);
  if (!list)
    return std::nullopt;
  DerivedSizeNotes sizes;
  for (Attribute entry : list) {
    std::optional<DerivedSizeNote> note = DerivedSizeNote::read(entry);
    std::optional<SizeExpression> expression = note ? SizeExpression::fromCode(note->code) : std::nullopt;
    if (!expression || ArrayRef<int64_t>(expression->code()) != note->code)
      return std::nullopt;
    sizes.push_back(*note);
  }
  return sizes;
}

/// Returns the kind of operation or value in words, for messages.
static StringRef describe(NotePlace place) {
  switch (place) {
  case NotePlace::Module:
    return "a module";
  case NotePlace::Function:
    return "a function";
  case NotePlace::Argument:
    return "an argument";
  case NotePlace::ArgumentOrResult:
    return "an argument or a result";
  case NotePlace::Linalg:
    return "a linalg operation";
  case NotePlace::Attention:
    return "heddle.attention";
  case NotePlace::Loop:
    return "a loop";
  case NotePlace::Transfer:
    return "a vector transfer";
  case NotePlace::Weight:
    return "heddle.weight";
  }
  llvm_unreachable("all places are handled");
}

/// Returns whether annotations whose place is `place` may be on the operation.
static bool isAt(NotePlace place, Operation *op) {
  switch (place) {
  case NotePlace::Module:
    return isa<ModuleOp>(op);
  case NotePlace::Function:
    return isa<FunctionOpInterface>(op);
  case NotePlace::Linalg:
    return isa<linalg::LinalgOp>(op);
  case NotePlace::Attention:
    return isa<AttentionOp>(op);
  case NotePlace::Loop:
    return isa<LoopLikeOpInterface>(op);
  case NotePlace::Transfer:
    return isa<VectorTransferOpInterface>(op);
  case NotePlace::Weight:
    return isa<WeightOp>(op);
  case NotePlace::Argument:
  case NotePlace::ArgumentOrResult:
    return false;
  }
  llvm_unreachable("all places are handled");
}

/// Verifies an annotation. `subject` prefixes the error message. `isHere` returns whether annotations with a given
/// place may be on this operation, argument or result. `type` is the type of the annotated argument, or null.
static LogicalResult verifyNote(Operation *op, const Twine &subject, NamedAttribute attribute,
                                function_ref<bool(NotePlace)> isHere, Type type) {
  const Note *note = Note::find(attribute.getName());
  if (!note)
    return op->emitError() << subject << attribute.getName().getValue() << ": there is no annotation of this name";
  if (!isHere(note->place))
    return op->emitError() << subject << note->name << ": belongs on " << describe(note->place);
  bool fits = note->fits(attribute.getValue());
  // From stage llvm on, arguments are pointers, and only the annotation itself is verified.
  if (auto shaped = dyn_cast_or_null<ShapedType>(type); fits && shaped) {
    if (note == &notes::range)
      fits = isa<IntegerType>(shaped.getElementType());
    else if (note == &notes::dims)
      fits = !shaped.hasRank() || int64_t(cast<ArrayAttr>(attribute.getValue()).size()) == shaped.getRank();
  }
  return fits ? success() : op->emitError() << subject << note->name << ": expected " << note->expected;
}

/// Verifies that derived sizes are expressions of sizes. Their placeholders and bounds are not verified, because the
/// placeholder of min(s, 4) need not be the minimum of 4 and the placeholder of s, and because computing bounds may
/// take a long time.
static LogicalResult verifyDerived(Operation *module) {
  SizeRanges sizes = notes::sizes.get(module).value_or(SizeRanges());
  for (const DerivedSize &size : derivedSizes(cast<ModuleOp>(module))) {
    SmallVector<unsigned> of = size.expression.sizes();
    if (size.expression.hasPlaces() || of.empty() || of.back() >= sizes.size() ||
        size.expression.stacked() > SizeExpression::maxStacked)
      return module->emitError() << notes::derived.name << ": expected an expression of sizes in " << notes::sizes.name
                                 << ", found \"" << size.name << '"';
  }
  return success();
}

LogicalResult HeddleDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (failed(verifyNote(op, "", attribute, [&](NotePlace place) { return isAt(place, op); }, Type())))
    return failure();
  return attribute.getName() == notes::derived.name ? verifyDerived(op) : success();
}

LogicalResult HeddleDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned number,
                                                      NamedAttribute attribute) {
  auto isHere = [](NotePlace place) { return place == NotePlace::Argument || place == NotePlace::ArgumentOrResult; };
  auto function = dyn_cast<FunctionOpInterface>(op);
  Type type = function && number < function.getNumArguments() ? function.getArgumentTypes()[number] : Type();
  return verifyNote(op, "argument " + Twine(number) + ": ", attribute, isHere, type);
}

LogicalResult HeddleDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned number,
                                                         NamedAttribute attribute) {
  auto isHere = [](NotePlace place) { return place == NotePlace::ArgumentOrResult; };
  return verifyNote(op, "result " + Twine(number) + ": ", attribute, isHere, Type());
}
