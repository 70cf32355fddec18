//===- ModelArguments.cpp - options of the model --------------------------===//

#include "ModelArguments.h"

#include "heddle/InputSizes.h"
#include "heddle/Memory.h"
#include "heddle/PrintError.h"
#include "heddle/Progress.h"
#include "heddle/Registry.h"
#include "heddle/Safetensors.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace heddle;

/// Prints a diagnostic and its notes as "LOCATION: error: ...", with `warning` or `note` for other severities. LOCATION
/// consists of a file, with the line and the column if they are known, and of names such as that of a node of a model.
/// If the location is unknown, LOCATION is "heddle".
static void printDiagnostic(Diagnostic &diagnostic, int depth = 0) {
  llvm::raw_ostream &os = llvm::errs();
  std::string where;
  llvm::raw_string_ostream whereStream(where);
  Location loc = diagnostic.getLocation();
  if (auto file = loc->findInstanceOf<FileLineColLoc>()) {
    whereStream << file.getFilename().getValue();
    if (file.getLine())
      whereStream << ":" << file.getLine() << ":" << file.getColumn();
  }
  loc->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part))
      whereStream << (where.empty() ? "" : ": ") << name.getName().getValue();
    return WalkResult::advance();
  });
  os << (where.empty() ? "heddle" : where) << ": ";
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    os << "error: ";
    break;
  case DiagnosticSeverity::Warning:
    os << "warning: ";
    break;
  case DiagnosticSeverity::Note:
  case DiagnosticSeverity::Remark:
    os << "note: ";
    break;
  }
  os << diagnostic << "\n";
  for (Diagnostic &note : diagnostic.getNotes())
    printDiagnostic(note, depth + 1);
}

std::unique_ptr<MLIRContext> heddle::createContext() {
  DialectRegistry registry;
  registerDialects(registry);
  auto context = std::make_unique<MLIRContext>(registry);
  context->printOpOnDiagnostic(false);
  context->getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
    Progress::clear();
    printDiagnostic(diagnostic);
  });
  return context;
}

/// Returns whether `value`, the text after the = of a --dim, is a range LOW..HIGH or a list of classes of sizes. If it
/// is neither, it is a single number.
static bool isRange(StringRef value) { return value.contains("..") || value.contains(','); }

void ModelArguments::add(CLI::App &app) {
  app.add_option("MODEL", model,
                 "an .onnx file, a Hugging Face directory, a .gguf or .mlir file or a quoted operation "
                 "('heddle --help-operation NAME' lists the parameters of an operation)")
      ->required();
  app.add_option(
         "--dim", dims,
         "NAME=N or NAME=LOW..HIGH: the size of a dimension that the model does not fix; NAME=1,2..8,9..512: several "
         "classes of sizes, each with its own code (repeatable)")
      ->check([](const std::string &text) -> std::string {
        size_t equals = text.find('=');
        if (equals == std::string::npos || equals == 0)
          return "'" + text + "': expected NAME=N, NAME=LOW..HIGH or classes such as NAME=1,2..8";
        llvm::StringRef value = llvm::StringRef(text).substr(equals + 1);
        if (isRange(value)) {
          DimRange range;
          std::string wrong = parseSizes(value, range);
          return wrong.empty() ? "" : "'" + text + "': " + wrong;
        }
        int64_t size;
        if (value.getAsInteger(10, size) || size < 0)
          return "'" + text + "': expected a number that is not negative, or LOW..HIGH";
        return "";
      });
  app.add_flag("--decoder", decoder,
               "import a decoder from a Hugging Face directory or a GGUF file with a state that keeps keys and values "
               "between calls");
  app.add_flag("--state", state,
               "turn the past inputs and present outputs of an ONNX file into states that are kept between calls");
  app.add_option(
      "--as-input", asInputs,
      "NAME: make this input of an ONNX file an input of the model, although it has an initializer and would otherwise "
      "be a constant; a tensor of this name in the file of inputs has the same effect (repeatable)");
  app.add_option("--only", outputs, "NAME: compute only this output (repeatable)");
  app.add_option("--padding", padding,
                 "auto: rows with attention mask 0 are not computed if no output depends on them; skip: such rows are "
                 "zeros in the outputs, so that they are never computed")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "skip"}));
  precision.add(app);
}

