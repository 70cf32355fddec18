//===- Compile.cpp - models made into objects -----------------------------===//

#include "heddle/Compile.h"

#include "targets/cpu/Codegen.h"
#include "EntryPoints.h"
#include "Header.h"
#include "ModelInterface.h"
#include "heddle/Memory.h"
#include "heddle/Strategy.h"
#include "heddle/WeightTable.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;
using namespace heddle;

// run, run_arrays, main, a kernel, its worker and the task.
static constexpr unsigned callDepth = 6;
namespace {
class Compilation {
public:
  Compilation(Model model, const CompileOptions &options)
      : model(std::move(model)), options(options), loc(this->model.module->getLoc()) {}

  FailureOr<CompiledModel> run();

private:
  LogicalResult lower();
  LogicalResult makeWeights();
  LogicalResult translate();
  void measure(const llvm::SmallVectorImpl<char> &object);
  LogicalResult print(Stage stage);
  LogicalResult emit();
  bool reaches(Stage stage) const { return int(options.to) >= int(stage); }

  Model model;
  const CompileOptions &options;
  Location loc;
  std::optional<CpuTarget> target;
  ModelInterface interface;
  CompiledModel result;
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> llvmModule;
};
} // namespace

/// Stages recognise to llvm; the interface is read while buffers have types.
LogicalResult Compilation::lower() {
  PipelineOptions pipeline;
  pipeline.target = target->facts;
  pipeline.strategies = options.strategies;
  pipeline.afterStage = [&](Stage stage, ModuleOp module) -> LogicalResult {
    if (options.changeModule && failed(options.changeModule(stage, module)))
      return failure();
    if (stage == Stage::Loops) {
      FailureOr<ModelInterface> read = readInterface(module);
      if (failed(read))
        return failure();
      interface = std::move(*read);
    }
    if (!options.afterStage)
      return success();
    return options.afterStage(stage, [&](llvm::raw_ostream &os) {
      module.print(os);
      os << "\n";
    });
  };
  return runStages(*model.module, options.from, options.to, pipeline);
}

LogicalResult Compilation::makeWeights() {
  if (!interface.weightsSize)
    return success();
  // The block; inside a library also in the object, and in what the linker makes of it.
  uint64_t copies = options.embedWeights ? 3 : 1;
  if (llvm::Error error =
          checkMemory("to write the weights", llvm::SaturatingMultiply(copies, uint64_t(interface.weightsSize))))
    return emitError(loc) << llvm::toString(std::move(error));
  FailureOr<std::vector<char>> block = evaluateWeights(*model.module, model.weights, weightsHeaderSize);
  if (failed(block))
    return failure();
  result.weights = std::move(*block);
  model.weights = WeightStore(); // nobody reads the sources again: their mapping goes before the object is made
  // Code reaches what is in its library by 32 bits.
  constexpr uint64_t limit = (uint64_t(1) << 31) - (uint64_t(64) << 20);
  if (options.embedWeights && result.weights.size() > limit)
    return emitError(loc) << "weights of " << result.weights.size()
                          << " bytes do not fit into a library; put them into a file of their own (--weights FILE)";
  char *header = result.weights.data();
  interface.weightsHash = hashWeights(header + weightsHeaderSize, interface.weightsSize);
  llvm::support::endian::write64le(header, weightsMagic);
  llvm::support::endian::write64le(header + 8, interface.weightsSize);
  llvm::support::endian::write64le(header + 16, interface.weightsHash);
  return success();
}

/// What the compiler noted on arguments and results has served; to the translation it
/// would be unknown.
static void dropNotes(ModuleOp module) {
  auto drop = [](ArrayAttr attributes) -> Attribute {
    if (!attributes)
      return attributes;
    SmallVector<Attribute> kept;
    for (DictionaryAttr dictionary : attributes.getAsRange<DictionaryAttr>()) {
      SmallVector<NamedAttribute> entries(dictionary.getValue());
      llvm::erase_if(entries,
                     [](NamedAttribute entry) { return entry.getName().strref().starts_with("heddle."); });
      kept.push_back(DictionaryAttr::get(attributes.getContext(), entries));
    }
    return ArrayAttr::get(attributes.getContext(), kept);
  };
  module.walk([&](LLVM::LLVMFuncOp function) {
    if (ArrayAttr attributes = function.getArgAttrsAttr())
      function.setArgAttrsAttr(cast<ArrayAttr>(drop(attributes)));
    if (ArrayAttr attributes = function.getResAttrsAttr())
      function.setResAttrsAttr(cast<ArrayAttr>(drop(attributes)));
  });
}

