//===- Runner.cpp - calls models through heddle-runner --------------------===//

#include "heddle/AbiType.h"
#include "heddle/Json.h"
#include "heddle/Program.h"
#include "heddle/Safetensors.h"
#include "heddle/Session.h"
#include "heddle/TemporaryFile.h"
#include "heddle/WeightStore.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;

namespace heddle {
namespace {

/// A session whose calls run the program heddle-runner, which loads the library on another machine.
class RunnerSession : public Session {
public:
  RunnerSession(StringRef path, StringRef weights, StringRef variant, std::shared_ptr<void> keepAlive)
      : library(path), weights(weights), variant(variant), keepAlive(std::move(keepAlive)) {}

  /// Runs the command once to read the description of the model.
  Error load(StringRef command);
  Error run(ArrayRef<const void *> inputs, ArrayRef<void *> outputs, const heddle_executor *) override;
  // The runner allocates its own arena and fills it with NaN, so these functions do nothing.
  Error reserveArena(const heddle_executor *) override { return Error::success(); }
  Error poisonArena(const heddle_executor *) override { return Error::success(); }

private:
  /// Runs the command with the further arguments `more` and returns its output.
  Expected<std::string> call(ArrayRef<StringRef> more);
  /// Read the sizes in ranges, and the tensors in the array `key`. Return false if they are not valid.
  bool readSizes(const json::Object &model);
  bool readTensors(const json::Object &model, StringRef key, std::vector<heddle_tensor> &tensors);
  /// Copies an array of numbers. Returns null if an element is not an integer or is less than `minimum`.
  const int64_t *readNumbers(const json::Array &array, int64_t minimum);
  /// Copies the expressions of the extents of a tensor of this rank. Returns null if they are not valid.
  const heddle_expression *readExtents(const json::Array &list, size_t rank);
  mlir::RankedTensorType typeOf(const heddle_tensor &tensor) {
    return mlir::RankedTensorType::get(shapeOf(tensor), elementType(tensor.type, context));
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  BumpPtrAllocator memory; // owns the data of the description
  StringSaver saver{memory};
  SmallVector<const char *> words;                // the words of the command
  std::string program, library, weights, variant; // paths, and the name of the variant; the last two may be empty
  std::shared_ptr<void> keepAlive;                // freed with the session
  std::vector<heddle_size> sizeRanges;
  std::vector<heddle_tensor> inputTensors, outputTensors;
  heddle_model described = {}; // the description that model() returns; its functions are null
};

} // namespace

Expected<std::string> RunnerSession::call(ArrayRef<StringRef> more) {
  SmallVector<StringRef> arguments(words.begin(), words.end());
  if (!weights.empty())
    arguments.append({"--weights", weights});
  if (!variant.empty())
    arguments.append({"--variant", variant});
  arguments.push_back(library);
  arguments.append(more.begin(), more.end());
  Expected<TemporaryFile> printed = TemporaryFile::create("json");
  if (!printed)
    return printed.takeError();
  Expected<TemporaryFile> complaint = TemporaryFile::create("txt");
  if (!complaint)
    return complaint.takeError();
  std::optional<StringRef> redirects[] = {StringRef(), printed->path(), complaint->path()};
  std::string reason;
  int status = runProgram(program, arguments, redirects, reason);
  auto text = [](StringRef path) {
    auto buffer = MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().trim().str() : std::string();
  };
  if (status == 0)
    return text(printed->path());
  std::string said = text(complaint->path());
  if (said.empty())
    said = reason.empty() ? "the command failed with exit status " + std::to_string(status) : reason;
  return createStringError("--runner: " + Twine(words.front()) + ": " + said);
}

const int64_t *RunnerSession::readNumbers(const json::Array &array, int64_t minimum) {
  auto *numbers = memory.Allocate<int64_t>(array.size() + 1);
  for (auto [i, value] : enumerate(array)) {
    std::optional<int64_t> number = value.getAsInteger();
    if (!number || *number < minimum)
      return nullptr;
    numbers[i] = *number;
  }
  return numbers;
}

bool RunnerSession::readSizes(const json::Object &model) {
  const json::Array *list = model.getArray("sizes");
  for (size_t i = 0; list && i < list->size(); ++i) {
    const json::Object *entry = (*list)[i].getAsObject();
    std::optional<StringRef> name = entry ? entry->getString("name") : std::nullopt;
    std::optional<int64_t> low = entry ? entry->getInteger("low") : std::nullopt;
    std::optional<int64_t> high = entry ? entry->getInteger("high") : std::nullopt;
    if (!name || !low || !high || *low < 0 || *high < *low)
      return false;
    sizeRanges.push_back({saver.save(*name).data(), *low, *high, /*class_count=*/0, /*classes=*/nullptr});
  }
  return true;
}

const heddle_expression *RunnerSession::readExtents(const json::Array &list, size_t rank) {
  auto *extents = memory.Allocate<heddle_expression>(rank + 1);
  std::vector<size_t> minimum; // each expression is evaluated at the minimum of each size, to check that it is valid
  for (const heddle_size &size : sizeRanges)
    minimum.push_back(size_t(size.low));
  for (auto [i, entry] : enumerate(list)) {
    const json::Array *code = entry.getAsArray();
    if (!code || i >= rank)
      return nullptr;
    int64_t value;
    extents[i] = {readNumbers(*code, INT64_MIN), code->size()};
    if (!extents[i].code || !heddle_evaluate(&extents[i], minimum.data(), minimum.size(), &value))
      return nullptr;
  }
  return list.size() == rank ? extents : nullptr;
}

bool RunnerSession::readTensors(const json::Object &model, StringRef key, std::vector<heddle_tensor> &tensors) {
  const json::Array *list = model.getArray(key);
  for (size_t i = 0; list && i < list->size(); ++i) {
    const json::Object *entry = (*list)[i].getAsObject();
    const json::Array *shape = entry ? entry->getArray("shape") : nullptr;
    std::optional<StringRef> name = entry ? entry->getString("name") : std::nullopt;
    std::optional<int64_t> type = entry ? entry->getInteger("type") : std::nullopt;
    if (!shape || !name || !type || !elementType(uint32_t(*type), context))
      return false;
    heddle_tensor tensor = {};
    const json::Array *extents = entry->getArray("extents");
    tensor.shape = readNumbers(*shape, extents ? -1 : 0);
    tensor.extents = extents ? readExtents(*extents, shape->size()) : nullptr;
    if (!tensor.shape || (extents && !tensor.extents))
      return false;
    tensor.name = saver.save(*name).data();
    tensor.type = uint32_t(*type);
    tensor.rank = uint32_t(shape->size());
    tensor.flags = entry->getBoolean("optional").value_or(false) ? HEDDLE_OPTIONAL : 0;
    tensors.push_back(tensor);
  }
  return list;
}

Error RunnerSession::load(StringRef command) {
  cl::TokenizeGNUCommandLine(command, saver, words);
  if (words.empty())
    return createStringError("--runner: expected a command");
  ErrorOr<std::string> found = sys::findProgramByName(words.front());
  if (!found)
    return createStringError("--runner: " + Twine(words.front()) + ": " + found.getError().message());
  program = *found;
  Expected<std::string> text = call({});
  if (!text)
    return text.takeError();
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) { return mlir::success(); });
  mlir::FailureOr<json::Object> model = parseJsonObject(mlir::UnknownLoc::get(&context), *text);
  if (failed(model) || !readSizes(*model) || !readTensors(*model, "inputs", inputTensors) ||
      !readTensors(*model, "outputs", outputTensors))
    return createStringError("--runner: " + Twine(words.front()) + " printed no valid description of " + library +
                             "; the command must run heddle-runner");
  described.abi = HEDDLE_ABI_VERSION;
  described.name = saver.save(model->getString("name").value_or("")).data();
  described.source = saver.save(model->getString("source").value_or("")).data();
  described.size_count = sizeRanges.size();
  described.sizes = sizeRanges.data();
  described.input_count = inputTensors.size();
  described.output_count = outputTensors.size();
  described.inputs = inputTensors.data();
  described.outputs = outputTensors.data();
  describe(&described);
  return Error::success();
}

