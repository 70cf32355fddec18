//===- Mlir.cpp - imports .mlir files -------------------------------------===//
//
// An .mlir file may come from anywhere. Therefore the importer checks everything that the rest of the compiler assumes
// about an imported module.
//
//===----------------------------------------------------------------------===//

#include "Mlir.h"

#include "BindSizes.h"
#include "BoundLookups.h"
#include "FileSizes.h"
#include "GuardDivisions.h"
#include "InlineCalls.h"
#include "gguf/GgufFile.h"
#include "sizes/ModelExtents.h"

#include "heddle/InputFile.h"
#include "heddle/ModelDigest.h"
#include "heddle/ParseMlir.h"
#include "heddle/Recipe.h"
#include "heddle/Safetensors.h"

#include "WeightNotes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace heddle;

/// The maximum size of a tensor of a model in bytes.
static constexpr int64_t tensorLimit = int64_t(1) << 40;
/// The import stops after this number of errors about unsupported operations.
static constexpr int maxErrors = 20;

/// Finds the function `main`. If there is none, renames the only public function to `main`.
static FailureOr<func::FuncOp> findMain(ModuleOp module) {
  if (auto main = module.lookupSymbol<func::FuncOp>("main"))
    return main;
  SmallVector<func::FuncOp> candidates;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      candidates.push_back(function);
  if (candidates.size() != 1)
    return module.emitError() << "expected a function 'main', or exactly one public function with a body, found "
                              << candidates.size();
  auto name = StringAttr::get(module.getContext(), "main");
  if (failed(SymbolTable::replaceAllSymbolUses(candidates.front(), name, module)))
    return module.emitError() << "cannot rename '" << candidates.front().getSymName() << "' to 'main'";
  candidates.front().setSymName(name);
  return candidates.front();
}

/// Emits an error unless `type` is a scalar type, or a tensor type with static shape and a supported element type and
/// size.
static LogicalResult checkType(Operation *op, Type type) {
  if (isa<IndexType>(type) || type.isIntOrFloat())
    return success();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return op->emitError() << "expected tensors and scalars, found " << type;
  if (!tensor.hasStaticShape())
    return op->emitError() << "'" << op->getName()
                           << "': its dynamic sizes cannot be derived from the sizes of the arguments, found " << type;
  // An index takes 64 bits.
  bool ofIndices = isa<IndexType>(tensor.getElementType());
  std::optional<int64_t> size =
      storedSize(ofIndices ? tensor.clone(IntegerType::get(type.getContext(), 64)) : tensor);
  if (!size || *size > tensorLimit)
    return op->emitError() << "the tensor is too large, or its element type is not supported: " << type;
  return success();
}

/// Refuses the annotations that only the compiler's own stages may set, because the later stages that read them do not
/// check them.
static LogicalResult checkNotes(Operation *op) {
  SmallVector<NamedAttribute> attributes(op->getDiscardableAttrs());
  if (auto function = dyn_cast<func::FuncOp>(op))
    for (ArrayAttr all : {function.getArgAttrsAttr(), function.getResAttrsAttr()})
      if (all)
        for (auto some : all.getAsRange<DictionaryAttr>())
          llvm::append_range(attributes, some);
  for (NamedAttribute attribute : attributes)
    if (const Note *note = Note::find(attribute.getName()); note && !note->inFiles)
      return op->emitError() << note->name
                             << ": this attribute is set by a stage of the compiler and not allowed in a file";
  return success();
}

/// Checks the conditions on an operation that do not depend on sizes.
static LogicalResult checkKind(Operation *op) {
  if (notes::sizes.has(op)) // `fixFileSizes` has removed the sizes of the file's own module
    return op->emitError() << notes::sizes.name << ": expected on the module of the file, found on an inner module";
  static const char *const dialects[] = {"arith", "func", "heddle", "linalg", "math", "tensor"};
  StringRef dialect = op->getName().getDialectNamespace();
  if (!isa<ModuleOp>(op) && !llvm::is_contained(dialects, dialect))
    return op->emitError() << "'" << op->getName() << "' cannot be part of a model, only operations of "
                           << "arith, func, heddle, linalg, math and tensor";
  if (isa<AccessesOp, DispatchOp, LaunchOp, TileCopyOp, TileProductOp>(op))
    return op->emitError() << "'" << op->getName() << "' cannot be part of a model: stages of the compiler create it";
  if (failed(checkNotes(op)))
    return failure();
  for (NamedAttribute attribute : op->getAttrs())
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute.getValue()))
      if (!resource.getRawHandle().getBlob())
        return op->emitError() << "the file does not contain the resource '" << resource.getRawHandle().getKey() << "'";
  if (isa<tensor::ReshapeOp>(op))
    return op->emitError() << "'" << op->getName() << "' is not supported, because its shape is an operand; use "
                           << "tensor.expand_shape or tensor.collapse_shape";
  if (isa<tensor::GatherOp, tensor::ScatterOp>(op))
    return op->emitError() << "'" << op->getName() << "' is not supported; use tensor.extract in a linalg.generic";
  return success();
}

/// Checks an operation after its sizes are known: the offsets, sizes and strides of slices and the widths of padding
/// must be static, and tensors must have static shapes and supported element types and sizes.
static LogicalResult checkSizeOp(Operation *op) {
  if (auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op))
    if (!slice.getOffsets().empty() || !slice.getSizes().empty() || !slice.getStrides().empty())
      return op->emitError() << "a slice with computed offsets, sizes or strides is not supported";
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    if (!pad.getLow().empty() || !pad.getHigh().empty())
      return op->emitError() << "padding whose width is computed is not supported";
  for (Type type : op->getResultTypes())
    if (failed(checkType(op, type)))
      return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (failed(checkType(op, type)))
          return failure();
  return success();
}

