//===- Q6_K.td - ggml's format Q6_K ---------------------------------------===//

#ifndef HEDDLE_FORMATS_Q6_K_TD
#define HEDDLE_FORMATS_Q6_K_TD

include "formats/FormatAttr.td"

def Heddle_Q6_K : Heddle_FormatAttr<"Q6_K", "q6_K", 256, 210,
  Heddle_Plane<"q", "Unsigned", 1,
    [Heddle_Bits<4, 0, [2, 2, 2, 32], [512, 4, 256, 8]>, Heddle_Bits<2, 1024, [2, 4, 32], [256, 2, 8]>]>, "q - 32",
  [Heddle_Plane<"a", "Signed", 16, [Heddle_Bits<8, 1536, [16], [8]>]>, Heddle_F16Plane<"d", 256, 1664>], "d * a">;

#endif // HEDDLE_FORMATS_Q6_K_TD