/// Adds the model's defaults (OpenDim::fallback) for the dimensions `open`, which have no size, to `options`. Prints a
/// remark about these sizes. If a dimension has no default, returns false and changes nothing. With `wholeRanges`, does
/// not divide the range of a default into classes.
static bool takeFallbacks(MLIRContext &context, StringRef model, ImportOptions &options, ArrayRef<OpenDim> open,
                          bool wholeRanges) {
  if (llvm::any_of(open, [](const OpenDim &dim) { return dim.fallback.empty(); }))
    return false;
  std::string said;
  for (const OpenDim &dim : open) {
    DimRange range{dim.name, 0, 0};
    (void)parseSizes(dim.fallback, range);
    bool isCut = wholeRanges && !range.classes.empty();
    if (isCut)
      range.classes.clear();
    if (range.low == range.high)
      options.dims[dim.name] = range.low;
    else
      options.ranges.push_back(range);
    said += " --dim " + dim.name + "=" +
            (isCut ? std::to_string(range.low) + ".." + std::to_string(range.high) : dim.fallback);
  }
  emitRemark(FileLineColLoc::get(&context, model, 0, 0)) << "sizes that were not given have default values:" << said;
  return true;
}

/// Returns the names of the tensors in a file of inputs, or no names if `input` is empty. Also returns no names if the
/// file cannot be read; the error is then reported later, when the command reads the inputs.
static std::vector<std::string> namesIn(MLIRContext &context, StringRef input) {
  ScopedDiagnosticHandler ignore(&context, [](Diagnostic &) { return success(); });
  WeightStore file;
  if (input.empty() || failed(readSafetensors(context, input, file)))
    return {};
  auto names = file.names();
  return {names.begin(), names.end()};
}

std::optional<Model> ModelArguments::import(MLIRContext &context, int &status, StringRef input,
                                            std::optional<Model> *inF32) const {
  ImportOptions options;
  for (llvm::StringRef dim : dims) {
    auto [name, value] = dim.split('=');
    // The option parser has already checked the numbers, so they can be parsed without an error.
    bool known = options.dims.count(name) || llvm::any_of(options.ranges, [&, name = name](const DimRange &range) {
                   return range.name == name;
                 });
    if (!known && isRange(value)) {
      options.ranges.push_back({name.str(), 0, 0});
      (void)parseSizes(value, options.ranges.back());
      continue;
    }
    int64_t size = 0;
    value.getAsInteger(10, size);
    if (!known && options.dims.try_emplace(name, size).second)
      continue;
    llvm::errs() << "heddle: error: --dim " << name << " is given twice\n";
    status = ExitUsage;
    return std::nullopt;
  }
  options.decoder = decoder;
  options.state = state;
  options.outputs = outputs;
  options.asInputs = asInputs;
  options.given = namesIn(context, input);
  options.skipPadding = padding == "skip";
  ImportResult imported;
  {
    // The first import may find dimensions without a size. This is no error if the input file or the model's defaults
    // determine these sizes. So hold the diagnostics of the first import back. If there is a second import, it emits
    // all other diagnostics again.
    std::vector<Diagnostic> said;
    {
      ScopedDiagnosticHandler hold(&context, [&](Diagnostic &diagnostic) { said.push_back(std::move(diagnostic)); });
      imported = importModel(context, model, options);
    }
    const std::vector<OpenDim> &open = imported.openDims;
    bool isNext = !open.empty() && (!input.empty() || takeFallbacks(context, model, options, open, wholeRanges));
    if (!isNext)
      for (Diagnostic &diagnostic : said)
        context.getDiagEngine().emit(std::move(diagnostic));
    if (isNext && input.empty())
      imported = importModel(context, model, options);
  }
  bool isTold = !imported.openDims.empty() && !input.empty();
  status = !isTold && (imported.wrongUsage || !imported.openDims.empty()) ? ExitUsage : ExitBad;
  FailureOr<Model> result =
      isTold ? importAtSizes(context, model, options, imported.openDims, input) : FailureOr<Model>(std::move(imported));
  if (failed(result))
    return std::nullopt;
  if (inF32 && precision.rounds())
    *inF32 = Model{result->module->clone(), result->weights, result->importAgain, result->classes};
  if (failed(precision.lower(*result, model, options, status)))
    return std::nullopt;
  return std::move(*result);
}

bool ModelArguments::fits(llvm::StringRef what, uint64_t bytes) const {
  llvm::Error error = checkMemory(what + " " + model, bytes);
  bool enough = !error;
  printError(std::move(error));
  return enough;
}
