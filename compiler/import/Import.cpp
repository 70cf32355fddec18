//===- Import.cpp - selects the importer of a model -----------------------===//

#include "heddle/Import.h"

#include "LargeConstants.h"
#include "Notes.h"
#include "Outputs.h"
#include "gguf/Gguf.h"
#include "huggingface/HuggingFace.h"
#include "mlir/FileSizes.h"
#include "mlir/GuardDivisions.h"
#include "mlir/Mlir.h"
#include "onnx/Onnx.h"
#include "operation/Operation.h"
#include "sizes/HiddenSize.h"
#include "sizes/ModelExtents.h"
#include "sizes/SizeClasses.h"
#include "sizes/SizeEquations.h"
#include "sizes/SymbolicImport.h"
#include "states/PastToStates.h"
#include "states/StateRoom.h"

#include "heddle/PathName.h"
#include "heddle/Recognise.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace heddle;

/// Returns whether the model is an .onnx file, or a directory that contains model.onnx but no config.json. The tests of
/// the ONNX project are such directories.
static bool isOnnx(StringRef model) {
  SmallString<128> onnx(model), config(model);
  llvm::sys::path::append(onnx, "model.onnx");
  llvm::sys::path::append(config, "config.json");
  return llvm::sys::path::extension(model) == ".onnx" || (llvm::sys::fs::exists(onnx) && !llvm::sys::fs::exists(config));
}

/// Returns the path of the .onnx file of a model for which isOnnx() is true.
static std::string onnxFile(StringRef model) {
  SmallString<128> file(model);
  if (llvm::sys::fs::is_directory(model))
    llvm::sys::path::append(file, "model.onnx");
  return file.str().str();
}

/// Returns whether the model is an operation in words, such as 'softmax rows=5 d=39', and not an existing path.
static bool isQuoted(StringRef model) {
  return !llvm::sys::fs::exists(model) && (model.contains('=') || namesOperation(model));
}

/// Imports the model with the importer for its kind. Refuses options that this importer does not support.
static FailureOr<Model> importAny(MLIRContext &context, StringRef model, const ImportTask &options) {
  namespace fs = llvm::sys::fs;
  Location loc = FileLineColLoc::get(&context, model, 0, 0);

  fs::file_status status;
  bool isDirectory = !fs::status(model, status) && fs::is_directory(status);
  bool isOnnxModel = isOnnx(model), isHuggingFace = isDirectory && !isOnnxModel;
  StringRef extension = llvm::sys::path::extension(model);
  bool isGguf = extension == ".gguf", isThere = fs::exists(model) || isQuoted(model);
  StringRef refused = options.decoder && !isHuggingFace && !isGguf
                          ? "--decoder: expected a Hugging Face directory or a GGUF file"
                      : options.state && !isOnnxModel             ? "--state: expected an ONNX file"
                      : !options.asInputs.empty() && !isOnnxModel ? "--as-input: expected an ONNX file"
                                                                  : "";
  if (isThere && !refused.empty()) {
    options.setWrongUsage();
    return emitError(loc) << refused;
  }
  if (std::error_code error = fs::status(model, status)) {
    if (isQuoted(model))
      return importOperation(context, model, options);
    options.setWrongUsage(model.trim().empty());
    if (error != std::errc::no_such_file_or_directory)
      return emitError(loc) << "cannot be found: " << error.message();
    return emitError(loc) << "no such file, directory or operation";
  }
  if (fs::is_directory(status)) {
    if (isOnnx(model))
      return importOnnx(context, onnxFile(model), options);
    return importHuggingFace(context, model, options);
  }
  if (!fs::is_regular_file(status))
    return emitError(loc) << "neither a regular file nor a directory";
  if (extension == ".onnx")
    return importOnnx(context, model, options);
  if (extension == ".mlir")
    return importMlir(context, model, options);
  if (isGguf)
    return importGguf(context, model, options);
  return emitError(loc) << "unknown kind of model: expected an .onnx, .gguf or .mlir file, a Hugging Face directory "
                           "or a quoted operation, found a file that ends in '"
                        << extension << "'";
}

/// Returns the largest number of past positions before a call with `rows` new positions. The result is at least 1,
/// because the range 0..0 would be imported as a fixed size.
static int64_t lastPast(int64_t capacity, int64_t rows) { return std::max<int64_t>(capacity - rows, 1); }

