//===- Rotary.h - rotary embeddings -----------------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_ROTARY_H
#define HEDDLE_IMPORT_HUGGINGFACE_ROTARY_H

#include "Config.h"
#include "Layers.h"
#include "RotaryFrequencies.h"

namespace heddle {

/// Reads the parameters of rotary embeddings from config.json, and builds the cosines and sines of their angles.
class Rotary {
public:
  /// Options in which families differ.
  struct Fields {
    /// The field with theta, the base of the frequencies, and the default of this field.
    double theta = 10000;
    const char *thetaField = "rope_theta";
    /// The field of `rope_parameters` with the parameters of the layers for which this object computes angles; null if
    /// all layers have the same parameters.
    const char *parameters = nullptr;
    /// Whether `rope_scaling` in older files does not apply to the layers for which this object computes angles.
    bool ignoresScaling = false;
    /// The field with the fraction of each head that is rotated; null if whole heads are rotated. `part` is the default
    /// of this field.
    const char *partField = nullptr;
    double part = 1;
    /// The default of the field `original_max_position_embeddings` of config.json. If it is 0, the default is the value
    /// of the field with this name in `rope_parameters` or, if there is none, the model's number of positions.
    int64_t original = 0;
    /// Whether only the types default and longrope are allowed. (Older files of phi3 use the names su and yarn for
    /// longrope.)
    bool onlyLongrope = false;
  };

  /// Reads `rope_parameters`, or `rope_scaling` in older files. `headSize` is the number of elements of a head, and
  /// `positions` the model's number of positions. Emits errors for unknown types and invalid values.
  void read(Config &config, int64_t headSize, int64_t positions, const Fields &fields);

  /// Emits an error about sequences of `low` to `high` tokens if the angles differ between these lengths. After this
  /// call, build() uses the angles of these lengths.
  void checkLengths(Config &config, int64_t low, int64_t high);

  /// Emits an error about a state with this capacity if the angles would change while the state fills, since keys in
  /// the state are not rotated again. After this call, build() uses the angles of short sequences.
  void checkCapacity(Config &config, int64_t capacity);

  /// Returns the largest capacity that checkCapacity() accepts.
  int64_t maxCapacity() const { return frequencies.getLimit(); }

  /// Builds the cosines and sines of the tokens' positions. Angles are rounded to f32, as in transformers, which
  /// computes them in f32 for all element types.
  Rotation build(Layers &layers) const;

private:
  /// Reads the type of scaling. Returns false after an error.
  bool readType(Config &parameters, bool onlyLongrope);
  /// Reads the other parameters of the type that readType() has read.
  void readScaling(Config &parameters);
  void readYarn(Config &parameters);
  void readLongrope(Config &parameters);

  std::string type = "default"; // the name of the type of scaling in transformers
  // The sequence length that determines the angles; nothing if it is the number of rows of the tables of build().
  std::optional<int64_t> length;
  RotaryFrequencies frequencies;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_ROTARY_H