LogicalResult Compilation::translate() {
  dropNotes(*model.module);
  llvmModule = translateModuleToLLVMIR(*model.module, llvmContext, interface.name);
  if (!llvmModule)
    return emitError(loc) << "translation to LLVM IR failed";
  setTarget(*llvmModule, *target);
  addEntryPoints(*llvmModule, interface, *target);
  std::string error;
  llvm::raw_string_ostream stream(error);
  if (llvm::verifyModule(*llvmModule, &stream))
    return emitError(loc) << "LLVM IR is not valid: " << error;
  optimize(*llvmModule, *target);
  if (!options.afterStage)
    return success();
  // Text has the stack's size in it: the code is written once to learn it.
  std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*llvmModule);
  FailureOr<SmallVector<char, 0>> object = emitCode(loc, *copy, *target, llvm::CodeGenFileType::ObjectFile);
  if (failed(object))
    return failure();
  measure(*object);
  setStackSize(*llvmModule, interface);
  return success();
}

/// How much stack a call needs is known when the code is written.
void Compilation::measure(const llvm::SmallVectorImpl<char> &object) {
  ObjectSizes sizes = measureObject(llvm::MemoryBufferRef(StringRef(object.data(), object.size()), ""), callDepth);
  result.codeSize = sizes.code;
  result.stackSize = interface.stackSize = sizes.stack;
}

/// LLVM IR or assembly, for who asked for it. Embedded weights are not part of either: the file that they
/// come from is gone when the text is read.
LogicalResult Compilation::print(Stage stage) {
  if (!options.afterStage)
    return success();
  bool written = true;
  auto text = [&](llvm::raw_ostream &os) {
    if (stage == Stage::LLVMIR)
      return llvmModule->print(os, nullptr);
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*llvmModule);
    FailureOr<SmallVector<char, 0>> assembly = emitCode(loc, *copy, *target, llvm::CodeGenFileType::AssemblyFile);
    written = succeeded(assembly);
    if (written)
      os.write(assembly->data(), assembly->size());
  };
  return success(succeeded(options.afterStage(stage, text)) && written);
}

LogicalResult Compilation::emit() {
  SmallString<128> path;
  llvm::scope_exit cleanup([&] {
    if (!path.empty())
      llvm::sys::fs::remove(path);
  });
  if (options.embedWeights && !result.weights.empty()) {
    int file;
    if (std::error_code code = llvm::sys::fs::createTemporaryFile("heddle", "weights", file, path))
      return emitError(loc) << "cannot write a temporary file for the weights: " << code.message();
    llvm::raw_fd_ostream stream(file, /*shouldClose=*/true);
    stream.write(result.weights.data(), result.weights.size());
    stream.close();
    if (stream.has_error()) {
      std::string message = stream.error().message();
      stream.clear_error();
      return emitError(loc) << "cannot write a temporary file for the weights: " << message;
    }
    embedFile(*llvmModule, path, getWeightsSymbol(interface));
  }
  FailureOr<SmallVector<char, 0>> object =
      emitCode(loc, *llvmModule, *target, llvm::CodeGenFileType::ObjectFile);
  if (failed(object))
    return failure();
  measure(*object);
  setStackSize(*object, interface);
  result.object = std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(*object), interface.name + ".o",
                                                                  /*RequiresNullTerminator=*/false);
  return success();
}

FailureOr<CompiledModel> Compilation::run() {
  FailureOr<CpuTarget> found = CpuTarget::create(loc, options.triple, options.cpu, options.attributes);
  if (failed(found))
    return failure();
  target = std::move(*found);
  if (failed(lower()))
    return failure();
  if (!reaches(Stage::LLVMIR))
    return std::move(result);
  interface.name = options.name;
  interface.target = target->describe();
  interface.positional = options.positional && interface.weightsSize == 0;
  interface.embedWeights = options.embedWeights;
  interface.exportQuery = options.exportQuery;
  if (failed(makeWeights()) || failed(translate()) || failed(print(Stage::LLVMIR)))
    return failure();
  if (!reaches(Stage::Object))
    return std::move(result);
  if (failed(print(Stage::Object)) || failed(emit()))
    return failure();
  result.arenaSize = interface.arenaBytes();
  result.workerSize = interface.workerSize;
  HeaderNotes notes{options.commandLine, result.codeSize, {}};
  if (options.measure) {
    FailureOr<std::vector<std::string>> measured = options.measure(result);
    if (failed(measured))
      return failure();
    notes.measured = std::move(*measured);
  }
  result.header = makeHeader(interface, notes);
  return std::move(result);
}

FailureOr<TargetFacts> heddle::targetFacts(Location loc, const CompileOptions &options) {
  FailureOr<CpuTarget> target = CpuTarget::create(loc, options.triple, options.cpu, options.attributes);
  if (failed(target))
    return failure();
  return std::move(target->facts);
}

LogicalResult heddle::checkOptions(MLIRContext &context, const CompileOptions &options) {
  Location loc = UnknownLoc::get(&context);
  if (std::optional<std::string> wrong = findWrongChoice(context, options.strategies))
    return emitError(loc) << "--strategy: " << *wrong;
  return success(succeeded(CpuTarget::create(loc, options.triple, options.cpu, options.attributes)));
}

FailureOr<CompiledModel> heddle::compileModel(Model model, const CompileOptions &options) {
  return Compilation(std::move(model), options).run();
}
