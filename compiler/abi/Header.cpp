//===- Header.cpp - writes the C header of a compiled model ---------------===//

#include "Header.h"
#include "AbiText.h"
#include "EntryPieces.h"
#include "EntryPoints.h"
#include "HeaderNames.h"
#include "HeaderText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace heddle;

/// Returns a number of bytes as text. Large numbers are rounded up to KiB or MiB.
static std::string formatBytes(uint64_t bytes) {
  if (bytes < 10240)
    return formatv("{0} bytes", bytes);
  if (bytes < (uint64_t(10) << 20))
    return formatv("{0} KiB", divideCeil(bytes, 1024));
  return formatv("{0} MiB", divideCeil(bytes, 1 << 20));
}

/// Returns a remark with the name in the model if the C identifier differs from this name, otherwise "".
static std::string describeName(StringRef name, StringRef identifier) {
  return identifier == name ? "" : "; the model calls it " + commentText(name);
}

/// Returns the comment on a parameter for a size, such as "1..8" or "1..8 in classes 1, 2..8".
static std::string describeSize(const NamedSize &dim, const ModelInterface &interface) {
  auto interval = [](int64_t low, int64_t high) {
    return low == high ? std::to_string(low) : formatv("{0}..{1}", low, high).str();
  };
  std::string text = std::to_string(dim.low);
  if (dim.isFixed())
    return text + describeName(dim.name, dim.identifier);
  text += ".." + std::to_string(dim.high);
  ArrayRef<int64_t> classes = interface.sizes[*dim.number].classes;
  for (auto [i, low] : enumerate(classes))
    text += (i == 0 ? " in classes " : ", ") + interval(low, i + 1 < classes.size() ? classes[i + 1] - 1 : dim.high);
  return text + describeName(dim.name, dim.identifier);
}

/// Returns the comment on a tensor, such as "in  [batch_size, 4], 0..30521; optional, default: ones".
static std::string describeTensor(const InterfaceTensor &tensor, ArrayRef<int64_t> lows, bool isInput,
                                  bool isPast = false) {
  if (tensor.isStates)
    return "the state; the call updates it, and no other call may use it meanwhile";
  std::string text = (isInput ? "in  " : "out ") + formatShape(tensor);
  if (tensor.type == HEDDLE_BOOL)
    text += ", 0 or 1";
  if (tensor.range)
    text += formatv(", {0}..{1}", tensor.range->first.text, tensor.range->second.text);
  if (tensor.isOptional()) {
    text += "; optional";
    if (isPast)
      text += ", default: the number of filled rows";
    if (tensor.defaultValue)
      text += ", default: " + (*tensor.defaultValue == 1   ? std::string("ones")
                               : *tensor.defaultValue == 0 ? std::string("zeros")
                                                           : std::to_string(*tensor.defaultValue));
  }
  if (!tensor.isOptional() && tensor.mayBeEmpty(lows))
    text += "; may be NULL if it is empty";
  if (!tensor.zeroWhere.empty())
    text += "; rows are 0 where " + commentText(tensor.zeroWhere) + " is 0";
  return text + describeName(tensor.name, tensor.identifier);
}

/// The comment on the function that runs the model on a CPU.
static constexpr char describeCall[] = "Runs the model without allocations, file access or locks. If `executor` is "
                                       "NULL, everything runs on the calling thread.";

namespace {
/// Writes the text of a header to `text`. The functions write* append parts of the header.
struct HeaderWriter {
  const ModelInterface &interface;
  const HeaderNotes &notes;
  std::string name = interface.name, upper = StringRef(interface.name).upper(), text = "";
  raw_string_ostream os = raw_string_ostream(text);

