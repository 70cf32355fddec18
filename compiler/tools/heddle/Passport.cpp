//===- Passport.cpp - the measured error of compiled code -----------------===//

#include "Passport.h"

#include "Calls.h"
#include "Progress.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace heddle {

static constexpr uint64_t seed = 1;

std::optional<Passport> Passport::create(const Model &model) {
  Passport passport;
  passport.imported = model.module.get().clone();
  auto main = passport.imported->lookupSymbol<func::FuncOp>("main");
  auto inputs = randomInputs(main, seed);
  if (failed(inputs))
    return std::nullopt;
  passport.inputs = std::move(*inputs);
  Progress progress("interpreting in f64 and f32");
  auto reference = computeReference(main, passport.inputs, weightsFrom(model.weights));
  if (failed(reference))
    return std::nullopt;
  passport.reference = std::move(*reference);
  return passport;
}

FailureOr<std::vector<std::string>> Passport::measure(const CompiledModel &compiled,
                                                      const CompileOptions &options,
                                                      const ThreadArguments &threads) const {
  auto object = llvm::MemoryBuffer::getMemBufferCopy(compiled.object->getBuffer(), options.name);
  auto session = Session::fromObject(std::move(object), options.name,
                                     options.embedWeights ? std::vector<char>() : compiled.weights);
  if (!session) {
    printError(session.takeError());
    return failure();
  }
  auto main = imported.get().lookupSymbol<func::FuncOp>("main");
  SmallVector<std::optional<Tensor>> bound(inputs.begin(), inputs.end());
  ExecutorPtr executor = createExecutor(threads);
  FailureOr<SmallVector<Tensor>> outputs = call(**session, main, bound, executor.get());
  if (failed(outputs))
    return failure();
  std::vector<std::string> lines;
  bool ok = true;
  for (auto [i, output] : llvm::enumerate(*outputs)) {
    Comparison comparison = compare(resultName(main, i), output, reference.wide[i], reference.narrow[i]);
    if (!comparison.ok)
      llvm::errs() << "heddle: error: " << comparison.text() << "\n";
    ok &= comparison.ok;
    lines.push_back(llvm::formatv("Against f64: {0} max error {1:e1} (bound {2:e1}), random inputs from seed {3}.",
                                  comparison.output, comparison.error, comparison.bound, seed));
  }
  if (!ok)
    return failure();
  return lines;
}

} // namespace heddle
