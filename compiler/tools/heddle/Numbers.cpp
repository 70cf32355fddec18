//===- Numbers.cpp - integers on the command line -------------------------===//

#include "Numbers.h"

#include "llvm/ADT/StringExtras.h"

#include <string>

using namespace llvm;

static std::string expected(uint64_t low, uint64_t high, const std::string &found, StringRef what = "a number") {
  return "expected " + what.str() + " from " + std::to_string(low) + " to " + std::to_string(high) + ", found '" +
         found + "'";
}

static std::string descriptionOf(uint64_t low, uint64_t high) {
  return "INT in [" + std::to_string(low) + " - " + std::to_string(high) + "]";
}

CLI::Validator heddle::integerBetween(uint64_t low, uint64_t high) {
  auto check = [=](std::string &text) -> std::string {
    uint64_t number;
    if (StringRef(text).getAsInteger(10, number) || number < low || number > high)
      return expected(low, high, text);
    // Replace the text by the decimal number without leading zeros, because CLI11 would read 010 as an octal number.
    text = std::to_string(number);
    return "";
  };
  return {check, descriptionOf(low, high)};
}

CLI::Validator heddle::anyInteger() {
  auto check = [](std::string &text) -> std::string {
    StringRef digits = text;
    digits.consume_front("-");
    return !digits.empty() && all_of(digits, isDigit) ? "" : "expected an integer, found '" + text + "'";
  };
  return {check, ""};
}

CLI::Validator heddle::bytesBetween(uint64_t low, uint64_t high) {
  auto check = [=, units = CLI::AsSizeValue(/*kb_is_1000=*/true)](std::string &text) -> std::string {
    StringRef unit = text;
    uint64_t number;
    if (unit.consumeInteger(10, number))
      return expected(low, high, text, "a number of bytes");
    std::string bytes = std::to_string(number) + unit.str();
    if (std::string wrong = units(bytes); !wrong.empty())
      return wrong;
    if (StringRef(bytes).getAsInteger(10, number) || number < low || number > high)
      return expected(low, high, text, "a number of bytes");
    text = bytes;
    return "";
  };
  return {check, descriptionOf(low, high)};
}
