//===- RotaryFrequencies.h - angles of rotary embeddings --------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_ROTARYFREQUENCIES_H
#define HEDDLE_IMPORT_HUGGINGFACE_ROTARYFREQUENCIES_H

#include <cstdint>
#include <vector>

namespace heddle {

/// Computes the angle by which each pair of elements of a head rotates from one position to the next. The computation
/// in f32 follows modeling_rope_utils of transformers, since models were trained with exactly these numbers.
struct RotaryFrequencies {
  enum class Scaling { None, Linear, Dynamic, Yarn, Longrope, Llama3 };
  Scaling scaling = Scaling::None;

  double theta = 10000;
  int64_t rotated = 2;   // the number of rotated elements of a head; an odd number is rounded up
  int64_t positions = 1; // the number of positions of the model
  int64_t original = 1;  // the number of positions before the model was scaled
  double factor = 1;
  double attentionFactor = 1;                    // a factor of cosines and sines
  double betaFast = 32, betaSlow = 1;            // yarn
  bool truncate = true;                          // yarn
  double lowFactor = 1, highFactor = 4;          // llama3
  std::vector<double> shortFactors, longFactors; // longrope, one for each pair

  int64_t getPairs() const { return (rotated + 1) / 2; }

  /// The angle in radians per position for each pair, for sequences of this length.
  std::vector<float> get(int64_t sequence) const;

  /// The longest sequence for which `get` returns the same angles as for the shortest; the largest int64_t if the
  /// angles do not depend on the length.
  int64_t getLimit() const;

private:
  std::vector<float> getPlain(double base) const;
  void scaleYarn(std::vector<float> &frequencies) const;
  void scaleLlama3(std::vector<float> &frequencies) const;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_ROTARYFREQUENCIES_H
