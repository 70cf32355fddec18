//===- HeaderStates.cpp - the part of a header about states ---------------===//

#include "HeaderText.h"

#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace heddle;

/// The sizes that states depend on, as parameters behind other parameters: ", size_t m".
static std::string stateParameters(const ModelInterface &interface) {
  std::string text;
  for (unsigned dim : interface.states->dims)
    text += ", size_t " + interface.dims[dim].identifier;
  return text;
}

void heddle::writeStates(raw_ostream &os, const ModelInterface &interface) {
  if (interface.states->onDevice)
    os << "/* What is kept from call to call: a header in memory of the caller's, aligned to 8, which may be moved, and\n"
          " * not copied, and a memory of the device's with:\n";
  else
    os << "/* What is kept from call to call, in memory of the caller's: aligned to 8 (64 is fastest). It may be copied "
          "and\n"
          " * moved as bytes. In it, behind a header:\n";
  for (const InterfaceState &state : interface.states->all)
    os << " *   " << commentText(state.tensor.name) << "  " << getCType(state.tensor.type) << " "
       << formatShape(state.tensor) << (state.isReplaced ? ", another one after each call" : "") << "\n";
  os << formatv(" */\nstruct {0}_state {{ void *memory; size_t size; };\n\n", interface.name);
}

void heddle::writeStateFunctions(raw_ostream &os, const ModelInterface &interface) {
  const InterfaceStates &states = *interface.states;
  StringRef name = interface.name;
  std::string parameters = stateParameters(interface);
  os << formatv("/* Bytes that a state needs {2}for these sizes; 0 where one is out of range. */\n"
                "size_t {0}_state_size({1});\n",
                name, parameters.empty() ? "void" : StringRef(parameters).drop_front(2).str(),
                states.onDevice ? "of the caller " : "");
  os << formatv("/* Once for each state: no sequence has anything in it. A call of {0}_run goes on from there", name);
  if (states.past)
    os << formatv(", with what\n * is filled or, by `{0}`, with {1}", interface.inputs[*states.past].identifier,
                  any_of(states.all, [](const InterfaceState &state) { return state.isReplaced; })
                      ? "nothing of a sequence (0)"
                      : "less of a sequence: a smaller number takes the rest back");
  os << ".\n * A call that fails fills nothing. */\n";
  os << formatv(
      "enum heddle_status {0}_state_init(const struct {0} *model, struct {0}_state *state{1});\n"
      "/* Sequence `to` becomes what sequence `from` is. */\n"
      "enum heddle_status {0}_state_copy(const struct {0} *model, struct {0}_state *state, size_t from, size_t to);\n",
      name, parameters);
  if (states.onDevice)
    os << formatv("/* What the device has of it is released: before {0}_deinit, and before another {0}_state_init. */\n"
                  "void {0}_state_deinit(const struct {0} *model, struct {0}_state *state);\n",
                  name);
}