  void writeTop();
  void writeTargets();
  void writeModel();
  void writeInit();
  void writeDeviceInit();
  void writeRunOnDevice();
  void writePositional();
  /// Writes a member of struct NAME_args, padded to `width` columns, and its comment.
  void writeArgument(const InterfaceTensor &tensor, bool isInput, size_t width);
  std::string variantNames() const;
  std::string describeArenaSize(StringRef function) const;
  /// Returns the sizes as parameters, such as "size_t m, ".
  std::string sizeParameters() const {
    std::string text;
    for (const NamedSize &dim : interface.dims)
      text += "size_t " + dim.identifier + ", ";
    return text;
  }
  /// Returns the declaration of a tensor as a member or parameter, such as "const float *x".
  std::string getDeclaration(const InterfaceTensor &tensor, bool isInput) const {
    if (tensor.isStates)
      return "struct " + name + "_state *" + tensor.identifier;
    return ((isInput ? "const " : "") + getCType(tensor.type) + " *" + tensor.identifier).str();
  }
};
} // namespace

/// Writes the triple, the CPU and the features of each variant, beginning with the best one. Long lists are wrapped.
void HeaderWriter::writeTargets() {
  for (const InterfaceVariant &variant : interface.variants) {
    std::string line = &variant == &interface.variants.front() ? " * Compiled for" : " * or";
    for (StringRef word : llvm::split(variant.target, ' '))
      for (StringRef part : llvm::split(word, ",+")) {
        part.consume_front("+");
        if (line.size() + part.size() > 98) {
          os << line << "\n";
          line = " *  ";
        }
        line += " " + commentText(part) + ",";
      }
    line.back() = &variant == &interface.variants.back() ? '.' : ';';
    os << line << "\n";
  }
}

/// Returns the names of all variants as C strings, such as "x86-64-v4", "x86-64-v3".
std::string HeaderWriter::variantNames() const {
  return llvm::join(
      map_range(interface.variants, [](const InterfaceVariant &variant) { return "\"" + variant.name + "\""; }), ", ");
}

/// Returns the comment on NAME_arena_size. `function` is the name of the function to which callers pass the arena.
std::string HeaderWriter::describeArenaSize(StringRef function) const {
  return formatv(
             "Returns the number of bytes that {0} needs as arena (the caller's memory for intermediate results) for "
             "{1}this number of threads. Returns {2}SIZE_MAX if the number does not fit into size_t. The arena may "
             "have any alignment.",
             function, interface.dims.empty() ? "" : "these sizes and ",
             interface.dims.empty() ? "" : "0 if a size is out of its range, and ")
      .str();
}

void HeaderWriter::writeTop() {
  uint64_t weights = interface.weightsSize ? weightsHeaderSize + interface.weightsSize : 0;
  os << "/* " << name << ".h - generated by heddle " HEDDLE_VERSION " from " << commentText(interface.source)
     << ". Do not edit.\n";
  if (!notes.commandLine.empty())
    os << " *   " << commentText(notes.commandLine) << "\n";
  os << " * Tensors are dense, row-major and aligned like their element type. Buffers must not overlap.\n";
  if (!interface.positional)
    os << " * Any number of threads may use one struct " << name << " at the same time, each with its own arena.\n";
  writeTargets();
  os << " * A call needs at most " << formatBytes(interface.stackSize)
     << " of stack on each thread. Code: " << formatBytes(notes.codeSize) << "; weights: " << formatBytes(weights)
     << (weights && !interface.embedWeights ? ", in a separate file" : "") << ".";
  for (const std::string &line : notes.measured)
    os << "\n * " << commentText(line);
  os << " */\n";
  os << formatv("#ifndef {0}_H\n#define {0}_H\n#include <stddef.h>\n#include <stdint.h>\n", upper);
  os << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n" << abiText << "\n";
  for (const NamedSize &dim : interface.dims)
    if (!dim.isFixed())
      os << formatv("#define {0}_{1} {2}\n#define {0}_{3} {4}\n", upper, minMacro(dim.identifier), dim.low,
                    maxMacro(dim.identifier), dim.high);
  for (const NamedSize &dim : interface.dims)
    if (!dim.isFixed() && !interface.sizes[*dim.number].classes.empty())
      os << formatv(
          "#define {0}_{1} {2} /* the smallest size of each class; each class has its own code */\n", upper,
          classesMacro(dim.identifier),
          llvm::join(map_range(interface.sizes[*dim.number].classes, [](int64_t n) { return std::to_string(n); }),
                     ", "));
  for (const auto *tensors : {&interface.inputs, &interface.outputs})
    for (const InterfaceTensor &tensor : *tensors)
      if (tensor.isFixed() && !tensor.isStates)
        os << formatv("#define {0}_{1} {2}\n", upper, elementsMacro(tensor.identifier), tensor.elementCount());
  os << formatv("#define {0}_{1} {2} /* the largest arena, in bytes, that a call on one thread needs */\n\n", upper,
                arenaMacro, interface.arenaBytes());
}

