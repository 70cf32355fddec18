//===- LibraryArguments.cpp - options of the code to call -----------------===//

#include "LibraryArguments.h"

#include "heddle/InputFile.h"
#include "heddle/library.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace heddle {

CLI::Option *LibraryArguments::add(CLI::App &app, const std::string &verb) {
  CLI::Option *option = app.add_option(
      "--library", library,
      "FILE: " + verb + " this shared library, which was compiled from MODEL, instead of compiling MODEL");
  app.add_option("--weights", weights, "FILE: the weights of the library, if they are in a separate file")
      ->needs(option);
  app.add_option("--variant", variant,
                 "NAME: use the library's code for this CPU (default: the best code that the CPU can run)")
      ->needs(option);
  return option;
}

bool LibraryArguments::refusesModel(const ModelArguments &model, const CompileArguments &compile) const {
  // If the library cannot be opened here, accept the model. If the file is not a library, loadLibrary reports the error
  // later. A library for another machine cannot be opened in this process; the runner opens it.
  heddle_library *opened =
      isGiven() && compile.runner.empty() ? heddle_library_open(library.c_str(), nullptr, 0) : nullptr;
  bool keeps = opened && heddle_library_model(opened)->state_count > 0;
  heddle_library_close(opened);
  // An .mlir file declares its states itself, so it needs no option.
  bool isMlir = StringRef(model.model).ends_with(".mlir");
  if (!keeps || model.decoder || model.state || isMlir)
    return false;
  llvm::errs() << library
               << ": error: the library has a state: give --decoder (Hugging Face directory or GGUF file) or --state "
               << "(ONNX file), as when the library was compiled\n";
  return true;
}

/// Loads the library of --library into this process or, with --runner, into the runner. Prints errors.
static FailureOr<LoadedCode> loadLibrary(const LibraryArguments &arguments, const CompileArguments &compile) {
  LoadedCode code;
  bool isElsewhere = !compile.runner.empty(); // whether the runner loads the library
  ArrayRef<char> bytes;
  if (!arguments.weights.empty() && !isElsewhere) {
    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> file = readRegularFile(arguments.weights);
    if (!file) {
      llvm::errs() << "heddle: error: " << arguments.weights << ": " << llvm::toString(file.takeError()) << "\n";
      return failure();
    }
    code.weights = std::move(*file);
    bytes = ArrayRef(code.weights->getBufferStart(), code.weights->getBufferSize());
  }
  llvm::Expected<DevicePtr> device = openDevice(compile.device);
  if (!device) {
    printError(device.takeError());
    return failure();
  }
  auto session = isElsewhere
                     ? Session::fromRunner(compile.runner, arguments.library, arguments.weights, arguments.variant)
                     : Session::fromLibrary(arguments.library, bytes, arguments.variant, std::move(*device));
  if (!session) {
    printError(session.takeError());
    return failure();
  }
  code.session = std::move(*session);
  return code;
}

FailureOr<LoadedCode> loadCode(MLIRContext &context, Model model, const LibraryArguments &library,
                               const CompileArguments &compile) {
  if (library.isGiven())
    return loadLibrary(library, compile);
  LoadedCode code;
  code.session = compileAndLoad(context, std::move(model), compile);
  if (!code.session)
    return failure();
  return code;
}

} // namespace heddle
