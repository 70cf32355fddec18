//===- Rotary.cpp - rotary embeddings -------------------------------------===//

#include "Rotary.h"

#include "Tensors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace heddle;
using Scaling = RotaryFrequencies::Scaling;

/// The names of rope types in transformers.
static constexpr std::pair<StringRef, Scaling> scalings[] = {
    {"default", Scaling::None},  {"dynamic", Scaling::Dynamic},   {"linear", Scaling::Linear},
    {"llama3", Scaling::Llama3}, {"longrope", Scaling::Longrope}, {"yarn", Scaling::Yarn},
};

/// Reads a positive number. Returns `fallback` if the field is missing or null; without a fallback, this is an error.
static double readPositive(Config &config, StringRef field, std::optional<double> fallback) {
  if (fallback && !config.has(field))
    return *fallback;
  double value = config.number(field, 0);
  if (value > 0)
    return value;
  if (!config.failed())
    config.refuse(field) << "expected a positive number";
  return fallback.value_or(1);
}

/// Returns the factor by which yarn multiplies cosines and sines. `factor` is the factor by which yarn extends the
/// number of positions, and `scale` is the field mscale or mscale_all_dim.
static double yarnFactor(double factor, double scale = 1) {
  return factor <= 1 ? 1 : 0.1 * scale * std::log(factor) + 1;
}

/// Reads the fields of rope type yarn.
void Rotary::readYarn(Config &parameters) {
  RotaryFrequencies &f = frequencies;
  f.betaFast = readPositive(parameters, "beta_fast", 32);
  f.betaSlow = readPositive(parameters, "beta_slow", 1);
  f.truncate = parameters.flag("truncate", true);
  double scale = parameters.has("mscale") ? parameters.number("mscale", 0) : 0;
  double all = parameters.has("mscale_all_dim") ? parameters.number("mscale_all_dim", 0) : 0;
  f.attentionFactor = scale && all ? yarnFactor(f.factor, scale) / yarnFactor(f.factor, all) : yarnFactor(f.factor);
}

/// Reads the fields of rope type longrope.
void Rotary::readLongrope(Config &parameters) {
  RotaryFrequencies &f = frequencies;
  if (f.factor > 1 && f.original < 2)
    parameters.refuse("original_max_position_embeddings") << "expected at least 2, found " << f.original;
  f.attentionFactor = f.factor <= 1 ? 1 : std::sqrt(1 + std::log(f.factor) / std::log(double(f.original)));
  for (auto [field, factors] : {std::pair("short_factor", &f.shortFactors), std::pair("long_factor", &f.longFactors)}) {
    *factors = parameters.numbers(field);
    if (int64_t(factors->size()) != f.getPairs() || llvm::any_of(*factors, [](double x) { return x <= 0; }))
      parameters.refuse(field) << "expected " << f.getPairs() << " numbers above 0, one for each pair of a head";
  }
}

void Rotary::readScaling(Config &parameters) {
  RotaryFrequencies &f = frequencies;
  // For the types yarn and longrope, the factor follows from the numbers of positions if the field `factor` is missing.
  bool hasOriginal = f.scaling == Scaling::Yarn || f.scaling == Scaling::Longrope;
  std::optional<double> factor;
  if (hasOriginal)
    factor = double(f.positions) / double(f.original);
  if (f.scaling != Scaling::None)
    f.factor = readPositive(parameters, "factor", factor);
  if (f.scaling == Scaling::Dynamic && f.rotated <= 2)
    parameters.refuse("rope_type") << "dynamic is supported only if more than 2 elements of each head are rotated";
  if (f.scaling == Scaling::Llama3) {
    f.lowFactor = readPositive(parameters, "low_freq_factor", std::nullopt);
    f.highFactor = readPositive(parameters, "high_freq_factor", std::nullopt);
    if (f.highFactor <= f.lowFactor)
      parameters.refuse("high_freq_factor") << "expected a number above low_freq_factor";
  }
  if (f.scaling == Scaling::Yarn)
    readYarn(parameters);
  if (f.scaling == Scaling::Longrope)
    readLongrope(parameters);
  if (hasOriginal)
    f.attentionFactor = readPositive(parameters, "attention_factor", f.attentionFactor);
}

