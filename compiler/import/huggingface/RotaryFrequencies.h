//===- RotaryFrequencies.h - angles of rotary embeddings --------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_ROTARYFREQUENCIES_H
#define HEDDLE_IMPORT_HUGGINGFACE_ROTARYFREQUENCIES_H

#include <cstdint>
#include <vector>

namespace heddle {

/// Computes the angle by which each pair of elements of a head rotates from one position to the next. The computation
/// in f32 is the same as in transformers' modeling_rope_utils, since models were trained with exactly these angles.
struct RotaryFrequencies {
  /// The ways in which transformers changes angles for sequences that are longer than those in training (rope types).
  enum class Scaling { None, Linear, Dynamic, Yarn, Longrope, Llama3 };
  Scaling scaling = Scaling::None;

  double theta = 10000;  // pair i rotates by theta^(-2i / rotated) radians if there is no scaling
  int64_t rotated = 2;   // the number of rotated elements of a head; an odd number is rounded up
  int64_t positions = 1; // the number of positions of the model
  int64_t original = 1;  // the number of positions before the model was scaled
  double factor = 1;     // the factor by which scaling extends the number of positions
  double attentionFactor = 1;                    // a factor of cosines and sines
  double betaFast = 32, betaSlow = 1;            // parameters of yarn
  bool truncate = true;                          // parameter of yarn
  double lowFactor = 1, highFactor = 4;          // parameters of llama3
  std::vector<double> shortFactors, longFactors; // parameters of longrope, one for each pair

  /// Returns the number of rotated pairs of a head.
  int64_t getPairs() const { return (rotated + 1) / 2; }

  /// Returns the angle of each pair in radians per position, for a sequence of `sequence` tokens.
  std::vector<float> get(int64_t sequence) const;

  /// Returns the length of the longest sequence for which get() returns the same angles as for the shortest; the
  /// largest int64_t if the angles do not depend on the length.
  int64_t getLimit() const;

private:
  /// Returns the angles without scaling, for this value of theta.
  std::vector<float> getPlain(double base) const;
  void scaleYarn(std::vector<float> &frequencies) const;
  void scaleLlama3(std::vector<float> &frequencies) const;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_ROTARYFREQUENCIES_H
