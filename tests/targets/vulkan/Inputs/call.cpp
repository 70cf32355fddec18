// call.cpp LIBRARY: calls a softmax with rows of 20 elements on a Vulkan device with the C++ interface, heddle.hpp. The
// program first prints the error of a load without a device. At the end, it passes an output with two places, a host
// pointer and device memory, which the call refuses.
#include <cmath>
#include <cstdio>
#include <heddle/heddle.hpp>

/// Returns whether there are rows and the sum of each row is 1.
static bool sumsToOne(const std::vector<float> &out) {
  for (size_t row = 0; row < out.size() / 20; ++row) {
    double sum = 0;
    for (size_t i = 0; i < 20; ++i)
      sum += out[20 * row + i];
    if (!(std::fabs(sum - 1) < 1e-5))
      return false;
  }
  return !out.empty();
}

int main(int, char **argv) {
  std::puts(heddle::Model::load(argv[1]).error());
  heddle::Device device("vulkan");
  heddle_instance_options options = heddle::options();
  options.device = device.get();
  heddle::Call call(heddle::Model::load(argv[1], options));
  if (!device || !call)
    return std::puts(device.error()), 1;
  std::vector<float> input(160), out;
  for (size_t i = 0; i < input.size(); ++i)
    input[i] = float(i * 37 % 101) / 50 - 1;
  for (int64_t rows : {1, 7}) {
    if (call.bind({{"input", input.data(), {rows, 20}}}) != HEDDLE_OK)
      return std::puts(call.error()), 1;
    out.assign(call.elements("out"), -1);
    if (call.run({{"out", out.data(), call.shape("out")}}) != HEDDLE_OK)
      return std::puts(call.error()), 1;
    std::printf("%d rows sum to 1: %s\n", int(rows), sumsToOne(out) ? "yes" : "no");
  }

  // The inputs and outputs of the last call, seven rows, are passed in device memory. The results must be the same.
  heddle_device &gpu = *device.get();
  const uint64_t bytes = 7 * 20 * sizeof(float);
  heddle_memory *from = nullptr, *to = nullptr;
  std::vector<float> back(140);
  bool good = gpu.allocate(gpu.self, bytes, &from) == HEDDLE_OK && gpu.allocate(gpu.self, bytes, &to) == HEDDLE_OK &&
              gpu.upload(gpu.self, from, 0, input.data(), bytes) == HEDDLE_OK &&
              call.bind({{"input", HEDDLE_F32, {nullptr, from, 0}, {7, 20}}}) == HEDDLE_OK &&
              call.run({{"out", HEDDLE_F32, {nullptr, to, 0}, {7, 20}}}) == HEDDLE_OK &&
              gpu.download(gpu.self, to, 0, back.data(), bytes) == HEDDLE_OK;
  std::printf("from the device to the device: %s\n", good && back == out ? "yes" : call.error());
  if (call.run({{"out", HEDDLE_F32, {back.data(), to, 0}, {7, 20}}}) != HEDDLE_OK)
    std::puts(call.error());
  gpu.release(gpu.self, from);
  gpu.release(gpu.self, to);
}
