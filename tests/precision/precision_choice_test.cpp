//===- precision_choice_test.cpp - values of the option --precision -------===//

#include "heddle/LowPrecision.h"

#include <gtest/gtest.h>

using namespace heddle;
using Formats = std::array<LayerFormat, numParts>;

static constexpr LayerFormat F32 = LayerFormat::F32, BF16 = LayerFormat::BF16, Int8 = LayerFormat::Int8,
                             Int8Block = LayerFormat::Int8Block;

/// Returns the formats of linear layers, feed-forward layers, tables and attention, in this order, for a value of the
/// option.
static Formats formats(const char *text) {
  PrecisionChoice choice;
  EXPECT_EQ(parsePrecision(text, choice), "") << text;
  EXPECT_EQ(choice.text, text);
  EXPECT_EQ(choice.rounds(), choice.formats != (Formats{F32, F32, F32, F32}));
  return choice.formats;
}

/// Returns the error for an invalid value, or "" if the value is valid.
static std::string problem(const char *text) {
  PrecisionChoice choice;
  return parsePrecision(text, choice);
}

TEST(PrecisionChoice, FormatsOfAWholeModel) {
  EXPECT_EQ(formats("f32"), (Formats{F32, F32, F32, F32}));
  EXPECT_EQ(formats("bf16"), (Formats{BF16, BF16, F32, BF16}));                 // Tables remain in f32.
  EXPECT_EQ(formats("int8"), (Formats{Int8, Int8, Int8, F32}));                 // Attention remains in f32.
  EXPECT_EQ(formats("int8-block"), (Formats{Int8Block, Int8Block, Int8, F32})); // In a table, each row is a block.
}

TEST(PrecisionChoice, FormatsOfParts) {
  EXPECT_EQ(formats("int8:ffn"), (Formats{F32, Int8, F32, F32}));
  EXPECT_EQ(formats("int8:ffn,int8-block:linear"), (Formats{Int8Block, Int8, F32, F32}));
  EXPECT_EQ(formats("bf16:linear,int8"), (Formats{BF16, Int8, Int8, F32}));
  EXPECT_EQ(formats("int8,f32:embedding"), (Formats{Int8, Int8, F32, F32}));
  EXPECT_EQ(formats("int8-block:embedding"), (Formats{F32, F32, Int8, F32}));
  EXPECT_EQ(formats("bf16,f32:attention"), (Formats{BF16, BF16, F32, F32}));
  EXPECT_EQ(formats("bf16:attention"), (Formats{F32, F32, F32, BF16}));
  EXPECT_EQ(formats("int8,bf16:attention"), (Formats{Int8, Int8, Int8, BF16}));
}

TEST(PrecisionChoice, FormatsOfStoredWeights) {
  for (const char *type : {"bf16", "f16"}) {
    PrecisionChoice choice;
    EXPECT_EQ(parsePrecision(std::string(type) + "-weights", choice), "");
    EXPECT_EQ(choice.storage, type);
    EXPECT_FALSE(choice.rounds());
  }
}

TEST(PrecisionChoice, Errors) {
  EXPECT_EQ(problem("int4"),
            "'int4' is not a precision; the precisions are f32, bf16, int8, int8-block, bf16-weights and f16-weights");
  EXPECT_EQ(problem(""),
            "'' is not a precision; the precisions are f32, bf16, int8, int8-block, bf16-weights and f16-weights");
  EXPECT_EQ(problem("f16"),
            "layers cannot be computed in f16; f16-weights stores the weights in f16 and computes in f32");
  EXPECT_EQ(problem("int8:heads"),
            "'int8:heads': 'heads' is not a part of a model; the parts are linear, ffn, embedding, attention");
  EXPECT_EQ(problem("int8:"), "'int8:': '' is not a part of a model; the parts are linear, ffn, embedding, attention");
  EXPECT_EQ(problem("int8:attention"), "'int8:attention': attention can be computed only in bf16 or f32");
  EXPECT_EQ(problem("int8:ffn,bf16:ffn"), "'int8:ffn,bf16:ffn' gives two precisions for ffn layers");
  EXPECT_EQ(problem("int8,bf16"), "'int8,bf16' gives two precisions for the model");
  EXPECT_EQ(problem("bf16-weights:ffn"),
            "'bf16-weights' is for all layers and cannot be combined with other precisions");
  EXPECT_EQ(problem("int8:ffn,f16-weights"),
            "'f16-weights' is for all layers and cannot be combined with other precisions");
  EXPECT_EQ(problem("bf16:embedding"), "'bf16:embedding': embedding tables can be stored only in int8 or f32");
}
