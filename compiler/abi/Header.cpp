//===- Header.cpp - the C header of a compiled model ----------------------===//

#include "Header.h"
#include "AbiText.h"
#include "EntryPieces.h"
#include "EntryPoints.h"
#include "HeaderNames.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace heddle;

static StringRef getCType(heddle_type type) {
  switch (type) {
  case HEDDLE_F32:
    return "float";
  case HEDDLE_F64:
    return "double";
  case HEDDLE_F16:
  case HEDDLE_BF16:
    return "uint16_t";
  case HEDDLE_I64:
    return "int64_t";
  case HEDDLE_I32:
    return "int32_t";
  case HEDDLE_I8:
    return "int8_t";
  case HEDDLE_BOOL:
    return "uint8_t";
  }
  return "void";
}

/// What stands within a comment must neither end it nor open another.
static std::string commentText(StringRef text) {
  std::string safe;
  for (char c : text) {
    if (!safe.empty() && ((safe.back() == '*' && c == '/') || (safe.back() == '/' && c == '*')))
      safe += ' ';
    safe += c == '\n' || c == '\r' ? ' ' : c;
  }
  return safe;
}

static std::string formatBytes(uint64_t bytes) {
  if (bytes < 10240)
    return formatv("{0} bytes", bytes);
  if (bytes < (uint64_t(10) << 20))
    return formatv("{0} KiB", divideCeil(bytes, 1024));
  return formatv("{0} MiB", divideCeil(bytes, 1 << 20));
}

static std::string formatShape(const InterfaceTensor &tensor) {
  std::vector<std::string> extents;
  for (auto [extent, dim] : llvm::zip(tensor.shape, tensor.dims))
    extents.push_back(dim.empty() ? std::to_string(extent) : dim);
  return "[" + llvm::join(extents, ", ") + "]";
}

static std::string describeName(StringRef name, StringRef identifier) {
  return identifier == name ? "" : "; the model calls it " + commentText(name);
}

/// "1..8"
static std::string describeSize(const NamedSize &dim) {
  std::string text = std::to_string(dim.low);
  if (!dim.isFixed())
    text += ".." + std::to_string(dim.high);
  return text + describeName(dim.name, dim.identifier);
}

/// "in  [batch_size, 4], 0..30521; optional: ones"
static std::string describeTensor(const InterfaceTensor &tensor, ArrayRef<int64_t> lows, bool isInput) {
  std::string text = (isInput ? "in  " : "out ") + formatShape(tensor);
  if (tensor.type == HEDDLE_BOOL)
    text += ", 0 or 1";
  if (tensor.range)
    text += formatv(", {0}..{1}", tensor.range->first.text, tensor.range->second.text);
  if (tensor.isOptional()) {
    text += "; optional";
    if (tensor.defaultValue)
      text += *tensor.defaultValue == 1   ? std::string(": ones")
              : *tensor.defaultValue == 0 ? std::string(": zeros")
                                          : ": " + std::to_string(*tensor.defaultValue);
  }
  if (!tensor.isOptional() && tensor.mayBeEmpty(lows))
    text += "; NULL where it is empty";
  if (!tensor.zeroWhere.empty())
    text += "; rows are 0 where " + commentText(tensor.zeroWhere) + " is 0";
  return text + describeName(tensor.name, tensor.identifier);
}

namespace {
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
  void writeArgument(const InterfaceTensor &tensor, bool isInput, size_t width);
  std::string variantNames() const;
  /// "size_t m, "
  std::string sizeParameters() const {
    std::string text;
    for (const NamedSize &dim : interface.dims)
      text += "size_t " + dim.identifier + ", ";
    return text;
  }
  std::string getDeclaration(const InterfaceTensor &tensor, bool isInput) const {
    return ((isInput ? "const " : "") + getCType(tensor.type) + " *" + tensor.identifier).str();
  }
};
} // namespace

