//===- RotaryFrequencies.cpp - angles of rotary embeddings ----------------===//

#include "RotaryFrequencies.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace heddle;

std::vector<float> RotaryFrequencies::getPlain(double base) const {
  std::vector<float> frequencies(getPairs());
  for (size_t i = 0; i < frequencies.size(); ++i) {
    float exponent = float(2 * i) / float(rotated);
    frequencies[i] = 1.0f / float(std::pow(double(float(base)), double(exponent)));
  }
  return frequencies;
}

/// Returns the index, as a real number, of the pair that rotates `rotations` times (full turns) within the original
/// positions (Peng et al. 2023, YaRN).
static double pairOfRotations(double rotations, const RotaryFrequencies &of) {
  double positions = double(of.original) / (rotations * 2 * llvm::numbers::pi);
  return double(of.rotated) * std::log(positions) / (2 * std::log(of.theta));
}

void RotaryFrequencies::scaleYarn(std::vector<float> &frequencies) const {
  double low = pairOfRotations(betaFast, *this), high = pairOfRotations(betaSlow, *this);
  if (truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, double(rotated - 1));
  if (low == high)
    high += 0.001;
  for (size_t i = 0; i < frequencies.size(); ++i) {
    float slope = (float(i) - float(low)) / float(high - low);
    float kept = 1.0f - std::clamp(slope, 0.0f, 1.0f);
    frequencies[i] = frequencies[i] / float(factor) * (1.0f - kept) + frequencies[i] * kept;
  }
}

void RotaryFrequencies::scaleLlama3(std::vector<float> &frequencies) const {
  double longest = double(original) / lowFactor, shortest = double(original) / highFactor;
  for (float &frequency : frequencies) {
    float wave = float(2 * llvm::numbers::pi) / frequency;
    if (wave < float(shortest))
      continue;
    if (wave > float(longest)) {
      frequency /= float(factor);
      continue;
    }
    float smooth = (float(original) / wave - float(lowFactor)) / float(highFactor - lowFactor);
    frequency = (1.0f - smooth) * frequency / float(factor) + smooth * frequency;
  }
}

std::vector<float> RotaryFrequencies::get(int64_t sequence) const {
  double base = theta;
  if (scaling == Scaling::Dynamic && sequence > positions) {
    double growth = factor * double(sequence) / double(positions) - (factor - 1);
    base *= std::pow(growth, double(rotated) / double(rotated - 2));
  }
  std::vector<float> frequencies = getPlain(base);
  if (scaling == Scaling::Yarn)
    scaleYarn(frequencies);
  if (scaling == Scaling::Llama3)
    scaleLlama3(frequencies);
  if (scaling == Scaling::Linear)
    for (float &frequency : frequencies)
      frequency /= float(factor);
  if (scaling == Scaling::Longrope) {
    const std::vector<double> &factors = sequence > original ? longFactors : shortFactors;
    for (size_t i = 0; i < frequencies.size(); ++i)
      frequencies[i] = frequencies[i] / float(factors[i]);
  }
  return frequencies;
}

int64_t RotaryFrequencies::getLimit() const {
  if (scaling == Scaling::Dynamic)
    return positions;
  bool differs = scaling == Scaling::Longrope && shortFactors != longFactors;
  return differs ? original : std::numeric_limits<int64_t>::max();
}
