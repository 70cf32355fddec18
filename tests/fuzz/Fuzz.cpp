//===- Fuzz.cpp - shared code of the fuzz targets -------------------------===//

#include "Fuzz.h"

#include "heddle/Recipe.h"
#include "heddle/Recognise.h"
#include "heddle/Verify.h"

#include "Notes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/Process.h"

using namespace mlir;
using namespace heddle;

void heddle::require(bool holds, const char *what) {
  if (holds)
    return;
  llvm::errs() << "fuzzing: " << what << "\n";
  std::abort();
}

/// Returns whether all tensors and loops of the module are so small that its interpretation takes less than a second.
static bool isSmall(ModuleOp module) {
  // The maximum numbers of elements of a tensor, of iterations of an operation, and of iterations of all operations.
  constexpr int64_t maxElements = 4096, maxTurns = 1 << 18, maxWork = 1 << 22;
  int64_t work = 0; // the number of iterations of the operations so far
  WalkResult walked = module.walk([&](Operation *op) {
    int64_t turns = 1;
    auto function = dyn_cast<FunctionOpInterface>(op); // check the types of arguments that no operation uses, too
    ArrayRef<Type> arguments = function ? function.getArgumentTypes() : ArrayRef<Type>();
    for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes(), arguments)) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (tensor && (!tensor.hasStaticShape() || tensor.getNumElements() > maxElements))
        return WalkResult::interrupt();
      turns = std::max(turns, tensor ? tensor.getNumElements() : 1);
    }
    if (auto loops = dyn_cast<linalg::LinalgOp>(op)) {
      turns = 1;
      for (int64_t range : loops.getStaticLoopRanges())
        if (ShapedType::isDynamic(range) || llvm::MulOverflow(turns, range, turns) || turns > maxTurns)
          return WalkResult::interrupt();
    } else if (isa<LayerOpInterface>(op)) {
      turns *= 64; // an estimate: each element is a sum of 64 terms
    }
    work += turns;
    return work > maxWork ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !walked.wasInterrupted();
}

/// Verifies an imported module, recognises layers and prints the module. If the module is small, interprets it with
/// random inputs. If the interpreter fails, it must emit an error.
static void useModel(Model &model, TestContext &context) {
  ModuleOp module = *model.module;
  require(succeeded(verify(module)), "the verifier rejects an imported module");
  if (notes::sizes.has(module))
    (void)checkPrintable(model);
  recognise(module);
  require(succeeded(verify(module)), "the verifier rejects a module after layers are recognised");
  std::string text;
  llvm::raw_string_ostream(text) << module;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  require(bool(main), "an imported module has no function main");
  context.take();
  if (!isSmall(module))
    return;
  FailureOr<SmallVector<Tensor>> inputs = randomInputs(main, /*seed=*/1);
  if (failed(inputs) || failed(computeReference(main, *inputs, weightsFrom(model.weights))))
    require(!context.take().empty(), "the interpreter fails without an error");
}

/// Adds a size or, if `inRanges`, a range of sizes to `options` for each dynamic dimension in `open`, the dimensions
/// whose sizes the model does not determine.
static void fixDims(ImportOptions &options, ArrayRef<OpenDim> open, bool inRanges) {
  for (const OpenDim &dim : open)
    if (inRanges)
      options.ranges.push_back({dim.name, 1, 8});
    else
      options.dims[dim.name] = std::min<int64_t>(dim.suggestion, 8);
}

void heddle::tryModel(StringRef name, bool inRanges) {
  TestContext context;
  DialectRegistry registry;
  registerInterpreter(registry);
  context.appendDialectRegistry(registry);
  ImportOptions options;
  ImportResult model = importModel(context, name, options);
  if (failed(model) && !model.openDims.empty()) {
    fixDims(options, model.openDims, inRanges);
    context.take();
    model = importModel(context, name, options);
  }
  if (failed(model)) {
    require(!context.take().empty(), "a model is refused without an error");
    return;
  }
  useModel(*model, context);
  if (!model->importAgain)
    return;
  // A model with ranges is interpreted at their lower bounds.
  SizeOptions minimum;
  SizeRanges ranges = *notes::sizes.get(*model->module);
  for (const SizeRange &range : ranges)
    minimum.at[range.name] = range.low;
  FailureOr<Model> fixed = model->importAgain(minimum);
  if (failed(fixed))
    require(!context.take().empty(), "a model is refused at its smallest sizes without an error");
  else
    useModel(*fixed, context);
}