/// Triple, CPU and features of each variant in lines of bearable length, the best first.
void HeaderWriter::writeTargets() {
  for (const InterfaceVariant &variant : interface.variants) {
    std::string line = &variant == &interface.variants.front() ? " * For" : " * or";
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

/// "x86-64-v4", "x86-64-v3"
std::string HeaderWriter::variantNames() const {
  return llvm::join(
      map_range(interface.variants, [](const InterfaceVariant &variant) { return "\"" + variant.name + "\""; }), ", ");
}

void HeaderWriter::writeTop() {
  uint64_t weights = interface.weightsSize ? weightsHeaderSize + interface.weightsSize : 0;
  os << "/* " << name << ".h - generated by heddle " HEDDLE_VERSION " from " << commentText(interface.source)
     << ". Do not edit.\n";
  if (!notes.commandLine.empty())
    os << " *   " << commentText(notes.commandLine) << "\n";
  os << " * Tensors are dense, row-major, aligned like their element type; buffers must not overlap.\n";
  if (!interface.positional)
    os << " * One struct " << name << " serves any number of threads at once, each with its own arena.\n";
  writeTargets();
  os << " * Stack " << formatBytes(interface.stackSize) << " a thread; code " << formatBytes(notes.codeSize)
     << ", weights " << formatBytes(weights)
     << (weights && !interface.embedWeights ? ", in a file of their own" : "") << ".";
  for (const std::string &line : notes.measured)
    os << "\n * " << commentText(line);
  os << " */\n";
  os << formatv("#ifndef {0}_H\n#define {0}_H\n#include <stddef.h>\n#include <stdint.h>\n", upper);
  os << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n" << abiText << "\n";
  for (const NamedSize &dim : interface.dims)
    if (!dim.isFixed())
      os << formatv("#define {0}_{1} {2}\n#define {0}_{3} {4}\n", upper, leastMacro(dim.identifier), dim.low,
                    mostMacro(dim.identifier), dim.high);
  for (const auto *tensors : {&interface.inputs, &interface.outputs})
    for (const InterfaceTensor &tensor : *tensors)
      if (tensor.isFixed())
        os << formatv("#define {0}_{1} {2}\n", upper, elementsMacro(tensor.identifier), tensor.elementCount());
  os << formatv("#define {0}_{1} {2} /* enough {3}on one thread */\n\n", upper, arenaMacro, interface.arenaBytes(),
                interface.sizes.empty() ? "" : "for the largest sizes ");
}

void HeaderWriter::writeArgument(const InterfaceTensor &tensor, bool isInput, size_t width) {
  os << "  " << left_justify(getDeclaration(tensor, isInput) + ";", width) << " /* "
     << describeTensor(tensor, interface.lows(), isInput) << " */\n";
}

void HeaderWriter::writeInit() {
  os << formatv("enum heddle_status {0}_init(struct {0} *model, const void *weights, size_t weights_size);\n"
                "/* The same with the code for one CPU: {1}; NULL picks. The name of the one that a\n"
                " * model has: NULL where it is not initialised. */\n"
                "enum heddle_status {0}_init_variant(struct {0} *model, const char *variant, const void *weights,\n{2}"
                "size_t weights_size);\n"
                "const char *{0}_variant(const struct {0} *model);\n",
                name, variantNames(), std::string(name.size() + 33, ' '));
}

void HeaderWriter::writeDeviceInit() {
  os << formatv("enum heddle_status {0}_init(struct {0} *model, const void *weights, size_t weights_size,\n{1}"
                "const struct heddle_device *device); /* of <heddle/device.h>: \"{2}\" */\n"
                "/* Frees what {0}_init made on the device; no call may be under way. NULL: nothing. */\n"
                "void {0}_deinit(struct {0} *model);\n",
                name, std::string(name.size() + 25, ' '), interface.variants.front().name);
}

void HeaderWriter::writeModel() {
  size_t width = 0;
  for (const NamedSize &dim : interface.dims)
    width = std::max(width, dim.identifier.size() + 8);
  for (const InterfaceTensor &input : interface.inputs)
    width = std::max(width, getDeclaration(input, true).size() + 1);
  for (const InterfaceTensor &output : interface.outputs)
    width = std::max(width, getDeclaration(output, false).size() + 1);

  os << formatv("struct {0} {{ uint64_t opaque[{1}]; }; /* the caller's; constant after {0}_init; {2} */\n\n", name,
                modelWords(interface), interface.device ? name + "_deinit frees it" : "nothing to free");
  os << formatv("struct {0}_args {{ /* zero-initialise it; what is marked optional may stay NULL */\n", name);
  for (const NamedSize &dim : interface.dims)
    os << "  " << left_justify("size_t " + dim.identifier + ";", width) << " /* " << describeSize(dim) << " */\n";
  for (const InterfaceTensor &input : interface.inputs)
    writeArgument(input, true, width);
  for (const InterfaceTensor &output : interface.outputs)
    writeArgument(output, false, width);
  os << "};\n\n";

  os << (interface.device ? "/* Once: brings code and weights to the device; checks the weights"
                          : "/* Once: picks the code for this CPU, checks the weights");
  if (interface.embedWeights || !interface.weightsSize)
    os << " (NULL, 0: they are in this library)";
  else
    os << ", which must\n * stay as long as the model is used";
  os << ". */\n";
  if (interface.device)
    writeDeviceInit();
  else
    writeInit();
  os << formatv(
      "/* Bytes that {0}_run needs for these sizes, whatever the arena's alignment; 0 where a size is out of\n"
      " * range, SIZE_MAX where no number holds what so many threads need. */\n",
      name);
  os << formatv("size_t {0}_arena_size({1}size_t threads);\n", name, sizeParameters());
  os << (interface.device ? "/* No allocation or file access. One call at a time is on the device; executor is not used."
                          : "/* No allocation, file access or lock. executor NULL: everything on the calling thread.");
  if (interface.indexCheck)
    os << "\n * HEDDLE_INDEX_OUT_OF_RANGE also where the model computes such an index: outputs may hold anything then.";
  os << " */\n";
  os << formatv("enum heddle_status {0}_run(const struct {0} *model, const struct {0}_args *args,\n", name);
  os << std::string(name.size() + 24, ' ')
     << "void *arena, size_t arena_size, const struct heddle_executor *executor);\n";
  if (interface.device)
    writeRunOnDevice();
}

void HeaderWriter::writeRunOnDevice() {
  os << formatv("/* The same for tensors on the device, in the order of {0}_args: struct heddle_place is of <heddle/model.h>,\n"
                " * an input with a range lies on the host. `sizes`: those that lie in ranges, in this order. */\n"
                "struct heddle_place;\n"
                "enum heddle_status {0}_run_on_device(const struct {0} *model, const size_t *sizes,\n{1}"
                "const struct heddle_place *inputs, const struct heddle_place *outputs,\n{1}"
                "void *arena, size_t arena_size);\n",
                name, std::string(name.size() + 34, ' '));
}

void HeaderWriter::writePositional() {
  os << formatv(
      "/* Once, before the first call: picks the code for this CPU. HEDDLE_UNSUPPORTED_CPU where there is none.\n"
      " * Without it each call finds out by itself, which takes up to 100 microseconds. */\n"
      "enum heddle_status {0}_init(void);\n"
      "/* The code for one CPU, for all calls that follow: {1}; NULL picks.\n"
      " * The name of what was picked: NULL before. */\n"
      "enum heddle_status {0}_init_variant(const char *variant);\n"
      "const char *{0}_variant(void);\n"
      "/* Bytes that {0} needs, whatever the arena's alignment; {2} so many threads need. */\n"
      "size_t {0}_arena_size({3}size_t threads);\n",
      name, variantNames(), 
      interface.sizes.empty() ? "SIZE_MAX where no number holds what\n *"
                              : "0 where a size is out of range,\n * SIZE_MAX where no number holds what",
      sizeParameters());
  os << "/* No allocation, file access or lock. executor NULL: everything on the calling thread.\n";
  for (const NamedSize &dim : interface.dims)
    os << " *   " << dim.identifier << "  " << describeSize(dim) << "\n";
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
                   "const char *{0}_status_text(enum heddle_status status); /* one sentence, never NULL */\n"
                   "const struct heddle_model *{0}_describe(void);\n",
                   interface.name)
            << "#ifdef __cplusplus\n}\n#endif\n#endif\n";
  return writer.text;
}
