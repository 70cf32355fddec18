//===- Session.cpp - calls compiled models in this process ----------------===//

#include "heddle/Session.h"

#include "heddle/Devices.h"
#include "heddle/Memory.h"
#include "heddle/library.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/TargetSelect.h"

using namespace llvm;

namespace heddle {

std::vector<int64_t> Session::shapeOf(const heddle_tensor &tensor) const {
  assert(sizes.size() == description->size_count);
  std::vector<int64_t> shape;
  for (uint32_t i = 0; i < tensor.rank; ++i)
    shape.push_back(std::max<int64_t>(heddle_extent(description, &tensor, i, sizes.data()), 0));
  return shape;
}

uint64_t Session::bytesOf(const heddle_tensor &tensor) const {
  uint64_t bytes = heddle_type_size(tensor.type);
  for (int64_t extent : shapeOf(tensor))
    bytes *= uint64_t(extent);
  return bytes;
}

Expected<DevicePtr> openDevice(StringRef name) {
  if (name.empty() || name == hostDevice)
    return DevicePtr();
  char reason[512];
  heddle_device *device = heddle_device_open(name.str().c_str(), reason, sizeof reason);
  if (!device)
    return createStringError("--device " + name + ": " + reason);
  return DevicePtr(device, heddle_device_close);
}

/// With the words of the device, if there is one, for what failed there.
static Error statusError(heddle_status status, const heddle_model &model, heddle_device *device) {
  std::string text = (Twine(model.name) + ": " + heddle_status_text(status)).str();
  if (device && status >= HEDDLE_UNSUPPORTED_DEVICE)
    text += std::string(": ") + device->error(device->self);
  return createStringError(text);
}

/// The names of all variants, as people read them.
static std::string variantNames(const heddle_model &model) {
  return join(map_range(ArrayRef(model.variants, model.variant_count),
                        [](const heddle_variant &variant) { return std::string(variant.name); }),
              ", ");
}

struct Session::ModelOnDevice {
  DevicePtr device;
  std::vector<uint64_t> state;
  void (*deinit)(void *model) = nullptr; // once it is initialised

  ModelOnDevice() = default;
  ModelOnDevice(const ModelOnDevice &) = delete;
  ~ModelOnDevice() {
    if (deinit)
      deinit(state.data());
  }
};

void Session::describe(const heddle_model *model) {
  description = model;
  for (uint64_t i = 0; i < model->size_count; ++i)
    sizes.push_back(size_t(model->sizes[i].low));
}

Error Session::initializeOnDevice(ArrayRef<char> weights, DevicePtr device) {
  const heddle_model &model = *description;
  if (!device)
    return createStringError(Twine(model.name) + ": its code is for a device; choose one with --device " + model.device);
  if (!model.init_on_device || !model.deinit)
    return createStringError(Twine(model.name) + ": lacks the functions of code for a device");
  auto there = std::make_shared<ModelOnDevice>();
  there->device = std::move(device);
  there->state = state;
  heddle_status status = model.init_on_device(there->state.data(), weights.empty() ? nullptr : weights.data(),
                                              weights.size(), there->device.get());
  if (status != HEDDLE_OK)
    return statusError(status, model, there->device.get());
  there->deinit = model.deinit;
  state = there->state;
  onDevice = std::move(there);
  return Error::success();
}

Error Session::initialize(const heddle_model *model, ArrayRef<char> weights, StringRef variant, DevicePtr device) {
  if (!model || model->abi != HEDDLE_ABI_VERSION)
    return createStringError("the code was written for another version of heddle");
  describe(model);
  state.resize(divideCeil(model->instance_size, sizeof(uint64_t)));
  const heddle_variant *asked = nullptr;
  for (const heddle_variant &known : ArrayRef(model->variants, model->variant_count))
    if (variant == known.name)
      asked = &known;
  if (!variant.empty() && !asked)
    return createStringError(Twine(model->name) + ": has no code for " + variant + "; there is that for " +
                             variantNames(*model));
  if (model->device)
    return initializeOnDevice(weights, std::move(device));
  heddle_status status =
      model->init(state.data(), asked ? asked->name : nullptr, weights.empty() ? nullptr : weights.data(), weights.size());
  return status == HEDDLE_OK ? Error::success() : statusError(status, *model, nullptr);
}

std::unique_ptr<Session> Session::share() const {
  struct Shared : Session {
    // What is on the device goes with the code, which is the other's.
    explicit Shared(const Session &other) : Session(other) { disownDevice(); }
  };
  return std::make_unique<Shared>(*this);
}

Error Session::reserveArena(const heddle_executor *executor) {
  size_t needed = description->arena_size(sizes.data(), executor ? executor->threads : 1);
  if (arena.size() >= needed)
    return Error::success();
  if (Error error = checkMemory(Twine("the arena of ") + description->name, needed))
    return error;
  arena = std::vector<char>(); // nothing in it is for later
  arena.resize(needed);
  return Error::success();
}

Error Session::spoilArena(const heddle_executor *executor) {
  if (Error error = reserveArena(executor))
    return error;
  std::fill(arena.begin(), arena.end(), char(0xff));
  return Error::success();
}

Error Session::run(ArrayRef<const void *> inputs, ArrayRef<void *> outputs, const heddle_executor *executor) {
  assert(inputs.size() == description->input_count && outputs.size() == description->output_count);
  if (Error error = reserveArena(executor))
    return error;
  heddle_status status =
      description->run(state.data(), sizes.data(), inputs.data(), outputs.data(), arena.data(), arena.size(), executor);
  if (status == HEDDLE_OK)
    return Error::success();
  return statusError(status, *description, onDevice ? onDevice->device.get() : nullptr);
}

namespace {

class ObjectSession : public Session {
public:
  ~ObjectSession() override { leaveDevice(); }