Error RunnerSession::run(ArrayRef<const void *> inputs, ArrayRef<void *> outputs, const heddle_executor *) {
  Expected<TemporaryFile> given = TemporaryFile::create("safetensors");
  if (!given)
    return given.takeError();
  Expected<TemporaryFile> got = TemporaryFile::create("safetensors");
  if (!got)
    return got.takeError();
  std::string complaint;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &said) { complaint = said.str(); });
  std::vector<std::pair<std::string, StoredTensor>> tensors;
  for (auto [tensor, data] : zip_equal(inputTensors, inputs))
    if (data)
      tensors.push_back({tensor.name, {typeOf(tensor), ArrayRef(static_cast<const char *>(data), bytesOf(tensor))}});
  if (failed(writeSafetensors(context, given->path(), tensors)))
    return createStringError(complaint);
  Expected<std::string> printed = call({given->path(), got->path()});
  if (!printed)
    return printed.takeError();
  WeightStore results;
  if (failed(readSafetensors(context, got->path(), results)))
    return createStringError("--runner: " + Twine(words.front()) + " wrote outputs that cannot be read: " + complaint);
  for (auto [tensor, output] : zip_equal(outputTensors, outputs)) {
    const StoredTensor *result = results.find(tensor.name);
    if (!result || result->type != typeOf(tensor))
      return createStringError("--runner: " + Twine(words.front()) + " wrote no output '" + tensor.name +
                               "' with the type and shape of the model's output");
    if (output)
      std::memcpy(output, result->bytes.data(), result->bytes.size());
  }
  return Error::success();
}

Expected<std::unique_ptr<Session>> Session::fromRunner(StringRef command, StringRef path, StringRef weightsPath,
                                                       StringRef variant, std::shared_ptr<void> keepAlive) {
  auto session = std::make_unique<RunnerSession>(path, weightsPath, variant, std::move(keepAlive));
  if (Error error = session->load(command))
    return std::move(error);
  return session;
}

} // namespace heddle
