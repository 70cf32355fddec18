// heddle.hpp - C++17 classes that own the objects of the runtime's C interface. They use neither exceptions nor
// run-time type information.
//   heddle::Model minilm = heddle::Model::load("minilm.so");
//   heddle::Call call(minilm);
//   const int64_t ids[] = {101, 7592, 2088, 102};
//   if (call.bind({{"input_ids", ids, {1, 4}}}) != HEDDLE_OK)
//     std::puts(call.error());
//   std::vector<float> embedding(call.elements("sentence_embedding"));
//   if (call.run({{"sentence_embedding", embedding.data(), call.shape("sentence_embedding")}}) != HEDDLE_OK)
//     std::puts(call.error());
// The functions and their errors are documented in <heddle/instance.h>, <heddle/call.h>, <heddle/device.h> and
// <heddle/executor.h>.
#ifndef HEDDLE_HEDDLE_HPP
#define HEDDLE_HEDDLE_HPP
#include "heddle/call.h"
#include "heddle/device.h"
#include "heddle/executor.h"
#include "heddle/library.h"

#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle {

/// The element type that corresponds to a C++ type. C++17 has no types for f16 and bf16: pass these element types to
/// the constructor of Array.
template <typename T> constexpr heddle_type typeOf() {
  if constexpr (std::is_same_v<T, float>)
    return HEDDLE_F32;
  else if constexpr (std::is_same_v<T, double>)
    return HEDDLE_F64;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 8)
    return HEDDLE_I64;
  else if constexpr (std::is_same_v<T, int32_t>)
    return HEDDLE_I32;
  else if constexpr (std::is_same_v<T, int8_t>)
    return HEDDLE_I8;
  else {
    static_assert(sizeof(T) == 1 && (std::is_same_v<T, bool> || std::is_same_v<T, uint8_t>),
                  "no tensor has elements of this C++ type");
    return HEDDLE_BOOL;
  }
}

using Shape = std::vector<int64_t>;

/// A view of a tensor of the host program: a name, a type, a shape, and elements. Neither the name nor the elements are
/// copied.
class Array {
public:
  template <typename T>
  Array(const char *name, T *elements, Shape shape)
      : Array(name, typeOf<std::remove_const_t<T>>(), elements, std::move(shape)) {}
  Array(const char *name, heddle_type type, const void *elements, Shape shape)
      : Array(name, type, heddle_place{const_cast<void *>(elements), nullptr, 0}, std::move(shape)) {}
  /// Makes an array whose elements lie at `place`: on the host or in an allocation on the model's device.
  Array(const char *name, heddle_type type, heddle_place place, Shape shape)
      : name(name), type(type), place(place), extents(std::move(shape)) {}

  /// The C struct for this array; its pointers are valid as long as the Array.
  heddle_array get() const { return {name, type, uint32_t(extents.size()), extents.data(), nullptr, place}; }

private:
  const char *name;
  heddle_type type;
  heddle_place place;
  Shape extents;
};

/// A deleter for std::unique_ptr that calls a C function.
template <auto destroy> struct Destroyer {
  template <typename T> void operator()(T *object) const { destroy(object); }
};
template <typename T, auto destroy> using Owner = std::unique_ptr<T, Destroyer<destroy>>;

/// Heddle's own thread pool. Converts to false if it could not be created.
class Executor {
public:
  /// Creates a pool of this many threads; 0: a thread for each physical core.
  explicit Executor(size_t threads = 0) : executor(heddle_executor_create(threads)) {}
  explicit operator bool() const { return executor != nullptr; }
  const heddle_executor *get() const { return executor.get(); }

private:
  Owner<heddle_executor, heddle_executor_destroy> executor;
};

/// An open device, such as "vulkan". Converts to false if it could not be opened; error() then returns the reason.
class Device {
public:
  explicit Device(const char *name) : device(heddle_device_open(name, reason, sizeof reason)) {}
  explicit operator bool() const { return device != nullptr; }
  const char *error() const { return reason; }
  heddle_device *get() const { return device.get(); }

private:
  char reason[512] = "";
  Owner<heddle_device, heddle_device_close> device;
};

/// Options with all defaults: struct_size is set, and every other member is 0.
inline heddle_instance_options options() {
  heddle_instance_options options = {};
  options.struct_size = sizeof options;
  return options;
}

/// An initialised model, together with its library if it was loaded from a file. Any number of threads may use it.
/// Copies share one model, which is freed with the last of them. Converts to false if the model could not be created;
/// error() then returns the reason.
class Model {
public:
  /// Loads the library at `path`, as heddle_library_open does, and initialises its model.
  static Model load(const std::string &path, const heddle_instance_options &options = heddle::options()) {
    auto state = std::make_shared<State>();
    state->library.reset(heddle_library_open(path.c_str(), state->reason, sizeof state->reason));
    if (state->library)
      state->initialize(heddle_library_model(state->library.get()), options);
    return Model(std::move(state));
  }
  /// Initialises the model of a library that is linked into the program: `linked` is the result of NAME_describe().
  explicit Model(const heddle_model *linked, const heddle_instance_options &options = heddle::options())
      : state(std::make_shared<State>()) {
    state->initialize(linked, options);
  }