void HeaderWriter::writeArgument(const InterfaceTensor &tensor, bool isInput, size_t width) {
  bool isPast = interface.states && interface.states->past && &interface.inputs[*interface.states->past] == &tensor;
  os << "  " << left_justify(getDeclaration(tensor, isInput) + ";", width) << " /* "
     << describeTensor(tensor, interface.lows(), isInput, isPast) << " */\n";
}

void HeaderWriter::writeInit() {
  os << formatv("enum heddle_status {0}_init(struct {0} *model, const void *weights, size_t weights_size);\n", name);
  writeComment(os, formatv("Does the same with the code for a given CPU: {1}; NULL selects it as {0}_init does. "
                           "{0}_variant returns the name of the code that a model uses, NULL if it is not initialised.",
                           name, variantNames())
                       .str());
  os << formatv("enum heddle_status {0}_init_variant(struct {0} *model, const char *variant, const void *weights,\n{1}"
                "size_t weights_size);\n"
                "const char *{0}_variant(const struct {0} *model);\n",
                name, std::string(name.size() + 33, ' '));
}

void HeaderWriter::writeDeviceInit() {
  os << formatv(
      "enum heddle_status {0}_init(struct {0} *model, const void *weights, size_t weights_size,\n{1}"
      "const struct heddle_device *device);\n"
      "/* Frees the memory of the model on the device. No call may be running. Does nothing if `model` is NULL. */\n"
      "void {0}_deinit(struct {0} *model);\n",
      name, std::string(name.size() + 25, ' '));
}

void HeaderWriter::writeModel() {
  size_t width = 0;
  for (const NamedSize &dim : interface.dims)
    width = std::max(width, dim.identifier.size() + 8);
  for (const InterfaceTensor &input : interface.inputs)
    width = std::max(width, getDeclaration(input, true).size() + 1);
  for (const InterfaceTensor &output : interface.outputs)
    width = std::max(width, getDeclaration(output, false).size() + 1);

  writeComment(
      os, formatv("The memory of a model, which the caller provides. {0}_init initialises it, calls only read "
                  "it, and {1}.",
                  name, interface.device ? name + "_deinit frees its memory on the device" : "nothing has to be freed")
              .str());
  os << formatv("struct {0} {{ uint64_t opaque[{1}]; };\n\n", name, modelWords(interface));
  if (interface.states)
    writeStates(os, interface);
  writeComment(os,
               "The arguments of a call. Initialise the struct with zeros; pointers that are marked optional may stay "
               "NULL. A call reads tensors that are marked `in` and writes those that are marked `out`. Brackets "
               "enclose a shape; LOW..HIGH is the range of a size or of elements.");
  os << formatv("struct {0}_args {{\n", name);
  for (const NamedSize &dim : interface.dims)
    os << "  " << left_justify("size_t " + dim.identifier + ";", width) << " /* " << describeSize(dim, interface) << " */\n";
  for (const InterfaceTensor &input : interface.inputs)
    writeArgument(input, true, width);
  for (const InterfaceTensor &output : interface.outputs)
    writeArgument(output, false, width);
  os << "};\n\n";

  std::string init = "Initialises a model, once before its first call: checks the weights and ";
  init += interface.device ? "copies the code and the weights to `device`, a device of the kind \"" +
                                 interface.variants.front().name + "\" (<heddle/device.h>). "
                           : "selects the best code for this CPU. ";
  init += interface.embedWeights || !interface.weightsSize
              ? "Pass NULL and 0 as weights: they are in this library."
              : "The weights must stay in memory as long as the model is used.";
  writeComment(os, init);
  if (interface.device)
    writeDeviceInit();
  else
    writeInit();
  writeComment(os, describeArenaSize(name + "_run"));
  os << formatv("size_t {0}_arena_size({1}size_t threads);\n", name, sizeParameters());
  if (interface.states)
    writeStateFunctions(os, interface);
  std::string run = interface.device ? "Runs the model on the device, without allocations or file access. The device "
                                       "executes one call at a time. `executor` is not used."
                                     : describeCall;
  if (interface.indexCheck)
    run += " Also returns HEDDLE_INDEX_OUT_OF_RANGE if the model computes an index that is out of range: the outputs "
           "may then contain anything.";
  writeComment(os, run);
  os << formatv("enum heddle_status {0}_run(const struct {0} *model, const struct {0}_args *args,\n", name);
  os << std::string(name.size() + 24, ' ')
     << "void *arena, size_t arena_size, const struct heddle_executor *executor);\n";
  if (interface.device)
    writeRunOnDevice();
}

