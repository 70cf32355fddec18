//===- test_data_fuzzer.cpp - tensor files of ONNX's backend tests --------===//

#include "Fuzz.h"
#include "ProtoMutator.h"

#include "heddle/OnnxTestData.h"
#include "interpreter/Tensor.h"

#include <onnx/onnx_pb.h>

using namespace heddle;
using namespace mlir;

/// Reads the input as the file input_0.pb, which contains one TensorProto, as ONNX's backend tests store tensors.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const TempDir dir;
  static const std::string weights = dir.write("weights", std::string(4096, '\1')); // a file of external data
  dir.write("input_0.pb", asText(data, size));
  TestContext context;
  FailureOr<WeightStore> tensors = readOnnxTestTensors(context, dir.file(""), "input", {"first"});
  if (failed(tensors)) {
    require(!context.take().empty(), "a tensor is refused without an error");
    return 0;
  }
  for (StringRef name : tensors->names()) {
    const StoredTensor &tensor = *tensors->find(name);
    (void)Tensor::fromBytes(tensor.type.getShape(), tensor.type.getElementType(), tensor.bytes);
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  static const std::string words[] = {"weights", "location", "offset", "length", "checksum", "../weights", "0", "4096"};
  ::onnx::TensorProto tensor;
  return mutateProto(tensor, data, size, maxSize, seed, words);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize, const uint8_t *second,
                                            size_t secondSize, uint8_t *out, size_t maxSize, unsigned seed) {
  ::onnx::TensorProto tensor;
  return crossProtos(tensor, {first, firstSize}, {second, secondSize}, out, maxSize, seed);
}
