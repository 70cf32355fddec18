//===- Import.cpp - finds the importer for a model ------------------------===//

#include "heddle/Import.h"

#include "FileSizes.h"
#include "LargeConstants.h"
#include "Mlir.h"
#include "ModelExtents.h"
#include "Notes.h"
#include "Outputs.h"
#include "SumNames.h"
#include "SymbolicImport.h"
#include "operation/Operation.h"
#include "huggingface/HuggingFace.h"
#include "onnx/Onnx.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace heddle;

/// A file, or a folder of ONNX's own tests with model.onnx and test_data_set_*.
static bool isOnnx(StringRef model) {
  SmallString<128> onnx(model), config(model);
  llvm::sys::path::append(onnx, "model.onnx");
  llvm::sys::path::append(config, "config.json");
  return llvm::sys::path::extension(model) == ".onnx" || (llvm::sys::fs::exists(onnx) && !llvm::sys::fs::exists(config));
}

static bool isQuoted(StringRef model) {
  return !llvm::sys::fs::exists(model) && (model.contains('=') || namesOperation(model));
}

static FailureOr<Model> importAny(MLIRContext &context, StringRef model, const ImportOptions &options) {
  namespace fs = llvm::sys::fs;
  Location loc = FileLineColLoc::get(&context, model, 0, 0);

  fs::file_status status;
  if (std::error_code error = fs::status(model, status)) {
    if (isQuoted(model))
      return importOperation(context, model, options);
    if (options.wrongUsage)
      *options.wrongUsage = model.trim().empty();
    if (error != std::errc::no_such_file_or_directory)
      return emitError(loc) << "cannot be found: " << error.message();
    return emitError(loc) << "no such file, directory or operation";
  }
  if (fs::is_directory(status)) {
    if (isOnnx(model)) {
      SmallString<128> onnx(model);
      llvm::sys::path::append(onnx, "model.onnx");
      return importOnnx(context, onnx, options);
    }
    return importHuggingFace(context, model, options);
  }
  if (!fs::is_regular_file(status))
    return emitError(loc) << "neither a regular file nor a directory";
  StringRef extension = llvm::sys::path::extension(model);
  if (extension == ".onnx")
    return importOnnx(context, model, options);
  if (extension == ".mlir")
    return importMlir(context, model, options);
  return emitError(loc) << "unknown kind of model: expected an .onnx or .mlir file, a Hugging Face directory "
                           "or a quoted operation, found a file that ends in '"
                        << extension << "'";
}

static FailureOr<Model> importFixed(MLIRContext &context, StringRef model, const ImportOptions &options) {
  FailureOr<Model> imported = importAny(context, model, options);
  if (failed(imported) || failed(keepOutputs(*imported->module, options)) ||
      failed(clearPaddedRows(*imported->module, options)))
    return failure();
  return imported;
}

/// A range of one size is that size.
static void fixSingleSizes(ImportOptions &options) {
  for (const DimRange &range : options.ranges)
    if (range.low == range.high)
      options.dims[range.name] = range.low;
  llvm::erase_if(options.ranges, [](const DimRange &range) { return range.low == range.high; });
}

namespace {
/// Where a model is imported once more, errors alone are told: the rest was said the first time.
class OnlyErrors : public ScopedDiagnosticHandler {
public:
  explicit OnlyErrors(MLIRContext &context)
      : ScopedDiagnosticHandler(&context, [](Diagnostic &diagnostic) {
          return success(diagnostic.getSeverity() != DiagnosticSeverity::Error);
        }) {}
};
} // namespace

FailureOr<Model> heddle::importModel(MLIRContext &context, StringRef model, const ImportOptions &options) {
  loadImportDialects(context);
  auto import = [&](const ImportOptions &fixed) { return importFixed(context, model, fixed); };
  ImportOptions again = options;
  if (llvm::sys::path::extension(model) == ".mlir" && failed(addFileRanges(context, model, again)))
    return failure();
  if (isQuoted(model) && failed(addOperationRanges(context, model, again)))
    return failure();
  fixSingleSizes(again);
  auto importSizes = [&]() -> FailureOr<Model> {
    if (again.ranges.empty())
      return import(again);
    return importSymbolic(context, model, again, import);
  };
  const ImportOptions asked = again;
  std::vector<OpenDim> open;
  SmallVector<Diagnostic> said;
  FailureOr<Model> imported = failure();
  {
    ScopedDiagnosticHandler keep(&context, [&](Diagnostic &diagnostic) {
      said.push_back(std::move(diagnostic));
      return success();
    });
    again.openDims = &open;
    imported = importSizes();
  }
  std::string sum = open.size() == 1 ? findSumName(context, open.front().name, options, import) : "";
  if (!sum.empty()) {
    if (options.wrongUsage)
      *options.wrongUsage = false;
    again = asked;
    again.sumNames[open.front().name] = sum;
    imported = importSizes();
  } else {
    for (Diagnostic &diagnostic : said)
      context.getDiagEngine().emit(std::move(diagnostic));
    if (options.openDims)
      *options.openDims = open;
  }
  if (failed(imported) || failed(storeLargeConstants(*imported)))
    return failure();
  if (notes::sizes.has(*imported->module)) {
    if (failed(checkLargest(*imported->module)))
      return failure();
    again.paddedOutputs = paddedOutputsOf(*imported->module);
    again.openDims = nullptr;
    again.wrongUsage = nullptr;
    imported->importAgain = [&context, again, name = model.str()](const SizeOptions &sizes) mutable {
      OnlyErrors quiet(context);
      again.sizes = sizes;
      return importModel(context, name, again);
    };
  }
  return imported;
}
