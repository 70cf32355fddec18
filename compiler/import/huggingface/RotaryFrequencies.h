//===- RotaryFrequencies.h - angles of rotary embeddings --------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_ROTARYFREQUENCIES_H
#define HEDDLE_IMPORT_HUGGINGFACE_ROTARYFREQUENCIES_H

#include <cstdint>
#include <vector>

namespace heddle {

/// How far each pair of a head's elements turns from one position to the next, as modeling_rope_utils of transformers
/// computes it: in f32, since these numbers are what a model was trained with.
struct RotaryFrequencies {
  enum class Scaling { None, Linear, Dynamic, Yarn, Longrope, Llama3 };
  Scaling scaling = Scaling::None;

  double theta = 10000;
  int64_t turned = 2;    // elements of a head; an odd number is rounded up
  int64_t positions = 1; // that the model was made for
  int64_t original = 1;  // that it was trained for before it was scaled
  double factor = 1;
  double attentionFactor = 1;                    // of cosines and sines
  double betaFast = 32, betaSlow = 1;            // yarn
  bool truncate = true;                          // yarn
  double lowFactor = 1, highFactor = 4;          // llama3
  std::vector<double> shortFactors, longFactors; // longrope, one for each pair

  int64_t getPairs() const { return (turned + 1) / 2; }

  /// Radians by which a position turns each pair, in sequences of this length.
  std::vector<float> get(int64_t sequence) const;

  /// The longest sequences for which `get` is what it is for the shortest; none if it is for all.
  int64_t getLimit() const;

private:
  std::vector<float> getPlain(double base) const;
  void scaleYarn(std::vector<float> &frequencies) const;
  void scaleLlama3(std::vector<float> &frequencies) const;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_ROTARYFREQUENCIES_H
