//===- Compile.cpp - models made into objects -----------------------------===//

#include "heddle/Compile.h"

#include "abi/EntryPoints.h"
#include "abi/Header.h"
#include "abi/ModelInterface.h"
#include "heddle/Memory.h"
#include "heddle/Pipeline.h"
#include "heddle/Strategy.h"
#include "heddle/WeightTable.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

using namespace mlir;
using namespace heddle;

namespace {
class Compilation {
public:
  Compilation(Model model, const CompileOptions &options)
      : model(std::move(model)), options(options), loc(this->model.module->getLoc()) {}

  FailureOr<CompiledModel> run();

private:
  LogicalResult lower();
  LogicalResult readInterface(Stage stage);
  LogicalResult makeWeights();
  LogicalResult print(Stage stage);
  LogicalResult emit();
  bool reaches(Stage stage) const { return int(options.to) >= int(stage); }

  Model model;
  const CompileOptions &options;
  Location loc;
  std::unique_ptr<Target> target;
  ModelInterface interface;
  std::unique_ptr<TargetCode> code;
  CompiledModel result;
};
} // namespace

/// Reads the interface where the module at `stage` has buffers with types.
LogicalResult Compilation::readInterface(Stage stage) {
  if (stage < Stage::Plan || stage > Stage::Loops)
    return success();
  FailureOr<ModelInterface> read = heddle::readInterface(*model.module);
  if (failed(read))
    return failure();
  interface = std::move(*read);
  return success();
}

/// Stages recognise to llvm.
LogicalResult Compilation::lower() {
  if (failed(readInterface(options.from)))
    return failure();
  PipelineOptions pipeline;
  pipeline.target = target.get();
  pipeline.strategies = options.strategies;
  pipeline.afterStage = [&](Stage stage, ModuleOp module) -> LogicalResult {
    if (options.changeModule && failed(options.changeModule(stage, module)))
      return failure();
    if (failed(readInterface(stage)))
      return failure();
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

/// LLVM IR or assembly, for who asked for it.
LogicalResult Compilation::print(Stage stage) {
  if (!options.afterStage)
    return success();
  bool written = true;
  auto text = [&](llvm::raw_ostream &os) { written = succeeded(code->print(stage, os)); };
  return success(succeeded(options.afterStage(stage, text)) && written);
}

LogicalResult Compilation::emit() {
  FailureOr<ObjectCode> object =
      code->emit(options.embedWeights ? ArrayRef<char>(result.weights) : ArrayRef<char>());
  if (failed(object))
    return failure();
  result.codeSize = object->codeSize;
  result.stackSize = object->stackSize;
  result.object = std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object->bytes), interface.name + ".o",
                                                                  /*RequiresNullTerminator=*/false);
  return success();
}

FailureOr<CompiledModel> Compilation::run() {
  FailureOr<std::unique_ptr<Target>> found = createTarget(loc, options.target);
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
  if (failed(makeWeights()))
    return failure();
  FailureOr<std::unique_ptr<TargetCode>> translated = target->translate(*model.module, interface);
  if (failed(translated))
    return failure();
  code = std::move(*translated);
  if (failed(print(Stage::LLVMIR)))
    return failure();
  if (!reaches(Stage::Object))
    return std::move(result);
  if (failed(print(Stage::Object)) || failed(emit()))
    return failure();
  result.whyNotHere = target->whyNotHere();
  result.arenaSize = interface.arenaBytes();
  result.workerSize = interface.workerSize;
  interface.stackSize = result.stackSize;
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

LogicalResult heddle::checkOptions(MLIRContext &context, const CompileOptions &options, bool runsHere) {
  Location loc = UnknownLoc::get(&context);
  if (std::optional<std::string> wrong = findWrongChoice(context, options.strategies))
    return emitError(loc) << "--strategy: " << *wrong;
  FailureOr<std::unique_ptr<Target>> target = createTarget(loc, options.target);
  if (failed(target))
    return failure();
  if (std::string reason = (*target)->whyNotHere(); runsHere && !reason.empty())
    return emitError(loc) << "--target: " << reason;
  return success();
}

FailureOr<CompiledModel> heddle::compileModel(Model model, const CompileOptions &options) {
  return Compilation(std::move(model), options).run();
}
