//===- huggingface_fields_test.cpp - fields that change a model -----------===//
//
// For each model directory, tests/data/huggingface/fields.json lists the fields of config.json that change the results
// of transformers, each with a value that changes the results. If a field is set to this value, the import must fail or
// produce another module.
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "ModelDirectories.h"
#include "TempDir.h"

#include "heddle/Import.h"
#include "heddle/Json.h"

#include "../../compiler/import/huggingface/CommonFields.h"
#include "../../compiler/import/huggingface/Families.h"

#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

#include <fstream>
#include <map>

using namespace heddle;
using namespace mlir;

namespace {


llvm::json::Object readObject(TestContext &context, const std::string &path) {
  FailureOr<llvm::json::Object> object = readJsonObject(context, path);
  EXPECT_TRUE(succeeded(object)) << context.take();
  return succeeded(object) ? std::move(*object) : llvm::json::Object();
}

/// Returns the names of the model directories that fields.json contains.
std::vector<std::string> configurations() {
  TestContext context;
  std::vector<std::string> names;
  for (const auto &entry : readObject(context, modelDirectories + "fields.json"))
    names.push_back(StringRef(entry.first).str());
  llvm::sort(names);
  return names;
}

/// Sets the field `name` of the object. A name such as "field.inner" means a field of a nested object.
void set(llvm::json::Object &object, StringRef name, const llvm::json::Value &value) {
  auto [first, rest] = name.split('.');
  if (rest.empty()) {
    object[first] = value;
    return;
  }
  llvm::json::Value &inner = object[first];
  if (!inner.getAsObject())
    inner = llvm::json::Object();
  set(*inner.getAsObject(), rest, value);
}

struct HuggingFaceFields : testing::TestWithParam<std::string> {};

TEST_P(HuggingFaceFields, FieldsThatChangeResultsAreNotIgnored) {
  TestContext context;
  TempDir dir;
  const std::string source = modelDirectories + GetParam();
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(source, error), end; it != end && !error; it.increment(error))
    if (StringRef file = llvm::sys::path::filename(it->path()); file.starts_with("model"))
      llvm::sys::fs::create_link(it->path(), dir.file(file));
  ImportOptions options;
  options.dims = {{"batch_size", 2}, {"sequence_length", 15}};
  // Returns the module as a text, or "" if the import fails.
  auto import = [&](const llvm::json::Object &config) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << llvm::json::Value(llvm::json::Object(config));
    dir.write("config.json", text);
    FailureOr<Model> model = importModel(context, dir.file(""), options);
    text.clear();
    if (succeeded(model))
      stream << **model->module;
    return text;
  };
  llvm::json::Object config = readObject(context, source + "/config.json");
  const std::string expected = import(config);
  ASSERT_FALSE(expected.empty()) << context.take();

  llvm::json::Object all = readObject(context, modelDirectories + "fields.json");
  const llvm::json::Object *fields = all.getObject(GetParam());
  ASSERT_TRUE(fields && fields->size() > 5);
  for (const auto &[field, value] : *fields) {
    llvm::json::Object changed = config;
    set(changed, field, value);
    std::string text = import(changed);
    std::string message = context.take();
    EXPECT_NE(text, expected) << StringRef(field).str() << " is ignored";
    EXPECT_NE(text.empty(), message.empty()) << StringRef(field).str() << ": " << message;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, HuggingFaceFields, testing::ValuesIn(configurations()), [](const auto &info) {
  std::string name = info.param;
  std::replace_if(name.begin(), name.end(), [](char c) { return !llvm::isAlnum(c); }, '_');
  return name;
});

/// FIELDS.md must contain, for each family, the fields that the importer reads from the config.json files of the tests.
TEST(HuggingFaceFieldsList, ContainsAllFieldsThatAreRead) {
  TestContext context;
  std::map<std::string, std::set<std::string>> read;
  for (const std::string &name : configurations()) {
    llvm::json::Object object = readObject(context, modelDirectories + name + "/config.json");
    Config config(UnknownLoc::get(&context), object);
    std::string type = config.string("model_type", "").str();
    std::string architecture = config.strings("architectures").front();
    readCommonFields(config);
    const FamilyEntry *entry =
        llvm::find_if(getFamilies(), [&](const FamilyEntry &entry) { return entry.modelType == type; });
    ASSERT_NE(entry, getFamilies().end()) << type;
    const auto *head = llvm::find_if(entry->architectures, [&](const auto &head) { return head.first == architecture; });
    ASSERT_NE(head, entry->architectures.end()) << architecture;
    entry->make()->read(config, head->second);
    EXPECT_FALSE(config.failed()) << context.take();
    read[type].insert(config.getRead().begin(), config.getRead().end());
  }
  EXPECT_EQ(read.size(), getFamilies().size()) << "a family has no case";
  std::string text =
      "# Fields of config.json that are read\n\nThe list of a family contains the fields that the importer reads "
      "from the config.json files of the tests; models with\nother heads, and older files, may need more. "
      "Fields that do not change the results (CommonFields.cpp, and `ignore` in\nthe file of a family) are ignored. "
      "Any other field that the importer does not read is an error. Every family may have a\n"
      "`quantization_config` (Quantization.cpp).\n";
  for (const auto &[type, fields] : read)
    text += "\n## " + type + "\n\n" + llvm::join(fields, ", ") + "\n";
  std::ifstream file(std::string(HEDDLE_TEST_DATA) + "/../../compiler/import/huggingface/FIELDS.md");
  std::string listed((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(listed, text) << "compiler/import/huggingface/FIELDS.md should be:\n" << text;
}

} // namespace
