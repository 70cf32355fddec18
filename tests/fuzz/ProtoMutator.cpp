//===- ProtoMutator.cpp - mutations of protobuf messages ------------------===//

#include "ProtoMutator.h"

#include "llvm/ADT/STLExtras.h"

#include <memory>
#include <random>
#include <vector>

using namespace heddle;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

/// A function of libFuzzer that applies one of its own mutations to the bytes in place and returns their new size.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {
/// A field that is set in `message`, or one element of a repeated field.
struct Place {
  Message *message;
  const FieldDescriptor *field;
  int index; // the index of the element; -1 if the field is not repeated

  const Reflection *reflection() const { return message->GetReflection(); }
  bool holdsMessage() const { return field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE; }
  /// Returns the submessage at this place, which must hold one.
  Message *child() const {
    return index < 0 ? reflection()->MutableMessage(message, field)
                     : reflection()->MutableRepeatedMessage(message, field, index);
  }
  std::string string() const {
    return index < 0 ? reflection()->GetString(*message, field)
                     : reflection()->GetRepeatedString(*message, field, index);
  }
};

/// Sets the field or element `place` to `value`. `type` is the suffix of the function in google::protobuf::Reflection,
/// such as Int64.
#define SET(place, type, value)                                                                                        \
  ((place).index < 0 ? (place).reflection()->Set##type((place).message, (place).field, value)                          \
                     : (place).reflection()->SetRepeated##type((place).message, (place).field, (place).index, value))

/// Applies random mutations. `words` are values for string fields.
class Mutator {
public:
  Mutator(unsigned seed, llvm::ArrayRef<std::string> words) : random(seed), words(words) {}

  /// Returns a random number in 0 .. count - 1.
  size_t randomBelow(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random); }

  /// Appends all fields that are set in the message and its submessages, with at most 1000 elements of each repeated
  /// field.
  static void collect(Message &message, std::vector<Place> &places) {
    std::vector<const FieldDescriptor *> fields;
    message.GetReflection()->ListFields(message, &fields);
    for (const FieldDescriptor *field : fields) {
      int count = field->is_repeated() ? message.GetReflection()->FieldSize(message, field) : 1;
      for (int i = 0; i < std::min(count, 1000); ++i) {
        places.push_back({&message, field, field->is_repeated() ? i : -1});
        if (places.back().holdsMessage())
          collect(*places.back().child(), places);
      }
    }
  }

  /// Applies one random mutation to a random field of the message or of one of its submessages.
  void change(Message &root) {
    std::vector<Place> places;
    collect(root, places);
    if (places.empty() || randomBelow(16) == 0)
      return addField(places.empty() ? root : *places[randomBelow(places.size())].message);
    Place place = places[randomBelow(places.size())];
    switch (randomBelow(8)) {
    case 0:
      return erase(place);
    case 1:
      return place.index < 0 ? setValue(place, places) : repeat(place);
    case 2:
      return place.index < 0 ? setValue(place, places) : swap(place);
    default:
      return place.holdsMessage() ? replace(place, places) : setValue(place, places);
    }
  }

  /// Replaces the message at `place` by a copy of a random message of the same type among `others`, if there is one.
  void replace(Place place, llvm::ArrayRef<Place> others) {
    std::vector<Message *> same;
    for (const Place &other : others)
      if (other.holdsMessage() && other.field->message_type() == place.field->message_type())
        same.push_back(other.child());
    if (same.empty())
      return;
    // Copy the chosen message first, because it may contain the message at `place`.
    std::unique_ptr<Message> copy(place.child()->New());
    copy->CopyFrom(*same[randomBelow(same.size())]);
    place.child()->CopyFrom(*copy);
  }

private:
  /// Clears the field, or removes the element from its repeated field.
  static void erase(Place place) {
    if (place.index < 0)
      return place.reflection()->ClearField(place.message, place.field);
    for (int i = place.index + 1, n = place.reflection()->FieldSize(*place.message, place.field); i < n; ++i)
      place.reflection()->SwapElements(place.message, place.field, i - 1, i);
    place.reflection()->RemoveLast(place.message, place.field);
  }

  /// Exchanges the element with a random element of the same repeated field.
  void swap(Place place) {
    size_t count = place.reflection()->FieldSize(*place.message, place.field);
    place.reflection()->SwapElements(place.message, place.field, place.index, randomBelow(count));
  }

  /// Adds an element to the repeated field of `place`: a copy of the submessage at `place`, or a random value.
  void repeat(Place place) {
    std::unique_ptr<Message> copy;
    if (place.holdsMessage()) {
      copy.reset(place.child()->New());
      copy->CopyFrom(*place.child());
    }
    Place added = append(*place.message, place.field);
    if (copy)
      added.child()->CopyFrom(*copy);
    else
      setValue(added, {});
    if (randomBelow(2))
      swap(added);
  }

  /// Appends an empty element or zero to a repeated field, and returns the place of this element.
  static Place append(Message &message, const FieldDescriptor *field) {
    const Reflection *reflection = message.GetReflection();
    switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      reflection->AddMessage(&message, field);
      break;
    case FieldDescriptor::CPPTYPE_STRING:
      reflection->AddString(&message, field, "");
      break;
    case FieldDescriptor::CPPTYPE_ENUM:
      reflection->AddEnumValue(&message, field, 0);
      break;
    case FieldDescriptor::CPPTYPE_INT32:
      reflection->AddInt32(&message, field, 0);
      break;
    case FieldDescriptor::CPPTYPE_INT64:
      reflection->AddInt64(&message, field, 0);
      break;
    case FieldDescriptor::CPPTYPE_UINT64:
      reflection->AddUInt64(&message, field, 0);
      break;
    case FieldDescriptor::CPPTYPE_FLOAT:
      reflection->AddFloat(&message, field, 0);
      break;
    case FieldDescriptor::CPPTYPE_DOUBLE:
      reflection->AddDouble(&message, field, 0);
      break;
    default: // ONNX has no fields of other types
      return {&message, field, -1};
    }
    return {&message, field, reflection->FieldSize(message, field) - 1};
  }

  /// Sets a random field of the message. If the field is repeated, adds an element to the field instead.
  void addField(Message &message) {
    const FieldDescriptor *field = message.GetDescriptor()->field(randomBelow(message.GetDescriptor()->field_count()));
    Place place = field->is_repeated() ? append(message, field) : Place{&message, field, -1};
    if (place.holdsMessage())
      place.child();
    else
      setValue(place, {});
  }

  /// Returns a random number. Half of the numbers are small. The others are powers of two, limits of integer types, and
  /// the placeholder of a size.
  int64_t number() {
    static const int64_t numbers[] = {0, 1, -1, 2, 3, 4, 7, 8, 16, 64, 127, 4001, 65536, INT32_MAX, INT32_MIN,
                                      INT64_C(1) << 32, INT64_C(1) << 40, INT64_MAX, INT64_MIN};
    return randomBelow(2) ? int64_t(randomBelow(24)) - 4 : numbers[randomBelow(std::size(numbers))];
  }

  /// Returns a new string for `place`: an element of `words`, a string of the same field type among `others`, or the
  /// present string with changed bytes.
  std::string otherString(const Place &place, llvm::ArrayRef<Place> others) {
    bool isBytes = place.field->type() == FieldDescriptor::TYPE_BYTES;
    if (!isBytes && !words.empty() && randomBelow(4) == 0)
      return words[randomBelow(words.size())];
    if (randomBelow(4) && !others.empty())
      for (int i = 0; i < 20; ++i)
        if (const Place &other = others[randomBelow(others.size())]; other.field->type() == place.field->type())
          return other.string();
    std::string bytes = place.string();
    size_t size = bytes.size(), maximum = size + 16;
    bytes.resize(maximum);
    bytes.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(bytes.data()), size, maximum));
    return bytes;
  }

  /// Sets the field or element, which must not hold a message, to a random value. A string may be copied from `others`.
  void setValue(Place place, llvm::ArrayRef<Place> others) {
    static const double floats[] = {0, -0.0, 1, -1, 0.5, 1e-5, 1e30, -1e300, INFINITY, -INFINITY, NAN};
    switch (place.field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return SET(place, String, otherString(place, others));
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto *type = place.field->enum_type();
      return SET(place, EnumValue,
                 randomBelow(8) ? type->value(randomBelow(type->value_count()))->number() : int(number()));
    }
    case FieldDescriptor::CPPTYPE_INT32:
      return SET(place, Int32, int32_t(number()));
    case FieldDescriptor::CPPTYPE_INT64:
      return SET(place, Int64, number());
    case FieldDescriptor::CPPTYPE_UINT64:
      return SET(place, UInt64, uint64_t(number()));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return SET(place, Float, float(floats[randomBelow(std::size(floats))]));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return SET(place, Double, floats[randomBelow(std::size(floats))]);
    default:
      return;
    }
  }

  std::minstd_rand random;
  llvm::ArrayRef<std::string> words;
};

