//===- FaultyLibrary.h - a library on a failing device ----------*- C++ -*-===//

#ifndef HEDDLE_TESTS_ABI_FAULTYLIBRARY_H
#define HEDDLE_TESTS_ABI_FAULTYLIBRARY_H

#include "runtime/devices/FaultyDevice.h"

#include "heddle/Compile.h"

#include "gtest/gtest.h"

/// A test fixture. Compiles a model for one kind of device and loads the library into this process. The library runs on
/// the device `faulty`, which forwards its calls to `inner` and can make them fail.
class FaultyLibrary : public testing::Test {
protected:
  /// Uses the null device, which executes nothing.
  void SetUp() override;
  /// Uses `device`, and compiles libraries for `kind`, such as "cuda".
  void setUp(heddle::DevicePtr device, llvm::StringRef kind);

  /// Compiles the model `text`, which is the path of a file or a quoted operation, for the kind of device `kind`, and
  /// loads the library with `device` (null for code for the CPU). Stores the weights of the model in `weights`. Returns
  /// null on failure.
  std::unique_ptr<heddle::Session> load(llvm::StringRef kind, heddle::DevicePtr device, llvm::StringRef text);
  /// Loads the model `text` on `inner`, and sets `session`, `model` and the size of `arena`.
  void use(llvm::StringRef text);

  /// Initialises the model on `faulty`.
  heddle_status init() { return model->init_on_device(words.data(), weights.data(), weights.size(), &faulty->table); }
  /// Runs the initialised model, whose sizes are all fixed, with tensors on the host.
  heddle_status run(const void *const *inputs, void *const *outputs) {
    return model->run(words.data(), nullptr, inputs, outputs, arena.data(), arena.size(), nullptr);
  }
  /// Runs the initialised model with tensors on the host or on the device.
  heddle_status runOnDevice(const heddle_place *inputs, const heddle_place *outputs) {
    return model->run_on_device(words.data(), nullptr, inputs, outputs, arena.data(), arena.size());
  }

  heddle::DevicePtr inner; // the device to which `faulty` forwards calls
  std::unique_ptr<FaultyDevice> faulty;
  std::unique_ptr<heddle::Session> session; // keeps the code loaded
  const heddle_model *model = nullptr; // the description of the loaded library
  std::array<uint64_t, 12> words = {}; // the memory of the initialised model
  std::vector<char> weights, arena;

private:
  std::string kind; // the kind of device for which use() compiles
};

#endif // HEDDLE_TESTS_ABI_FAULTYLIBRARY_H