bool Rotary::readType(Config &parameters, bool onlyLongrope) {
  StringRef field = parameters.has("type") && !parameters.has("rope_type") ? "type" : "rope_type";
  type = parameters.string(field, "default").str();
  if (onlyLongrope && (type == "su" || type == "yarn")) // older files of phi3 use these names for longrope
    type = "longrope";
  std::string known;
  for (const auto &[name, scaling] : scalings) {
    if (onlyLongrope && scaling != Scaling::None && scaling != Scaling::Longrope)
      continue;
    frequencies.scaling = scaling;
    if (name == type)
      return true;
    known += (known.empty() ? "" : ", ") + name.str();
  }
  parameters.refuse(field) << "'" << type << "' is not supported, only " << known;
  return false;
}

void Rotary::read(Config &config, int64_t headSize, int64_t positions, const Fields &fields) {
  bool older = config.count("rope_scaling") > 0 && !fields.ignoresScaling;
  Config parameters = config.nested(older ? "rope_scaling" : "rope_parameters");
  if (fields.parameters && !older)
    parameters = parameters.nested(fields.parameters);
  RotaryFrequencies &f = frequencies;
  bool isKnown = readType(parameters, fields.onlyLongrope);
  double theta = readPositive(config, fields.thetaField, fields.theta);
  f.theta = readPositive(parameters, "rope_theta", theta);
  double part = fields.partField ? readPositive(config, fields.partField, fields.part) : 1;
  part = readPositive(parameters, "partial_rotary_factor", part);
  f.positions = positions;
  // The field of config.json, or else the family's default, takes precedence over the field of the same name in
  // rope_parameters or rope_scaling.
  constexpr StringRef original = "original_max_position_embeddings";
  f.original = parameters.sizeOrNull(original, positions);
  f.original = config.sizeOrNull(original, fields.original ? fields.original : f.original);
  if (config.failed() || !isKnown)
    return;
  constexpr int64_t largest = 1 << 16;
  if (headSize > largest)
    return (void)(config.refuse("head_dim")
                  << "expected heads of at most " << largest << " elements, found " << headSize);
  f.rotated = int64_t(double(headSize) * std::min(part, 2.0));
  if (!fields.partField && part != 1)
    parameters.refuse("partial_rotary_factor")
        << "only 1 is supported: models of this family rotate all elements of each head";
  else if (f.rotated < 1 || 2 * f.getPairs() > headSize)
    parameters.refuse("partial_rotary_factor")
        << f.rotated << " elements of heads of " << headSize << " cannot be rotated";
  else
    readScaling(parameters);
}

void Rotary::checkLengths(Config &config, int64_t low, int64_t high) {
  length = high;
  int64_t limit = frequencies.getLimit();
  // With longrope, all sequences beyond the limit have the same angles.
  bool isLong = frequencies.scaling == Scaling::Longrope && low > limit;
  if (high > limit && low != high && !isLong)
    config.refuse("rope_parameters") << "with " << type << ", sequences of more than " << limit
                                     << " tokens have other angles than shorter ones: sequence_length cannot lie in "
                                     << low << ".." << high;
}

void Rotary::checkCapacity(Config &config, int64_t capacity) {
  length = 1;
  if (int64_t limit = frequencies.getLimit(); capacity > limit)
    config.refuse("rope_parameters")
        << "with " << type << " the angles change after " << limit
        << " tokens, and keys in a state keep their rotation: expected a capacity of at most " << limit << ", found "
        << capacity;
}

/// The minimum number of rows of a table for sequence lengths in a range. A placeholder, the prime that represents the
/// sequence length in types, must be less than the number of rows (dialect/SIZES.md). A small table would leave too few
/// primes.
static constexpr int64_t minRows = 128;

Rotation Rotary::build(Layers &layers) const {
  const Dim &maximum = layers.maxPositions();
  int64_t rows = maximum.isFixed() ? *maximum.number() : std::max(maximum.high(), minRows);
  std::vector<float> frequencies = this->frequencies.get(length.value_or(rows)), cosines, sines;
  float factor = float(this->frequencies.attentionFactor);
  for (int64_t position = 0; position < rows; ++position)
    for (float frequency : frequencies) {
      float angle = float(position) * frequency;
      cosines.push_back(float(std::cos(double(angle))) * factor);
      sines.push_back(float(std::sin(double(angle))) * factor);
    }
  auto type = RankedTensorType::get({rows, int64_t(frequencies.size())}, layers.main.getF32Type());
  auto table = [&](ArrayRef<float> values) {
    return layers.rowsOfPositions(arith::ConstantOp::create(layers.main, DenseElementsAttr::get(type, values)));
  };
  return {table(cosines), table(sines)};
}