  Error load(std::unique_ptr<MemoryBuffer> object, StringRef name, std::vector<char> ownWeights, StringRef variant,
             DevicePtr device) {
    weights = std::move(ownWeights);
    InitializeNativeTarget();
    auto created = orc::LLJITBuilder().create();
    if (!created)
      return created.takeError();
    jit = std::move(*created);
    // libc's and libm's functions, which is all that an object may leave undefined.
    auto process =
        orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(jit->getDataLayout().getGlobalPrefix());
    if (!process)
      return process.takeError();
    jit->getMainJITDylib().addGenerator(std::move(*process));
    if (Error error = jit->addObjectFile(std::move(object)))
      return error;
    auto describe = jit->lookup((name + "_describe").str());
    if (!describe)
      return describe.takeError();
    return initialize(describe->toPtr<const heddle_model *()>()(), weights, variant, std::move(device));
  }

private:
  std::vector<char> weights;
  std::unique_ptr<orc::LLJIT> jit;
};

class LibrarySession : public Session {
public:
  ~LibrarySession() override {
    leaveDevice();
    heddle_library_close(library);
  }

  Error load(StringRef path, ArrayRef<char> weights, StringRef variant, DevicePtr device) {
    char reason[512];
    library = heddle_library_open(path.str().c_str(), reason, sizeof reason);
    if (!library)
      return createStringError(reason);
    return initialize(heddle_library_model(library), weights, variant, std::move(device));
  }

private:
  heddle_library *library = nullptr;
};

} // namespace

Expected<std::unique_ptr<Session>> Session::fromObject(std::unique_ptr<MemoryBuffer> object, StringRef name,
                                                       std::vector<char> weights, StringRef variant,
                                                       DevicePtr device) {
  auto session = std::make_unique<ObjectSession>();
  if (Error error = session->load(std::move(object), name, std::move(weights), variant, std::move(device)))
    return std::move(error);
  return session;
}

Expected<std::unique_ptr<Session>> Session::fromLibrary(StringRef path, ArrayRef<char> weights, StringRef variant,
                                                        DevicePtr device) {
  auto session = std::make_unique<LibrarySession>();
  if (Error error = session->load(path, weights, variant, std::move(device)))
    return std::move(error);
  return session;
}

} // namespace heddle