void HeaderWriter::writeRunOnDevice() {
  writeComment(os,
               formatv("Does the same for tensors that may be on the device. `sizes` contains the sizes that lie in "
                       "ranges; `inputs` and `outputs` contain the tensors, as the struct heddle_place of "
                       "<heddle/model.h>. All are in the order of {0}_args. Inputs whose elements must lie in a range, "
                       "such as token ids, must be on the host.",
                       name)
                   .str());
  os << formatv("struct heddle_place;\n"
                "enum heddle_status {0}_run_on_device(const struct {0} *model, const size_t *sizes,\n{1}"
                "const struct heddle_place *inputs, const struct heddle_place *outputs,\n{1}"
                "void *arena, size_t arena_size);\n",
                name, std::string(name.size() + 34, ' '));
}

void HeaderWriter::writePositional() {
  writeComment(os,
               "Selects the best code for this CPU, once before the first call. Returns HEDDLE_UNSUPPORTED_CPU if "
               "there is none. Before this function is called, each call selects the code itself, which takes up to "
               "100 microseconds.");
  os << formatv("enum heddle_status {0}_init(void);\n", name);
  writeComment(os,
               formatv("Selects the code for a given CPU for all later calls: {1}; NULL selects it as {0}_init does. "
                       "{0}_variant returns the name of the selected code, or NULL if none has been selected.",
                       name, variantNames())
                   .str());
  os << formatv("enum heddle_status {0}_init_variant(const char *variant);\n"
                "const char *{0}_variant(void);\n",
                name);
  writeComment(os, describeArenaSize(name));
  os << formatv("size_t {0}_arena_size({1}size_t threads);\n", name, sizeParameters());
  os << "/* " << describeCall << "\n";
  for (const NamedSize &dim : interface.dims)
    os << " *   " << dim.identifier << "  " << describeSize(dim, interface) << "\n";
  for (const InterfaceTensor &input : interface.inputs)
    os << " *   " << input.identifier << "  " << describeTensor(input, interface.lows(), true) << "\n";
  for (const InterfaceTensor &output : interface.outputs)
    os << " *   " << output.identifier << "  " << describeTensor(output, interface.lows(), false) << "\n";
  os << " */\n";
  std::string indent(name.size() + 20, ' ');
  os << formatv("enum heddle_status {0}({1}", name, sizeParameters());
  std::vector<std::string> parameters;
  for (const InterfaceTensor &input : interface.inputs)
    parameters.push_back(getDeclaration(input, true));
  for (const InterfaceTensor &output : interface.outputs)
    parameters.push_back(getDeclaration(output, false));
  os << llvm::join(parameters, ", ") << ",";
  os << "\n" << indent << "void *arena, size_t arena_size, const struct heddle_executor *executor);\n";
}

std::string heddle::makeHeader(const ModelInterface &interface, const HeaderNotes &notes) {
  HeaderWriter writer{interface, notes};
  writer.writeTop();
  if (interface.positional)
    writer.writePositional();
  else
    writer.writeModel();
  writer.os << formatv(
                   "const char *{0}_status_text(enum heddle_status status); /* one sentence; never NULL */\n"
                   "const struct heddle_model *{0}_describe(void); /* names, shapes and types: <heddle/model.h> */\n",
                   interface.name)
            << "#ifdef __cplusplus\n}\n#endif\n#endif\n";
  return writer.text;
}
