//===- onnx_fuzzer.cpp - .onnx files --------------------------------------===//

#include "Fuzz.h"
#include "ProtoMutator.h"

#include "llvm/Support/xxhash.h"
#include <onnx/onnx_pb.h>

using namespace heddle;

/// Imports the input as a .onnx file. A hash of the input determines whether its dynamic sizes lie in ranges.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const TempDir dir;
  static const std::string weights = dir.write("weights", std::string(4096, '\1')); // a file of external data
  tryModel(dir.write("model.onnx", asText(data, size)), /*inRanges=*/llvm::xxh3_64bits({data, size}) % 2);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  static const std::vector<std::string> operators = onnxOperators();
  ::onnx::ModelProto model;
  return mutateProto(model, data, size, maxSize, seed, operators);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize, const uint8_t *second,
                                            size_t secondSize, uint8_t *out, size_t maxSize, unsigned seed) {
  ::onnx::ModelProto model;
  return crossProtos(model, {first, firstSize}, {second, secondSize}, out, maxSize, seed);
}
