//===- Quantization.cpp - quantisation settings of a directory ------------===//

#include "Quantization.h"

#include "Config.h"

using namespace mlir;
using namespace heddle;

/// Ignored fields. They describe the calibration of the model, the tools that were used, and which layers are
/// quantised. (The tensors in the file show which layers are quantised.)
static constexpr StringRef compressedOrigin[] = {"global_compression_ratio", "ignore", "quantization_status", "version"};
static constexpr StringRef gptqOrigin[] = {
    "act_group_aware", "backend", "batch_size", "block_name_to_quantize", "cache_block_outputs", "damp_percent", "dataset",
    "disable_exllama", "exllama_config", "max_input_length", "model_file_base_name", "model_name_or_path", "model_seqlen",
    "module_name_preceding_first_block", "modules_in_block_to_quantize", "offload_to_disk", "pack_dtype", "pad_token_id",
    "static_groups", "tokenizer", "true_sequential", "use_cuda_fp16", "use_exllama"};
static constexpr StringRef argumentsOrigin[] = {"observer", "observer_kwargs", "scale_dtype", "zp_dtype"};

/// Refuses a field that contains an object with entries.
static void refuseObject(Config &config, StringRef field, StringRef what) {
  if (config.has(field) && config.count(field) > 0)
    config.refuse(field) << what << " is not supported";
}

namespace {
/// The quantisation of the weights of a group of layers, or of the layers' input rows (QuantizationArgs of
/// compressed-tensors).
struct Arguments {
  int64_t bits, group;  // the width of an integer in bits; the number of elements of a group if `strategy` is "group"
  bool symmetric;       // whether all zero points are 0
  std::string strategy; // which elements share a scale: "tensor", "channel", "group", "token" and others
};
} // namespace

/// Reads the fields that the quantisation of weights and of rows have in common.
static Arguments readArguments(Config &config) {
  config.ignore(argumentsOrigin);
  Arguments arguments;
  arguments.bits = config.sizeOr("num_bits", 8);
  arguments.symmetric = config.flag("symmetric", true);
  arguments.group = config.sizeOrNull("group_size", 0, -1);
  bool isOpen = !config.has("strategy");
  arguments.strategy = isOpen ? "" : config.string("strategy", "").str();
  if (isOpen)
    arguments.strategy = arguments.group > 0 ? "group" : arguments.group < 0 ? "channel" : "tensor";
  if (config.string("type", "int") != "int")
    config.refuse("type") << "numbers of type '" << config.string("type", "int") << "' are not supported, only int";
  if (config.has("block_structure"))
    config.refuse("block_structure") << "blocks over rows and columns are not supported";
  if (arguments.strategy == "group" && arguments.group < 1)
    config.refuse("group_size") << "expected a positive number";
  return arguments;
}

/// Reads the rounding of a layer's input that `input_activations` describes. In compressed-tensors, dynamic symmetric
/// rounding has the scale 2 * (largest absolute value) / 255 (calculate_qparams). This equals Heddle's rounding to si8.
static void readRows(Config config, Quantization &quantization) {
  MLIRContext *context = config.getLoc().getContext();
  Arguments arguments = readArguments(config);
  config.ignore({"actorder"});
  bool dynamic = config.flag("dynamic");
  if (arguments.bits != 8)
    config.refuse("num_bits") << "activations of " << arguments.bits << " bits are not supported, only of 8";
  if (!dynamic) {
    quantization.isStatic = true;
    if (arguments.strategy != "tensor")
      config.refuse("strategy") << "expected 'tensor' for activations that are not dynamic, found '"
                                << arguments.strategy << "'";
    quantization.rounding = RowRoundingAttr::get(context, IntegerType::get(context, 8));
    return;
  }
  Type element = IntegerType::get(context, 8, arguments.symmetric ? IntegerType::Signed : IntegerType::Unsigned);
  int64_t block = arguments.strategy == "group" ? arguments.group : 0;
  if (arguments.strategy != "token" && arguments.strategy != "tensor" && !block)
    config.refuse("strategy") << "'" << arguments.strategy
                              << "' is not supported for activations, only token, tensor and group";
  quantization.rounding =
      RowRoundingAttr::get(context, element, block, {}, arguments.strategy == "tensor", FloatAttr(), 0);
}

