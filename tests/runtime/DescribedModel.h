//===- DescribedModel.h - a handwritten model description -------*- C++ -*-===//
//
// Tests of the runtime call this model in place of a compiled one. Its output
// rows [b, new] contains the sums of the input x [b, new, 4] along the last
// dimension, plus the mean of the row of the input mask [b, past + new] for the
// same batch entry, or plus 1 without a mask. Its output total is the sum of all
// elements of rows. The size `past` can be computed only from the shape of mask,
// once `new` is known.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TESTS_RUNTIME_DESCRIBEDMODEL_H
#define HEDDLE_TESTS_RUNTIME_DESCRIBEDMODEL_H

#include "heddle/model.h"

#include <cstring>

/// A heddle_model and the arrays to which it points. The object must outlive all uses of `model`.
struct DescribedModel {
  enum { B, Past, New };                       // indices into `sizes`
  static constexpr size_t arenaPerThread = 64; // bytes of the arena for each element of `rows`, per thread

  const heddle_variant variants[2] = {{"fast", "triple fast"}, {"slow", "triple slow"}};
  heddle_size sizes[3] = {{"b", 1, 4}, {"past", 0, 100}, {"new", 1, 10}};
  // Expressions for extents in postfix form: b, new, the number 4, and past + new.
  const int64_t ofB[2] = {HEDDLE_SIZE_OF_CALL, B}, ofNew[2] = {HEDDLE_SIZE_OF_CALL, New},
                four[2] = {HEDDLE_SIZE_NUMBER, 4};
  const int64_t all[6] = {HEDDLE_SIZE_OF_CALL, Past, HEDDLE_SIZE_OF_CALL, New, HEDDLE_SIZE_ADD, 0};
  const heddle_expression xExtents[3] = {{ofB, 2}, {ofNew, 2}, {four, 2}}, maskExtents[2] = {{ofB, 2}, {all, 6}};
  const int64_t xShape[3] = {-1, -1, 4}, openShape[2] = {-1, -1};
  heddle_tensor inputs[2] = {
      {"x", HEDDLE_F32, 3, xShape, xExtents, 0, 0, 0, 0, 0, 0},
      {"mask", HEDDLE_I64, 2, openShape, maskExtents, HEDDLE_OPTIONAL | HEDDLE_RANGE, 0, 1, 1, 0, 0}};
  heddle_tensor outputs[2] = {{"rows", HEDDLE_F32, 2, openShape, xExtents, 0, 0, 0, 0, 0, 0},
                              {"total", HEDDLE_F64, 0, nullptr, nullptr, HEDDLE_OPTIONAL, 0, 0, 0, 0, 0}};
  heddle_model model = {};

  DescribedModel() {
    model.abi = HEDDLE_ABI_VERSION;
    model.struct_size = sizeof model;
    model.variant_stride = sizeof *variants;
    model.size_stride = sizeof *sizes;
    model.tensor_stride = sizeof *inputs;
    model.name = "described";
    model.source = "a test";
    model.variant_count = 2;
    model.variants = variants;
    model.size_count = 3;
    model.sizes = sizes;
    model.input_count = model.output_count = 2;
    model.inputs = inputs;
    model.outputs = outputs;
    model.instance_size = 16;
    model.init = init;
    model.variant = [](const void *state) { return *static_cast<const char *const *>(state); };
    model.arena_size = [](const size_t *sizes, size_t threads) {
      return inRange(sizes) ? arenaPerThread * threads * sizes[B] * sizes[New] : 0;
    };
    model.run = run;
  }

private:
  static bool inRange(const size_t *sizes) {
    return sizes[B] >= 1 && sizes[B] <= 4 && sizes[Past] <= 100 && sizes[New] >= 1 && sizes[New] <= 10;
  }
  /// Accepts no weights, or 7 bytes with the text "weights". Stores the name of the variant in `state`, the memory of
  /// the instance.
  static heddle_status init(void *state, const char *variant, const void *weights, size_t size) {
    if (weights && (size != 7 || std::memcmp(weights, "weights", 7) != 0))
      return HEDDLE_INVALID_WEIGHTS;
    *static_cast<const char **>(state) = variant && std::strcmp(variant, "slow") == 0 ? "slow" : "fast";
    return HEDDLE_OK;
  }
  static heddle_status run(const void *state, const size_t *sizes, const void *const *inputs, void *const *outputs,
                           void *arena, size_t arenaSize, const heddle_executor *executor) {
    size_t rows = sizes[B] * sizes[New], keys = sizes[Past] + sizes[New];
    if (!state || !arena || arenaSize < arenaPerThread * (executor ? executor->threads : 1) * rows)
      return HEDDLE_ARENA_TOO_SMALL;
    auto *x = static_cast<const float *>(inputs[0]);
    auto *mask = static_cast<const int64_t *>(inputs[1]);
    auto *result = static_cast<float *>(outputs[0]);
    double total = 0;
    for (size_t row = 0; row < rows; ++row) {
      double sum = 0, kept = 0;
      for (size_t i = 0; i < 4; ++i)
        sum += x[4 * row + i];
      for (size_t i = 0; i < keys; ++i) {
        int64_t bit = mask ? mask[row / sizes[New] * keys + i] : 1;
        if (bit != 0 && bit != 1)
          return HEDDLE_INDEX_OUT_OF_RANGE;
        kept += double(bit);
      }
      static_cast<double *>(arena)[row] = sum + kept / double(keys);
      result[row] = float(static_cast<double *>(arena)[row]);
      total += result[row];
    }
    if (outputs[1])
      *static_cast<double *>(outputs[1]) = total;
    return HEDDLE_OK;
  }
};

#endif // HEDDLE_TESTS_RUNTIME_DESCRIBEDMODEL_H
