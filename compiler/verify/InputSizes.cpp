//===- InputSizes.cpp - sizes in input files ------------------------------===//

#include "heddle/InputSizes.h"

#include "heddle/Safetensors.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace heddle;

FailureOr<int64_t> heddle::sizeIn(const WeightStore &file, Location loc, StringRef name, ArrayRef<SizePlace> places,
                                  int64_t low, int64_t high) {
  std::optional<int64_t> size;
  const SizePlace *first = nullptr;
  for (const SizePlace &place : places) {
    const StoredTensor *stored = file.find(place.input);
    if (!stored)
      continue;
    auto error = [&] { return emitError(loc) << "tensor '" << place.input << "': "; };
    if (stored->type.getRank() != int64_t(place.rank))
      return error() << "expected " << place.rank << " dimensions, found " << stored->type;
    int64_t extent = stored->type.getDimSize(unsigned(place.dim)), found = extent / place.factor;
    if (extent % place.factor != 0)
      return error() << "dimension " << place.dim << " is " << extent << ", expected a multiple of " << place.factor
                     << ", because the dimension is " << place.factor << " x " << name;
    if (size && *size != found)
      return error() << name << " is " << found << " in dimension " << place.dim << ", but " << *size << " in tensor '"
                     << first->input << "', dimension " << first->dim;
    if (found < low || found > high)
      return error() << name << " is " << found << ", outside " << low << ".." << high;
    size = found;
    first = first ? first : &place;
  }
  if (size)
    return *size;
  InFlightDiagnostic error = emitError(loc) << "the file has no tensor that determines size '" << name << "'";
  if (!places.empty())
    error << ", such as input '" << places.front().input << "'";
  return error;
}

FailureOr<Model> heddle::importAtSizes(MLIRContext &context, StringRef model, ImportOptions options,
                                       ArrayRef<OpenDim> open, StringRef input) {
  constexpr int64_t maxSize = int64_t(1) << 31;
  Location loc = FileLineColLoc::get(&context, input, 0, 0);
  WeightStore file;
  if (failed(readSafetensors(context, input, file)))
    return failure();
  std::string known;
  for (const OpenDim &dim : open) {
    // If no input has the dimension, its size is the largest size of its default (OpenDim::fallback).
    if (DimRange range; dim.places.empty() && !dim.fallback.empty()) {
      (void)parseSizes(dim.fallback, range);
      options.dims[dim.name] = range.high;
      continue;
    }
    FailureOr<int64_t> size = sizeIn(file, loc, dim.name, dim.places, 0, maxSize);
    if (failed(size))
      return failure();
    options.dims[dim.name] = *size;
    known += " " + dim.name + "=" + std::to_string(*size);
  }
  FailureOr<Model> imported = importModel(context, model, options);
  if (failed(imported))
    emitRemark(loc) << "the tensors in this file have the sizes" << known;
  return imported;
}
