//===- Rotary.h - rotary embeddings -----------------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_ROTARY_H
#define HEDDLE_IMPORT_HUGGINGFACE_ROTARY_H

#include "Config.h"
#include "Layers.h"
#include "RotaryFrequencies.h"

namespace heddle {

/// By which angles positions turn queries and keys: what config.json says of it.
class Rotary {
public:
  /// Where families differ.
  struct Fields {
    double theta = 10000;
    const char *thetaField = "rope_theta";
    /// The field of `rope_parameters` that holds those of one kind of layers; none: all layers have the same.
    const char *parameters = nullptr;
    /// `rope_scaling` of older files is not for these layers.
    bool ignoresScaling = false;
    /// The field for the part of each head that is turned; none: all of it is.
    const char *partField = nullptr;
    double part = 1;
    /// What `original_max_position_embeddings` is if it is missing; 0: as many as the model has positions.
    int64_t original = 0;
    /// The types are default and longrope, which older files call su or yarn (phi3).
    bool onlyLongrope = false;
  };

  /// Reads `rope_parameters`, or `rope_scaling` as older files have it, of a model with heads of `headSize` elements
  /// that was trained for `positions`. Types and fields that are not known are refused.
  void read(Config &config, int64_t headSize, int64_t positions, const Fields &fields);

  /// Refuses sequences of `low` to `high` tokens if they are not all turned alike. From there on `build` turns any as
  /// those.
  void checkLengths(Config &config, int64_t low, int64_t high);

  /// Refuses that a state has room for so many tokens if they are not all turned alike: keys in it stay as they were
  /// turned when they were new.
  void checkCapacity(Config &config, int64_t capacity);

  /// The most that checkCapacity accepts.
  int64_t mostCapacity() const { return frequencies.getLimit(); }

  /// Of the positions of the tokens. Angles are rounded to f32, as in transformers, which computes them in f32 whatever
  /// the model's type is.
  Rotation build(Layers &layers) const;

private:
  bool readType(Config &parameters, bool onlyLongrope);
  void readScaling(Config &parameters);
  void readYarn(Config &parameters);
  void readLongrope(Config &parameters);

  std::string type = "default";
  std::optional<int64_t> length; // which decides, if it is not that of the sequence itself
  RotaryFrequencies frequencies;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_ROTARY_H
