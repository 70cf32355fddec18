//===- WriteWeights.cpp - writes the block of weights ---------------------===//

#include "WriteWeights.h"

#include "abi/EntryPoints.h"
#include "abi/WeightsHash.h"
#include "heddle/Memory.h"
#include "heddle/WeightTable.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace heddle;

FailureOr<WrittenWeights> heddle::writeWeights(ModuleOp module, WeightStore weights, int64_t weightsSize,
                                               const ScaleLimit &scales, const CompileOptions &options) {
  WrittenWeights block;
  Location loc = module.getLoc();
  uint64_t size = block.size = weightsHeaderSize + weightsSize;
  // Code addresses data in its library by signed 32-bit offsets. The limit leaves 64 MiB for code and other data.
  constexpr uint64_t limit = (uint64_t(1) << 31) - (uint64_t(64) << 20);
  if (options.embedWeights && size > limit)
    return emitError(loc) << "weights of " << size
                          << " bytes do not fit into a library; write them to a separate file (--weights FILE)";
  if (options.embedWeights) {
    FailureOr<std::unique_ptr<WeightsObject>> created = WeightsObject::create(loc);
    if (failed(created))
      return failure();
    block.object = std::move(*created);
  }
  llvm::raw_pwrite_stream *stream = block.object ? &block.object->stream() : options.weights;
  // The required memory is twice the size of the largest weight: while a step of its recipe (such as slicing or
  // packing) runs, both the input and the result of the step are in memory. If the block is not written to a stream,
  // the whole block is in memory, too.
  uint64_t copies = stream ? 0 : 1;
  uint64_t steps = llvm::SaturatingMultiply(uint64_t(2), largestWeight(module));
  uint64_t bytes = llvm::SaturatingMultiplyAdd(copies, size, steps);
  if (llvm::Error error = checkMemory("writing the weights", bytes))
    return emitError(loc) << llvm::toString(std::move(error));
  if (!stream)
    block.bytes.reserve(size);
  uint64_t written = 0, begin = stream ? stream->tell() : 0;
  auto write = [&](ArrayRef<char> piece) {
    if (stream)
      stream->write(piece.data(), piece.size());
    else
      llvm::append_range(block.bytes, piece);
    written += piece.size();
  };
  WeightsHash hash;
  char header[weightsHeaderSize] = {}; // written here to reserve its place, and again when the hash is known
  write(header);
  auto add = [&](ArrayRef<char> piece) {
    hash.add(piece);
    write(piece);
    options.progress(llvm::formatv("weights, {0} of {1} MB", written / 1'000'000, size / 1'000'000));
  };
  auto check = [&](DictionaryAttr entry, ArrayRef<char> bytes) { return scales.check(loc, entry, bytes); };
  if (failed(evaluateWeights(module, weights, add, check)))
    return failure();
  block.hash = hash.get();
  llvm::support::endian::write64le(header, weightsMagic);
  llvm::support::endian::write64le(header + 8, weightsSize);
  llvm::support::endian::write64le(header + 16, block.hash);
  if (stream)
    stream->pwrite(header, sizeof(header), begin);
  else
    llvm::copy(header, block.bytes.begin());
  return std::move(block);
}
