//===- TestData.cpp - inputs and outputs of ONNX's own tests --------------===//

#include "Message.h"
#include "TensorReader.h"
#include "heddle/OnnxTestData.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace heddle;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

std::vector<std::string> heddle::onnxTestDataSets(StringRef folder) {
  std::vector<std::string> sets;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (path::filename(entry->path()).starts_with("test_data_set_") && fs::is_directory(entry->path()))
      sets.push_back(entry->path());
  llvm::sort(sets);
  return sets;
}

FailureOr<WeightStore> heddle::readOnnxTestTensors(MLIRContext &context, StringRef set, StringRef prefix,
                                                   ArrayRef<std::string> names) {
  WeightStore store;
  for (size_t i = 0;; ++i) {
    SmallString<128> file(set);
    path::append(file, prefix + "_" + Twine(i) + ".pb");
    if (!fs::exists(file))
      return store;
    Location loc = FileLineColLoc::get(&context, file, 0, 0);
    ::onnx::TensorProto tensor;
    if (failed(heddle::onnx::parseMessage(loc, file, "an ONNX tensor", tensor)))
      return failure();
    std::string name = !tensor.name().empty() ? tensor.name() : i < names.size() ? names[i] : "";
    // The reader requires a model as the owner of the bytes, so the tensor is moved into a model.
    auto owner = std::make_shared<::onnx::ModelProto>();
    ::onnx::TensorProto *kept = owner->mutable_graph()->add_initializer();
    *kept = std::move(tensor);
    FailureOr<heddle::onnx::TensorData> data =
        heddle::onnx::TensorReader(loc, file.str(), owner).read(*kept, "tensor '" + name + "'");
    if (failed(data))
      return failure();
    if (data->small)
      return emitError(loc) << "tensor '" << name << "': elements of 4 or 8 bits are not supported as inputs and outputs";
    if (!store.add(name, data->type, data->bytes, data->keepAlive))
      return emitError(loc) << "an earlier file of this data set already contains a tensor '" << name << "'";
  }
}
