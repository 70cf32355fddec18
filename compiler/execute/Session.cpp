//===- Session.cpp - calls models in this process -------------------------===//

#include "heddle/Session.h"

#include "heddle/Devices.h"
#include "heddle/InterpretedDevice.h"
#include "heddle/Memory.h"
#include "heddle/library.h"

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
  // First compare `name` with the devices that this program interprets.
#define HEDDLE_INTERPRETED(itsName, Stem, kind)                                                                        \
  if (name == itsName)                                                                                                 \
    return DevicePtr(open##Stem(itsName), heddle_device_close);
#include "devices/devices.def"
  char reason[512];
  heddle_device *device = heddle_device_open(name.str().c_str(), reason, sizeof reason);
  if (!device)
    return createStringError("--device " + name + ": " + reason);
  return DevicePtr(device, heddle_device_close);
}

/// Returns an error for a status. If the failure occurred on the device, the error contains the device's text.
static Error statusError(heddle_status status, const heddle_model &model, const heddle_device *device) {
  std::string text = (Twine(model.name) + ": " + heddle_status_text(status)).str();
  if (device && heddle_status_of_device(status))
    text += std::string(": ") + device->error(device->self);
  return createStringError(text);
}

void Session::describe(const heddle_model *model) {
  description = model;
  for (uint64_t i = 0; i < model->size_count; ++i)
    sizes.push_back(size_t(model->sizes[i].low));
}

Error Session::initialize(const heddle_model *model, ArrayRef<char> weights, StringRef variant, DevicePtr onDevice) {
  if (model && model->device && !onDevice)
    return createStringError(Twine(model->name) +
                             ": the library's code is for a device; choose the device with --device " + model->device);
  std::string name = variant.str();
  heddle_instance_options options = {};
  options.struct_size = sizeof options;
  options.variant = name.empty() ? nullptr : name.c_str();
  options.weights = weights.empty() ? nullptr : weights.data();
  options.weights_size = weights.size();
  options.device = onDevice.get();
  device = std::move(onDevice);
  char reason[512];
  instance.reset(heddle_instance_create(model, &options, reason, sizeof reason), heddle_instance_destroy);
  if (!instance)
    return createStringError(reason);
  describe(heddle_instance_model(instance.get()));
  return Error::success();
}

std::unique_ptr<Session> Session::share() const {
  struct Shared : Session {
    // The other session owns the code and the instance.
    explicit Shared(const Session &other) : Session(other) { disown(); }
  };
  return std::make_unique<Shared>(*this);
}

Error Session::reserveArena(const heddle_executor *executor) {
  size_t needed = description->arena_size(sizes.data(), executor ? executor->threads : 1);
  if (arena.size() >= needed)
    return Error::success();
  if (Error error = checkMemory(Twine("the arena of ") + description->name, needed))
    return error;
  arena = std::vector<char>(); // no content has to be kept from one run to the next
  arena.resize(needed);
  return Error::success();
}

Error Session::poisonArena(const heddle_executor *executor) {
  if (Error error = reserveArena(executor))
    return error;
  std::fill(arena.begin(), arena.end(), char(0xff)); // floats whose bits are all 1 are NaN
  return Error::success();
}

uint64_t Session::valueOf(const heddle_expression &expression) const {
  int64_t value = 0;
  bool known = heddle_evaluate(&expression, sizes.data(), description->size_count, &value);
  assert(known && "expressions are checked when a description is read");
  return known && value > 0 ? uint64_t(value) : 0;
}

heddle_status Session::initState(const heddle_state_memory &memory) const {
  return description->states->init(heddle_instance_state(instance.get()), &memory, sizes.data());
}

heddle_status Session::copyState(const heddle_state_memory &memory, size_t from, size_t to) const {
  return description->states->copy(heddle_instance_state(instance.get()), &memory, from, to);
}

void Session::deinitState(const heddle_state_memory &memory) const {
  description->states->deinit(heddle_instance_state(instance.get()), &memory);
}

size_t Session::deviceStateSize() const {
  if (!description->device)
    return 0;
  size_t end = 0;
  for (uint64_t i = 0; i < description->states->tensor_count; ++i)
    end = std::max<size_t>(end, valueOf(description->states->offsets[i]) + bytesOf(description->states->tensors[i]));
  return end;
}

heddle_status Session::readState(const heddle_state_memory &memory, MutableArrayRef<char> bytes) const {
  return device->download(device->self, description->states->device_memory(&memory), 0, bytes.data(), bytes.size());
}

heddle_status Session::writeState(const heddle_state_memory &memory, ArrayRef<char> bytes) const {
  return device->upload(device->self, description->states->device_memory(&memory), 0, bytes.data(), bytes.size());
}

heddle_status Session::tryRun(ArrayRef<const void *> inputs, ArrayRef<void *> outputs, const heddle_executor *executor) {
  assert(inputs.size() == description->input_count && outputs.size() == description->output_count);
  return description->run(heddle_instance_state(instance.get()), sizes.data(), inputs.data(), outputs.data(),
                          arena.data(), arena.size(), executor);
}

Error Session::run(ArrayRef<const void *> inputs, ArrayRef<void *> outputs, const heddle_executor *executor) {
  if (Error error = reserveArena(executor))
    return error;
  heddle_status status = tryRun(inputs, outputs, executor);
  return status == HEDDLE_OK ? Error::success() : statusError(status, *description, device.get());
}

Error Session::runOnDevice(ArrayRef<heddle_place> inputs, ArrayRef<heddle_place> outputs) {
  assert(inputs.size() == description->input_count && outputs.size() == description->output_count);
  if (Error error = reserveArena())
    return error;
  heddle_status status = description->run_on_device(heddle_instance_state(instance.get()), sizes.data(), inputs.data(),
                                                    outputs.data(), arena.data(), arena.size());
  return status == HEDDLE_OK ? Error::success() : statusError(status, *description, device.get());
}

namespace {

/// A session whose code is an object that LLJIT has linked into this process.
class ObjectSession : public Session {
public:
  ~ObjectSession() override { release(); }

  Error load(std::unique_ptr<MemoryBuffer> object, StringRef name, std::vector<char> ownWeights, StringRef variant,
             DevicePtr device) {
    weights = std::move(ownWeights);
    InitializeNativeTarget();
    auto created = orc::LLJITBuilder().create();
    if (!created)
      return created.takeError();
    jit = std::move(*created);
    // The only undefined symbols of an object are functions of libc and libm, which this process contains.
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

/// A session whose code is a shared library.
class LibrarySession : public Session {
public:
  ~LibrarySession() override {
    release();
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