  explicit operator bool() const { return state->instance != nullptr; }
  const char *error() const { return state->reason; }
  const heddle_instance *get() const { return state->instance.get(); }
  /// The names, types, shapes and sizes of the model. The model must have been created.
  const heddle_model &description() const { return *heddle_instance_model(get()); }
  /// The name of the variant (the code for one CPU) that was selected.
  const char *variant() const { return heddle_instance_variant(get()); }

private:
  struct State {
    char reason[512] = "";
    Owner<heddle_library, heddle_library_close> library;
    Owner<heddle_instance, heddle_instance_destroy> instance; // freed before its library

    void initialize(const heddle_model *model, const heddle_instance_options &options) {
      instance.reset(heddle_instance_create(model, &options, reason, sizeof reason));
    }
  };
  explicit Model(std::shared_ptr<State> state) : state(std::move(state)) {}

  std::shared_ptr<State> state;
};

/// An initialised state of a model: the memory of the data that the model keeps from one call to the next. Converts to
/// false if it could not be created; error() then returns the reason.
class State {
public:
  /// Initialises a state of the model `of`. `sizes` gives the name and value of each size on which the state depends.
  /// A size that is missing, given twice, out of its range, or not one of these is an error, and so is a model without
  /// a state.
  State(Model of, const std::vector<std::pair<const char *, size_t>> &sizes) : model(std::move(of)) {
    if (!model) {
      reason = model.error();
      return;
    }
    const heddle_model &described = model.description();
    if (described.state_count == 0) {
      reason = "the model has no state";
      return;
    }
    const std::vector<size_t> values = read(sizes);
    if (!reason.empty())
      return;
    const size_t bytes = described.states->size(values.data());
    if (bytes == 0) {
      reason = "a size of the state is out of its range";
      return;
    }
    words.reset(new (std::nothrow) Line[(bytes + sizeof(Line) - 1) / sizeof(Line)]);
    if (!words) {
      reason = "out of memory";
      return;
    }
    memory = {words.get(), bytes};
    const heddle_status status = described.states->init(heddle_instance_state(model.get()), &memory, values.data());
    if (status != HEDDLE_OK)
      reason = heddle_status_text(status);
  }
  State(State &&other) noexcept
      : model(other.model), words(std::move(other.words)), memory(other.memory), reason(std::move(other.reason)) {
    other.memory = {nullptr, 0};
  }
  State &operator=(State &&other) noexcept {
    std::swap(model, other.model);
    std::swap(words, other.words);
    std::swap(memory, other.memory);
    std::swap(reason, other.reason);
    return *this;
  }
  ~State() {
    if (memory.memory && reason.empty() && model.description().states->deinit)
      model.description().states->deinit(heddle_instance_state(model.get()), &memory);
  }

  explicit operator bool() const { return memory.memory && reason.empty(); }
  const char *error() const { return reason.c_str(); }
  const heddle_state_memory &get() const { return memory; }
  /// The state's memory as an input of a call.
  Array array() const {
    return Array(model.description().states->name, HEDDLE_I8, memory.memory, {int64_t(memory.size)});
  }
  /// Replaces the data of sequence `to` by a copy of sequence `from`.
  [[nodiscard]] heddle_status copy(size_t from, size_t to) {
    if (!*this)
      return HEDDLE_INVALID_ARGUMENT;
    return model.description().states->copy(heddle_instance_state(model.get()), &memory, from, to);
  }

private:
  /// The memory is an array of these, so it is aligned to 64 bytes.
  struct alignas(64) Line {
    char bytes[64];
  };