/// Reads the settings of the library compressed-tensors, with which llm-compressor and other tools save models.
static void readCompressedTensors(Config &config, Quantization &quantization) {
  config.ignore(compressedOrigin);
  std::string format = config.string("format", "dense").str();
  refuseObject(config, "kv_cache_scheme", "a quantised cache");
  refuseObject(config, "transform_config", "a rotation of weights and activations");
  refuseObject(config, "moe_sparsity_config", "sparsity of experts");
  if (Config sparsity = config.nested("sparsity_config"); sparsity.has("format")) {
    sparsity.ignore({"global_sparsity", "ignore", "registry_requires_subclass", "sparsity_structure", "targets"});
    if (sparsity.string("format", "dense") != "dense")
      sparsity.refuse("format") << "sparse weights are not supported";
  }
  Config groups = config.nested("config_groups");
  std::vector<std::string> names = groups.names();
  if (names.size() != 1) {
    config.refuse("config_groups") << "expected one group of layers, found " << names.size();
    return;
  }
  Config group = groups.nested(names.front());
  group.ignore({"targets"});
  if (group.has("format"))
    format = group.string("format", "").str();
  if (format == "pack-quantized")
    quantization.format = Quantization::Scheme::Packed;
  else if (format != "int-quantized" && format != "naive-quantized")
    config.refuse("format") << "'" << format << "' is not supported, only int-quantized, naive-quantized and "
                            << "pack-quantized";
  if (group.has("output_activations"))
    group.refuse("output_activations") << "the quantisation of a layer's output is not supported";
  Config weights = group.nested("weights");
  Arguments arguments = readArguments(weights);
  quantization.bits = arguments.bits;
  quantization.hasZeros = !arguments.symmetric;
  quantization.group = arguments.strategy == "group" ? arguments.group : 0;
  quantization.perTensor = arguments.strategy == "tensor";
  if (arguments.strategy != "group" && arguments.strategy != "channel" && arguments.strategy != "tensor")
    weights.refuse("strategy") << "'" << arguments.strategy << "' is not supported, only tensor, channel and group";
  if (weights.has("actorder") && weights.string("actorder", "") != "weight" && weights.string("actorder", "") != "static")
    weights.refuse("actorder") << "'" << weights.string("actorder", "") << "' is not supported";
  if (weights.flag("dynamic"))
    weights.refuse("dynamic") << "weights that are quantised during inference are not supported";
  bool packed = quantization.format == Quantization::Scheme::Packed;
  if (arguments.bits != 8 && !(packed && arguments.bits == 4))
    weights.refuse("num_bits") << arguments.bits << " bits in '" << format << "' are not supported, only "
                               << (packed ? "4 and 8" : "8");
  if (group.has("input_activations"))
    readRows(group.nested("input_activations"), quantization);
}

/// Returns whether GPTQModel quantised the weights: meta.quantizer is "gptqmodel:VERSION" or an array that contains
/// this string.
static bool isOfGptqModel(Config &config) {
  Config meta = config.nested("meta");
  for (const std::string &name : meta.names())
    meta.ignore({StringRef(name)});
  return llvm::any_of(meta.oneOrMoreStrings("quantizer"),
                      [](StringRef tool) { return tool.split(':').first == "gptqmodel"; });
}

/// Reads how zero points are stored. The field is named checkpoint_format or format; if both exist, they must be equal.
static void readZerosOfGptq(Config &config, Quantization &quantization) {
  StringRef field = config.has("checkpoint_format") ? "checkpoint_format" : "format";
  std::string format = config.string(field, "gptq").str();
  if (format != "gptq" && format != "gptq_v2")
    config.refuse(field) << "'" << format << "' is not supported, only gptq and gptq_v2";
  else if (config.has("format") && config.string("format", "") != format)
    config.refuse("format") << "'" << config.string("format", "") << "' differs from checkpoint_format, '" << format
                            << "'";
  // GPTQModel subtracts 1 from all zero points of a 32-bit word with a single subtraction, in which a zero point of 0
  // borrows from the next one. A single addition restores the zero points. AutoGPTQ subtracts 1 from each zero point
  // separately: a zero point is (stored + 1) & (2^bits - 1).
  using Zeros = Quantization::StoredZeros;
  bool inWords = isOfGptqModel(config);
  quantization.storedZeros = format == "gptq_v2" ? Zeros::Same : inWords ? Zeros::WordsLessOnes : Zeros::LessOne;
}

/// Reads the settings of models that AutoGPTQ or GPTQModel saved.
static void readGptq(Config &config, Quantization &quantization) {
  config.ignore(gptqOrigin);
  quantization.format = Quantization::Scheme::Gptq;
  quantization.bits = config.sizeOr("bits", 4);
  int64_t group = config.sizeOr("group_size", 128, -1);
  quantization.group = std::max<int64_t>(group, 0);
  quantization.hasZeros = true;
  config.flag("desc_act"); // the tensor g_idx determines the order of the inputs
  config.flag("sym");
  readZerosOfGptq(config, quantization);
  if (config.string("method", "gptq") != "gptq")
    config.refuse("method") << "'" << config.string("method", "") << "' differs from quant_method, 'gptq'";
  if (quantization.bits != 4 && quantization.bits != 8)
    config.refuse("bits") << quantization.bits << " bits are not supported, only 4 and 8";
  if (group == 0)
    config.refuse("group_size") << "expected a positive number, or -1";
  config.flag("lm_head"); // the tensors show whether lm_head is quantised
  refuseObject(config, "dynamic", "a separate setting for some layers");
}

std::optional<Quantization> heddle::readQuantization(Config &config) {
  if (!config.has("quantization_config"))
    return std::nullopt;
  Config inner = config.nested("quantization_config");
  std::string method = inner.string("quant_method", "").str();
  Quantization quantization;
  if (method == "compressed-tensors") {
    readCompressedTensors(inner, quantization);
  } else if (method == "gptq") {
    readGptq(inner, quantization);
  } else {
    inner.refuse("quant_method") << "'" << method << "' is not supported, only compressed-tensors and gptq";
    for (const std::string &name : inner.names())
      inner.ignore({StringRef(name)});
  }
  return quantization;
}
