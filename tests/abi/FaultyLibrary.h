//===- FaultyLibrary.h - a library on a device that fails -------*- C++ -*-===//

#ifndef HEDDLE_TESTS_ABI_FAULTYLIBRARY_H
#define HEDDLE_TESTS_ABI_FAULTYLIBRARY_H

#include "runtime/devices/FaultyDevice.h"

#include "heddle/Compile.h"

#include "gtest/gtest.h"

/// A library for a kind of device, loaded here, and a device whose calls can fail, which has it.
class FaultyLibrary : public testing::Test {
protected:
  /// On the null device, which executes nothing.
  void SetUp() override;
  /// On another, for whose kind libraries are compiled then.
  void setUp(heddle::DevicePtr device, llvm::StringRef kind);

  /// Compiles a model, named as for `heddle compile`, and loads it; null if that fails. `weights` become its.
  std::unique_ptr<heddle::Session> load(llvm::StringRef kind, heddle::DevicePtr device, llvm::StringRef text);
  /// The model of this test: a name as above.
  void use(llvm::StringRef text);

  heddle_status init() { return model->init_on_device(words.data(), weights.data(), weights.size(), &faulty->table); }
  heddle_status run(const void *const *inputs, void *const *outputs) {
    return model->run(words.data(), nullptr, inputs, outputs, arena.data(), arena.size(), nullptr);
  }
  heddle_status runOnDevice(const heddle_place *inputs, const heddle_place *outputs) {
    return model->run_on_device(words.data(), nullptr, inputs, outputs, arena.data(), arena.size());
  }

  heddle::DevicePtr inner; // which `faulty` passes calls on to
  std::unique_ptr<FaultyDevice> faulty;
  std::unique_ptr<heddle::Session> session; // keeps the code loaded
  const heddle_model *model = nullptr;
  std::array<uint64_t, 12> words = {}; // of the model, once it is initialised
  std::vector<char> weights, arena;

private:
  std::string kind;
};

#endif // HEDDLE_TESTS_ABI_FAULTYLIBRARY_H