/// Checks that arguments and results are tensors and that there is a result, and gives default names to arguments and
/// results without a name. Names must be unique among the arguments, and among the results.
static LogicalResult checkSignature(func::FuncOp main) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  if (!llvm::all_of(main.getArgumentTypes(), isTensor) || !llvm::all_of(main.getResultTypes(), isTensor) ||
      main.getNumResults() == 0)
    return main.emitError() << "expected tensors as arguments and at least one as result, found "
                            << main.getFunctionType();
  llvm::StringSet<> names;
  auto checkName = [&](StringRef name) -> LogicalResult {
    if (!name.empty() && names.insert(name).second)
      return success();
    return main.emitError() << "heddle.name: expected a unique name for each argument and result, found \"" << name
                            << '"';
  };
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    std::string fallback = "arg" + std::to_string(i), name = notes::name.get(main, i).value_or(fallback).str();
    if (failed(checkName(name)))
      return failure();
    notes::name.set(main, i, name);
  }
  names.clear();
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    std::string fallback = main.getNumResults() == 1 ? "out" : "out" + std::to_string(i);
    std::string name = notes::name.getOfResult(main, i).value_or(fallback).str();
    if (failed(checkName(name)))
      return failure();
    notes::name.setOfResult(main, i, name);
  }
  return success();
}

/// Adds the tensors of a file to `store`. The names in the store begin with `prefix`.
static LogicalResult readWeightFile(MLIRContext &context, StringRef path, WeightStore &store, StringRef prefix) {
  if (llvm::sys::path::extension(path) != ".gguf")
    return readSafetensors(context, path, store, prefix);
  FailureOr<GgufFile> file = GgufFile::read(context, path);
  return failed(file) ? failure() : file->addTo(store, prefix);
}

/// Reads the weight files that the module names and checks the type of every weight.
static LogicalResult readWeights(ModuleOp module, StringRef path, WeightStore &store) {
  Strings files = notes::weightFiles.get(module).value_or(Strings());
  Strings prefixes = notes::weightPrefixes.get(module).value_or(Strings(files.size()));
  if (prefixes.size() != files.size())
    return module.emitError() << "heddle.weight_prefixes: expected one prefix for each of the " << files.size()
                              << " heddle.weight_files, found " << prefixes.size();
  for (auto [file, prefix] : llvm::zip_equal(files, prefixes)) {
    SmallString<128> weights(llvm::sys::path::parent_path(path));
    if (llvm::sys::path::is_absolute(file))
      weights = file;
    else
      llvm::sys::path::append(weights, file);
    if (failed(readWeightFile(*module.getContext(), weights, store, prefix)))
      return failure();
  }
  WalkResult walked = module.walk([&](WeightOp weight) -> WalkResult {
    const StoredTensor *stored = store.find(weight.getName());
    if (!stored)
      return weight.emitOpError() << "the files of heddle.weight_files contain no weight '" << weight.getName() << "'";
    FailureOr<RankedTensorType> type =
        inferRecipeType(weight.getLoc(), stored->type, weight.getRecipe(), store);
    if (failed(type))
      return WalkResult::interrupt();
    if (*type != weight.getResult().getType())
      return weight.emitOpError() << "'" << weight.getName() << "' has the type " << *type
                                  << " according to its recipe, but the operation has " << weight.getResult().getType();
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

/// If the model has states, sets the function that computes the model's hash (Model::identify) from the file's bytes
/// and the weights.
static LogicalResult setIdentity(Model &model, func::FuncOp main, StringRef path) {
  if (!notes::state.argumentOf(main))
    return success();
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> file = readRegularFile(path);
  if (!file)
    return main.emitError() << llvm::toString(file.takeError());
  model.identify = [file = std::shared_ptr<llvm::MemoryBuffer>(std::move(*file)), stored = model.weights] {
    ModelDigest digest;
    digest.add(file->getBuffer());
    digest.add(stored);
    return digest.get();
  };
  return success();
}

FailureOr<heddle::Model> heddle::importMlir(MLIRContext &context, StringRef path, const ImportTask &options) {
  Location loc = FileLineColLoc::get(&context, path, 0, 0);
  FailureOr<OwningOpRef<ModuleOp>> parsed = parseMlirFile(context, path);
  if (failed(parsed))
    return failure();
  Model model;
  model.module = std::move(*parsed);
  FailureOr<std::vector<std::string>> sizes = fixFileSizes(*model.module, options);
  if (failed(sizes))
    return failure();
  FailureOr<func::FuncOp> main = findMain(*model.module);
  if (failed(main))
    return failure();
  // Applies `isRight`, which emits an error for an invalid operation, to all operations of the module.
  auto check = [&](function_ref<LogicalResult(Operation *)> isRight) {
    int refused = 0;
    // The walk continues after an error, so that the user sees more than the first error.
    (*model.module)->walk([&](Operation *op) {
      refused += failed(isRight(op));
      return refused < maxErrors ? WalkResult::advance() : WalkResult::interrupt();
    });
    return success(refused == 0);
  };
  if (failed(check(checkKind)) || failed(inlineCalls(*main)) || failed(checkSignature(*main)) ||
      failed(bindSizes(loc, *main, options, *sizes)) || failed(check(checkSizeOp)) || failed(boundLookups(*main)) ||
      failed(readWeights(*model.module, path, model.weights)))
    return failure();
  if (failed(checkEmpty(*model.module)))
    return failure();
  guardDivisions(*main);
  if (failed(setIdentity(model, *main, path)))
    return failure();
  return std::move(model);
}