/// Writes the message to `out` and returns its size, or returns 0 if it needs more than `maxSize` bytes.
size_t write(const Message &message, uint8_t *out, size_t maxSize) {
  std::string bytes = message.SerializePartialAsString();
  if (bytes.size() > maxSize)
    return 0;
  llvm::copy(bytes, out);
  return bytes.size();
}
} // namespace

size_t heddle::mutateProto(Message &message, uint8_t *data, size_t size, size_t maxSize, unsigned seed,
                           llvm::ArrayRef<std::string> words) {
  Mutator mutator(seed, words);
  if (mutator.randomBelow(16) == 0 || !message.ParsePartialFromArray(data, int(size)))
    return LLVMFuzzerMutate(data, size, maxSize);
  for (size_t i = 0, changes = 1 + mutator.randomBelow(3); i < changes; ++i)
    mutator.change(message);
  size_t written = write(message, data, maxSize);
  return written ? written : size;
}

size_t heddle::crossProtos(Message &message, llvm::ArrayRef<uint8_t> first, llvm::ArrayRef<uint8_t> second,
                           uint8_t *out, size_t maxSize, unsigned seed) {
  std::unique_ptr<Message> other(message.New());
  if (!message.ParsePartialFromArray(first.data(), int(first.size())) ||
      !other->ParsePartialFromArray(second.data(), int(second.size())))
    return 0;
  Mutator mutator(seed, {});
  std::vector<Place> places, others;
  Mutator::collect(message, places);
  Mutator::collect(*other, others);
  llvm::erase_if(places, [](const Place &place) { return !place.holdsMessage(); });
  if (!places.empty())
    mutator.replace(places[mutator.randomBelow(places.size())], others);
  return write(message, out, maxSize);
}
