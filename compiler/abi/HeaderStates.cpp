//===- HeaderStates.cpp - the part of a header about states ---------------===//

#include "HeaderText.h"

#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace heddle;

/// Returns the sizes that states depend on as parameters that follow other parameters, such as ", size_t m".
static std::string stateParameters(const ModelInterface &interface) {
  std::string text;
  for (unsigned dim : interface.states->dims)
    text += ", size_t " + interface.dims[dim].identifier;
  return text;
}

void heddle::writeStates(raw_ostream &os, const ModelInterface &interface) {
  if (interface.states->onDevice)
    os << "/* A state: the data that the model keeps from one call to the next. The caller's memory, aligned to\n"
          " * 8 bytes, contains a header, which may be moved but not copied. An allocation on the device contains:\n";
  else
    os << "/* A state: the data that the model keeps from one call to the next, in the caller's memory, aligned to\n"
          " * 8 bytes (64 is fastest). The memory may be copied and moved as bytes. After a header it contains:\n";
  for (const InterfaceState &state : interface.states->all)
    os << " *   " << commentText(state.tensor.name) << "  " << getCType(state.tensor.type) << " "
       << formatShape(state.tensor) << (state.isReplaced ? ", replaced by each call" : "") << "\n";
  os << formatv(" */\nstruct {0}_state {{ void *memory; size_t size; };\n\n", interface.name);
}

void heddle::writeStateFunctions(raw_ostream &os, const ModelInterface &interface) {
  const InterfaceStates &states = *interface.states;
  StringRef name = interface.name;
  std::string parameters = stateParameters(interface);
  writeComment(os, parameters.empty()
                       ? "Returns the number of bytes of the caller's memory that a state needs."
                       : "Returns the number of bytes of the caller's memory that a state needs for these "
                         "sizes; 0 if a size is out of its range.");
  os << formatv("size_t {0}_state_size({1});\n", name,
                parameters.empty() ? "void" : StringRef(parameters).drop_front(2).str());
  os << formatv("/* Initialises a state, once before its first call: its sequences are empty. Each call of {0}_run\n"
                " * continues from the contents that earlier calls left",
                name);
  if (states.past)
    os << formatv("; a `{0}` {1}", interface.inputs[*states.past].identifier,
                  any_of(states.all, [](const InterfaceState &state) { return state.isReplaced; })
                      ? "of 0 begins a sequence anew"
                      : "below the number of filled rows discards the last rows");
  os << ".\n * A call that fails adds nothing. */\n";
  os << formatv(
      "enum heddle_status {0}_state_init(const struct {0} *model, struct {0}_state *state{1});\n"
      "/* Replaces the sequence `to` by a copy of the sequence `from`. */\n"
      "enum heddle_status {0}_state_copy(const struct {0} *model, struct {0}_state *state, size_t from, size_t to);\n",
      name, parameters);
  if (states.onDevice)
    os << formatv("/* Releases the state's memory on the device. Must be called before {0}_deinit, and before\n"
                  " * {0}_state_init is called again for the same state. */\n"
                  "void {0}_state_deinit(const struct {0} *model, struct {0}_state *state);\n",
                  name);
}
