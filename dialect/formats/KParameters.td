//===- KParameters.td - scales and offsets of Q4_K and Q5_K ---------------===//

#ifndef HEDDLE_FORMATS_KPARAMETERS_TD
#define HEDDLE_FORMATS_KPARAMETERS_TD

include "formats/FormatAttr.td"

/// A block begins with two f16 numbers, the common factors of its scales and of its offsets. Their other factors, a and
/// b, have 6 bits for each 32 elements. Those of the last four groups are split: 2 of their bits are in the bytes of
/// the first four groups.
def Heddle_KParameters {
  list<Heddle_Plane> planes = [
    Heddle_F16Plane<"d", 256, 0>, Heddle_F16Plane<"e", 256, 16>,
    Heddle_Plane<"a", "Unsigned", 32, [Heddle_Bits<4, 32, [2, 4], [64, 8]>, Heddle_Bits<2, 36, [2, 4], [2, 8]>]>,
    Heddle_Plane<"b", "Unsigned", 32, [Heddle_Bits<4, 64, [2, 4], [36, 8]>, Heddle_Bits<2, 68, [2, 4], [2, 8]>]>
  ];
}

#endif // HEDDLE_FORMATS_KPARAMETERS_TD