/// With --state, prepares the import of an ONNX file whose past (keys and values of earlier tokens) grows from call to
/// call: sets `options.hidden`. During the import, the length of the past is a size in a range. Afterwards, the
/// function `options.hidden->remove` converts the past to states. The length of the past is then no longer a size, but
/// the input `past`, which contains a number for each sequence.
static LogicalResult hidePast(MLIRContext &context, StringRef model, ImportTask &options) {
  namespace fs = llvm::sys::fs;
  if (!options.state || !isOnnx(model) || !fs::exists(model))
    return success();
  FailureOr<GrowingSizes> sizes = findGrowingPast(context, onnxFile(model));
  if (failed(sizes) || sizes->past.empty())
    return LogicalResult(sizes);
  auto isPast = [&](const DimRange &range) { return range.name == sizes->past; };
  if (options.dims.count(sizes->past) || llvm::any_of(options.ranges, isPast)) {
    options.setWrongUsage();
    return emitError(FileLineColLoc::get(&context, model, 0, 0))
           << "--state: '" << sizes->past << "' is determined by each call and cannot be given; limit it by --dim "
           << capacityDim << "=N";
  }
  auto largest = [&](StringRef name) {
    auto range = llvm::find_if(options.ranges, [&](const DimRange &range) { return range.name == name; });
    return range == options.ranges.end() ? options.dims.lookup(name) : range->high;
  };
  auto room = llvm::find_if(options.ranges, [](const DimRange &range) { return range.name == capacityDim; });
  if (room != options.ranges.end() && room->low < 1) {
    options.setWrongUsage();
    return emitError(FileLineColLoc::get(&context, model, 0, 0))
           << capacityDim << ": expected a capacity of at least one position, found " << room->low << ".."
           << room->high;
  }
  int64_t maximum = largest(capacityDim), maxRows = sizes->count < 0 ? largest(sizes->rows) : sizes->count;
  // The new positions of a call must fit into the capacity even if its past is empty.
  if (maximum > 0 && maxRows > maximum)
    return refuseRows(FileLineColLoc::get(&context, model, 0, 0), sizes->count < 0 ? sizes->rows : "", Twine(maximum),
                      Twine(maxRows), options);
  auto remove = [sizes = *sizes](ModuleOp module, const ImportTask &fixed) -> LogicalResult {
    recognise(module);
    std::optional<Dim> rows;
    if (sizes.count >= 0)
      rows = Dim(sizes.count);
    else if (!sizes.rows.empty())
      rows = dimOf(fixed.dims.lookup(sizes.rows));
    if (failed(pastToStates(module, dimOf(fixed.dims.lookup(capacityDim)), rows)))
      return failure();
    // Rows of a state that are not filled may contain any numbers, so an integer divisor that is computed from them may
    // be 0.
    guardDivisions(module.lookupSymbol<func::FuncOp>("main"));
    return success();
  };
  // A call has at least one new position. The past and the new positions together are at most the capacity.
  int64_t rows = std::max<int64_t>(sizes->count < 0 ? options.dims.lookup(sizes->rows) : sizes->count, 1);
  options.hidden = std::make_shared<HiddenSize>(
      HiddenSize{{sizes->past, 0, lastPast(maximum, rows)}, sizes->count < 0 ? sizes->rows : "", maximum, remove});
  return success();
}

/// Imports a model whose sizes are fixed or have placeholders, and applies the options for outputs and padding.
static FailureOr<Model> importFixed(MLIRContext &context, StringRef model, const ImportTask &options) {
  FailureOr<Model> imported = importAny(context, model, options);
  if (failed(imported) || failed(keepOutputs(*imported->module, options)) ||
      failed(clearPaddedRows(*imported->module, options)))
    return failure();
  return imported;
}

namespace {
/// Drops all diagnostics except errors while a model is imported again, because the first import already printed all
/// warnings and remarks.
class OnlyErrors : public ScopedDiagnosticHandler {
public:
  explicit OnlyErrors(MLIRContext &context)
      : ScopedDiagnosticHandler(&context, [](Diagnostic &diagnostic) {
          return success(diagnostic.getSeverity() != DiagnosticSeverity::Error);
        }) {}
};
} // namespace

/// A function that imports a model whose dimensions are all fixed by the task.
using Importer = llvm::function_ref<FailureOr<Model>(const ImportTask &)>;

/// Imports a model with the additional size `options.hidden`, the length of the past, which exists only during the
/// import. This size is the last of the sizes in ranges. If the task fixes all other sizes (`sizes.at`), the hidden
/// size is the only one in a range.
static FailureOr<Model> importHidden(MLIRContext &context, StringRef model, ImportTask &options, Importer import) {
  ImportTask inner = options;
  bool isFixed = !inner.sizes.at.empty();
  if (isFixed) {
    for (const DimRange &range : inner.ranges) {
      inner.dims[range.name] = inner.sizes.at.lookup(range.name);
      inner.mayBeEmpty |= inner.dims[range.name] == 0;
    }
    inner.ranges.clear();
    inner.placeholders.clear();
    inner.sizes = {};
  }
  inner.ranges.push_back(options.hidden->range);
  if (auto rows = inner.dims.find(options.hidden->other); isFixed && rows != inner.dims.end())
    inner.ranges.back().high = lastPast(inner.dims.lookup(capacityDim), rows->second);
  FailureOr<Model> imported = importSymbolic(context, model, inner, import);
  if (isFixed || failed(imported))
    return imported;
  inner.ranges.pop_back();
  options.ranges = inner.ranges;
  options.placeholders = inner.placeholders;
  return imported;
}

