// Loads the module MODEL and its weights at run time, and prints the first two elements of a sentence embedding.
#include <cstdio>
#include <heddle/heddle.hpp>

int main() {
  heddle_instance_options options = heddle::options();
  options.weights_path = WEIGHTS;
  heddle::Call call(heddle::Model::load(MODEL, options));
  const int64_t ids[] = {1, 3, 4, 5};
  if (!call || call.bind({{"input_ids", ids, {1, 4}}}) != HEDDLE_OK)
    return std::puts(call ? call.error() : "not loaded"), 1;
  std::vector<float> embedding(call.elements("sentence_embedding"));
  if (call.run({{"sentence_embedding", embedding.data(), call.shape("sentence_embedding")}}) != HEDDLE_OK)
    return std::puts(call.error()), 1;
  std::printf("%.5f %.5f\n", embedding[0], embedding[1]);
}