  /// Returns the values of the model's sizes. A size on which the state does not depend has its minimum. Sets `reason`
  /// if `given` does not name each size on which the state depends exactly once and no other, or if a value is out of
  /// its range.
  std::vector<size_t> read(const std::vector<std::pair<const char *, size_t>> &given) {
    const heddle_model &described = model.description();
    const heddle_size *sizes = described.sizes;
    std::vector<size_t> values;
    std::string needed;
    for (uint64_t i = 0; i < described.size_count; ++i) {
      values.push_back(size_t(sizes[i].low));
      if (dependsOn(*described.states, i))
        needed += (needed.empty() ? "" : ", ") + std::string(sizes[i].name);
    }
    std::vector<bool> known(values.size());
    for (const std::pair<const char *, size_t> &size : given) {
      const std::string name = size.first;
      uint64_t i = 0;
      while (i < described.size_count && (sizes[i].name != name || !dependsOn(*described.states, i)))
        ++i;
      if (i == described.size_count)
        reason = "the state does not depend on the size " + name + ", but on " + (needed.empty() ? "no size" : needed);
      else if (known[i])
        reason = "the size " + name + " is given twice";
      else if (size.second < uint64_t(sizes[i].low) || size.second > uint64_t(sizes[i].high))
        reason = name + " is " + std::to_string(size.second) + ", outside " + std::to_string(sizes[i].low) + ".." +
                 std::to_string(sizes[i].high);
      if (!reason.empty())
        return values;
      values[i] = size.second;
      known[i] = true;
    }
    for (uint64_t i = 0; i < described.size_count && reason.empty(); ++i)
      if (!known[i] && dependsOn(*described.states, i))
        reason = std::string("the state depends on the size ") + sizes[i].name + ", which is not given";
    return values;
  }

  /// Whether the memory of a state depends on the model's size with this index.
  static bool dependsOn(const heddle_state &state, uint64_t size) {
    auto contains = [size](const heddle_expression &expression) {
      for (uint64_t i = 0; expression.code && i + 1 < expression.words; i += 2)
        if (expression.code[i] == HEDDLE_SIZE_OF_CALL && expression.code[i + 1] == int64_t(size))
          return true;
      return false;
    };
    bool found = contains(state.batch_size) || contains(state.capacity);
    for (uint64_t i = 0; i < state.tensor_count; ++i)
      for (uint32_t d = 0; state.tensors[i].extents && d < state.tensors[i].rank; ++d)
        found = found || contains(state.tensors[i].extents[d]);
    return found;
  }

  Model model;
  std::unique_ptr<Line[]> words;
  heddle_state_memory memory = {nullptr, 0};
  std::string reason; // empty if the state was created
};

/// A heddle_call. It keeps its model alive. Only one thread at a time may use a Call. Converts to false if the model
/// could not be created or there was not enough memory; its functions must then not be called.
class Call {
public:
  explicit Call(Model of) : model(std::move(of)), call(model ? heddle_call_create(model.get()) : nullptr) {}
  explicit operator bool() const { return call != nullptr; }

  [[nodiscard]] heddle_status setSize(const char *name, size_t value) {
    return heddle_call_set_size(call.get(), name, value);
  }
  [[nodiscard]] heddle_status bind(const std::vector<Array> &inputs) {
    const std::vector<heddle_array> &list = arrays(inputs);
    return heddle_call_bind(call.get(), list.data(), list.size());
  }
  /// Runs on the threads of `executor`, or on the calling thread if it is null.
  [[nodiscard]] heddle_status run(const std::vector<Array> &outputs, const heddle_executor *executor = nullptr) {
    const std::vector<heddle_array> &list = arrays(outputs);
    return heddle_call_run(call.get(), list.data(), list.size(), executor);
  }
  /// Reserves an arena for the largest sizes of each class of sizes and this number of threads.
  [[nodiscard]] heddle_status reserve(size_t threads = 1) { return heddle_call_reserve(call.get(), nullptr, threads); }

  /// The shape of an output for the bound inputs; empty if nothing is bound or no output has this name.
  Shape shape(const char *output) const {
    const size_t i = find(output);
    const int64_t *extents = heddle_call_output_shape(call.get(), i);
    return extents ? Shape(extents, extents + model.description().outputs[i].rank) : Shape();
  }
  /// The number of elements of an output for the bound inputs; 0 if nothing is bound or no output has this name.
  size_t elements(const char *output) const {
    const size_t i = find(output);
    const int64_t *extents = heddle_call_output_shape(call.get(), i);
    size_t count = extents ? 1 : 0;
    for (uint32_t d = 0; extents && d < model.description().outputs[i].rank; ++d)
      count *= size_t(extents[d]);
    return count;
  }
  const char *error() const { return heddle_call_error(call.get()); }
  heddle_call *get() const { return call.get(); }

private:
  /// The index of an output; the number of outputs if none has this name.
  size_t find(const char *output) const {
    const heddle_model &described = model.description();
    size_t i = 0;
    while (i < described.output_count && std::strcmp(described.outputs[i].name, output) != 0)
      ++i;
    return i;
  }
  /// Returns the C structs of the arrays, which are valid until the next call of this function.
  const std::vector<heddle_array> &arrays(const std::vector<Array> &of) {
    list.clear();
    for (const Array &array : of)
      list.push_back(array.get());
    return list;
  }

  Model model; // destroyed after the call
  Owner<heddle_call, heddle_call_destroy> call;
  std::vector<heddle_array> list; // the result of arrays(); kept so that bind() and run() need not allocate
};

} // namespace heddle

#endif // HEDDLE_HEDDLE_HPP