/// Imports a model. If the import fails because the user gave sizes for some dimensions only, and no size is hidden
/// (`options.hidden`), looks for equations that express the other dimensions in terms of the given ones, and imports
/// the model again with the equations that it finds.
static FailureOr<Model> importSizes(MLIRContext &context, StringRef model, ImportTask &options, Importer import) {
  auto importOnce = [&](ImportTask &options) {
    if (options.hidden)
      return importHidden(context, model, options, import);
    return options.ranges.empty() ? import(options) : importSymbolic(context, model, options, import);
  };
  SmallVector<Diagnostic> diagnostics;
  const ImportTask original = options;
  // Receives the dimensions without a size (`openDims`), which are needed below even if the caller's `result` is null.
  ImportResult why;
  FailureOr<Model> imported = failure();
  {
    ScopedDiagnosticHandler keep(&context, [&](Diagnostic &diagnostic) {
      diagnostics.push_back(std::move(diagnostic));
      return success();
    });
    options.result = &why;
    imported = importOnce(options);
    options.result = nullptr;
  }
  llvm::StringMap<std::string> equations;
  if (!why.openDims.empty() && !original.hidden && !(original.dims.empty() && original.ranges.empty()))
    equations = findEquations(context, why.openDims, original, import);
  if (equations.empty()) {
    for (Diagnostic &diagnostic : diagnostics)
      context.getDiagEngine().emit(std::move(diagnostic));
    if (original.result)
      std::tie(original.result->openDims, original.result->wrongUsage) = std::tie(why.openDims, why.wrongUsage);
    return imported;
  }
  options = original;
  options.sumNames = equations;
  return importOnce(options);
}

/// Returns the name of a model for messages and files. If the name of a directory contains " in ", it is put in quotes,
/// because " in " and the precision of layers are later appended to the name.
static std::string sourceOf(StringRef model) {
  if (isQuoted(model))
    return model.trim().str();
  std::string name = nameWithoutFolders(model);
  return llvm::sys::fs::is_directory(model) && StringRef(name).contains(" in ") ? "'" + name + "'" : name;
}

/// Imports a model with all options. Sets `classes` and `importAgain` of the result if sizes lie in ranges.
static FailureOr<Model> importTask(MLIRContext &context, StringRef model, const ImportTask &options) {
  auto import = [&](const ImportTask &fixed) { return importFixed(context, model, fixed); };
  ImportTask again = options;
  if (llvm::sys::path::extension(model) == ".mlir" && failed(addFileRanges(context, model, again)))
    return failure();
  if (isQuoted(model) && failed(addOperationRanges(context, model, again)))
    return failure();
  if (failed(hidePast(context, model, again)))
    return failure();
  FailureOr<Model> imported = importSizes(context, model, again, import);
  if (failed(imported) || failed(storeLargeConstants(*imported)))
    return failure();
  // Whether this is the first import, which covers the whole ranges, and not a later import for other sizes or
  // placeholders.
  bool isWhole = options.sizes.at.empty() && options.sizes.within.empty() && options.sizes.placeholderSet == 0;
  Location loc = FileLineColLoc::get(&context, model, 0, 0);
  if (isWhole && failed(checkRoom(loc, *imported->module, options)))
    return failure();
  notes::source.set(*imported->module, sourceOf(model));
  if (notes::sizes.has(*imported->module)) {
    if (failed(checkLargest(*imported->module)))
      return failure();
    FailureOr<std::vector<SizeClass>> classes = combineClasses(imported->module->getLoc(), again.ranges);
    if (failed(classes))
      return failure();
    imported->classes = std::move(*classes);
    again.paddedOutputs = paddedOutputsOf(*imported->module);
    again.result = nullptr;
    imported->importAgain = [&context, again, name = model.str()](const SizeOptions &sizes) mutable {
      OnlyErrors quiet(context);
      again.sizes = sizes;
      return importTask(context, name, again);
    };
  }
  return imported;
}

ImportResult heddle::importModel(MLIRContext &context, StringRef model, const ImportOptions &options) {
  loadImportDialects(context);
  ImportResult result;
  ImportTask task(options);
  task.result = &result;
  FailureOr<Model> imported = importTask(context, model, task);
  static_cast<FailureOr<Model> &>(result) = std::move(imported);
  return result;
}
