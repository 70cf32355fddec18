//===- Import.cpp - heddle import -----------------------------------------===//

#include "ModelArguments.h"

#include "heddle/OutputFile.h"
#include "heddle/Ranges.h"
#include "heddle/Recognise.h"
#include "heddle/Safetensors.h"

#include "WeightNotes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace heddle;
namespace path = llvm::sys::path;

/// Returns the path of `file` relative to the folder of `output` if the file is in this folder or a subfolder.
/// Otherwise returns the absolute path of `file`.
static std::string relativeTo(StringRef file, StringRef output) {
  SmallString<128> absolute(file), folder(output);
  llvm::sys::fs::make_absolute(absolute);
  llvm::sys::fs::make_absolute(folder);
  path::remove_filename(folder);
  StringRef rest = absolute;
  if (rest.consume_front(folder) && rest.consume_front("/"))
    return rest.str();
  return std::string(absolute);
}

/// Stores, in the module that will be written to `output`, the names of the files with the weights. If all weights are
/// in .safetensors or .gguf files from which the model was imported, the module names these files. Otherwise, if the
/// model has weights, writes all of them to a new .safetensors file beside `output`, and the module names the new file.
static LogicalResult placeWeights(Model &model, StringRef output) {
  MLIRContext &context = *model.module->getContext();
  std::vector<std::string> files;
  for (StringRef file : notes::weightFiles.get(*model.module).value_or(Strings()))
    files.push_back(relativeTo(file, output));
  bool areReadable = !files.empty() && llvm::all_of(files, [](StringRef file) {
    StringRef extension = path::extension(file);
    return extension == ".safetensors" || extension == ".gguf";
  });
  if (!areReadable) {
    std::vector<std::pair<std::string, StoredTensor>> tensors;
    for (StringRef name : model.weights.names())
      tensors.push_back({name.str(), *model.weights.find(name)});
    if (tensors.empty())
      return success();
    std::string beside = (output + ".safetensors").str();
    if (failed(writeSafetensors(context, beside, tensors)))
      return failure();
    files = {path::filename(beside).str()};
    // The annotation contains prefixes that the names of weights have in the module but not in the files. In the new
    // file, the names of tensors include the prefixes, so the annotation is removed.
    notes::weightPrefixes.remove(*model.module);
  }
  notes::weightFiles.set(*model.module, Strings(files.begin(), files.end()));
  return success();
}

/// Implements `heddle import`. Returns the exit status. If `output` is empty, prints the module.
static int importModule(const ModelArguments &arguments, StringRef output) {
  auto context = createContext();
  if (failed(checkOutputFile(*context, output)))
    return ExitBad;
  int status = ExitDone;
  std::optional<Model> model = arguments.import(*context, status);
  if (!model)
    return status;
  if (failed(checkPrintable(*model)))
    return ExitBad;
  RecognitionReport report;
  recognise(*model->module, &report);
  if (!output.empty() && failed(placeWeights(*model, output)))
    return ExitBad;
  auto print = [&](raw_ostream &os) { model->module->print(os); };
  if (failed(writeOutputFile(*context, output.empty() ? "-" : output, print)))
    return ExitBad;
  report.print(llvm::errs());
  for (const SizeRange &range : rangesOf(*model))
    llvm::errs() << range.placeholder << " is the placeholder for " << range.name << ", which is from " << range.low
                 << " to " << range.high << "\n";
  if (!model->classes.empty())
    llvm::errs()
        << "heddle: the module does not contain the classes of sizes: pass the same --dim to 'heddle compile'\n";
  for (const DerivedSizeNote &size : notes::derived.get(*model->module).value_or(DerivedSizeNotes()))
    llvm::errs() << size.placeholder << " is the placeholder for " << size.name << "\n";
  return ExitDone;
}

void heddle::addImport(CLI::App &app, int &status) {
  auto arguments = std::make_shared<ModelArguments>();
  auto output = std::make_shared<std::string>();
  arguments->add(app);
  app.add_option(
         "-o,--output", *output,
         "OUT.mlir: write the module to this file instead of printing it; unless all weights are in .safetensors or "
         ".gguf files, all are written to OUT.mlir.safetensors")
      ->check([](const std::string &text) -> std::string {
        return path::extension(text) == ".mlir" ? "" : "'" + text + "': the name of the output file must end in .mlir";
      });
  auto printOperators = [] {
    llvm::outs() << llvm::join(onnxOperators(), ", ") << "\n";
    throw CLI::Success();
  };
  app.add_flag_callback("--operators", printOperators, "print the ONNX operators that heddle can import")
      ->trigger_on_parse();
  app.callback([arguments, output, &status] { status = importModule(*arguments, *output); });
}
