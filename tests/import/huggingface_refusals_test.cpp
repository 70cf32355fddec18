//===- huggingface_refusals_test.cpp - model directories that are refused -===//
//
// The importer must refuse a directory that it does not support. The error names what is missing or not supported, such
// as a field, a tensor, a file or a size.
//
//===----------------------------------------------------------------------===//

#include "HuggingFaceTest.h"

namespace {

TEST_F(HuggingFace, RefusesSizesThatTheModelDoesNotSupport) {
  EXPECT_TRUE(failed(import(tinyBert, 1, 65)));
  EXPECT_EQ(context.take(), "sequence_length: the model has positions for 1 to 64 tokens, found 65\n");
  EXPECT_TRUE(failed(import(tinyBert, 1 << 21, 1)));
  EXPECT_EQ(context.take(), "batch_size: expected 1 to 1048576, found 2097152\n");
}

TEST_F(HuggingFace, RefusesDirectoriesThatLackFilesOfAModel) {
  EXPECT_EQ(errorOf(dir.file("")), "expected a Hugging Face model, but the directory has no config.json\n");
  dir.write("config.json", R"({"model_type": "nonesuch"})");
  EXPECT_EQ(errorOf(dir.file("")).find("model_type: 'nonesuch' is not supported, only albert, bert, "), 0u);
  dir.write("config.json", smallConfig);
  EXPECT_EQ(errorOf(dir.file("")),
            "expected model.safetensors or model.safetensors.index.json in the directory\n");
  dir.write("model.safetensors.index.json", R"({"weight_map": {"x": "../x.safetensors"}})");
  EXPECT_EQ(errorOf(dir.file("")),
            "weight_map: expected the name of a file in the directory of the model for tensor 'x'\n");
  dir.write("model.safetensors.index.json", "{}");
  EXPECT_EQ(errorOf(dir.file("")), "weight_map: expected an object that maps names of tensors to names of files\n");
}

TEST_F(HuggingFace, RefusesUnsupportedConfigurations) {
  // Returns the errors for smallConfig with the text `from` replaced by `to`.
  auto error = [&](StringRef from, StringRef to) {
    std::string text = smallConfig;
    text.replace(text.find(from), from.size(), to);
    dir.write("config.json", text);
    return errorOf(dir.file(""));
  };
  EXPECT_EQ(error("\"hidden_size\": 4", "\"hidden_size\": \"4\""),
            "hidden_size: expected an integer from 1 to 2147483648, found \"4\"\n");
  EXPECT_EQ(error("\"hidden_size\": 4", "\"hidden_size\": 5"),
            "hidden_size: expected a multiple of num_attention_heads, found 5 and 2\n");
  EXPECT_EQ(error("\"num_hidden_layers\": 1", "\"num_hidden_layers\": 2000000000"),
            "num_hidden_layers: expected at most 65536 layers, found 2000000000\n");
  EXPECT_EQ(error("gelu_new", "quick_gelu"),
            "hidden_act: 'quick_gelu' is not supported, only gelu, gelu_fast, gelu_new, gelu_python, "
            "gelu_pytorch_tanh, linear, relu, silu, swish and tanh\n");
  EXPECT_EQ(error("}", ", \"position_embedding_type\": \"relative_key\"}"),
            "position_embedding_type: 'relative_key' is not supported, only absolute\n");
  EXPECT_EQ(error("}", ", \"is_decoder\": true}"),
            "is_decoder: true is not supported: Heddle imports this family only as encoders\n");
  EXPECT_EQ(error("}", ", \"add_cross_attention\": true}"),
            "add_cross_attention: a model that attends to an encoder is not supported\n");
  EXPECT_EQ(error("}", ", \"quantization_config\": {\"quant_method\": \"nonesuch\"}}"),
            "quantization_config.quant_method: 'nonesuch' is not supported, only compressed-tensors and gptq\n");
  EXPECT_EQ(error("}", ", \"quantization_config\": {\"quant_method\": \"gptq\", \"bits\": 3}}"),
            "quantization_config.bits: 3 bits are not supported, only 4 and 8\n");
  EXPECT_EQ(error("}", ", \"quantization_config\": {\"quant_method\": \"gptq\", \"format\": \"gptq_v2\", "
                       "\"checkpoint_format\": \"gptq\", \"method\": \"qqq\", \"meta\": {\"quantizer\": 1}}}"),
            "quantization_config.format: 'gptq_v2' differs from checkpoint_format, 'gptq'\n"
            "quantization_config.meta.quantizer: expected an array of strings\n"
            "quantization_config.method: 'qqq' differs from quant_method, 'gptq'\n");
  EXPECT_EQ(error("}", ", \"quantization_config\": {\"quant_method\": \"gptq\", \"format\": \"marlin\"}}"),
            "quantization_config.format: 'marlin' is not supported, only gptq and gptq_v2\n");
  EXPECT_EQ(error("}", ", \"quantization_config\": {\"quant_method\": \"gptq\", \"nonesuch\": 1}}"),
            "quantization_config.nonesuch: this field is not known, and may change what the model computes\n");
  EXPECT_EQ(error("}", ", \"quantization_config\": {\"quant_method\": \"compressed-tensors\", \"config_groups\": {}}}"),
            "quantization_config.config_groups: expected one group of layers, found 0\n");
  EXPECT_EQ(error("}", ", \"quantization_config\": {\"quant_method\": \"compressed-tensors\", \"format\": "
                       "\"float-quantized\", \"config_groups\": {\"group_0\": {\"weights\": {\"type\": \"float\", "
                       "\"strategy\": \"channel\"}}}}}"),
            "quantization_config.format: 'float-quantized' is not supported, only int-quantized, naive-quantized and "
            "pack-quantized\n"
            "quantization_config.config_groups.group_0.weights.type: numbers of type 'float' are not supported, only "
            "int\n");
  EXPECT_EQ(error("}", ", \"quantization_config\": {\"quant_method\": \"compressed-tensors\", \"moe_sparsity_config\": "
                       "{\"0\": 1}, \"config_groups\": {}}}"),
            "quantization_config.moe_sparsity_config: sparsity of experts is not supported\n"
            "quantization_config.config_groups: expected one group of layers, found 0\n");
  EXPECT_EQ(error("}", ", \"pruned_heads\": {\"0\": [1]}}"), "pruned_heads: pruned heads are not supported\n");
  EXPECT_EQ(error("}", ", \"architectures\": [\"BertForNonesuch\"]}").find(
                "architectures: 'BertForNonesuch' is not supported, only BertModel"),
            0u);
  EXPECT_EQ(error("}", ", \"architectures\": [\"BertForQuestionAnswering\"], \"num_labels\": 3}"),
            "num_labels: expected 2 labels, the begin and the end of an answer, found 3\n");
  EXPECT_EQ(error("}", ", \"architectures\": \"BertModel\"}"), "architectures: expected an array of strings\n");
  EXPECT_EQ(error("}", ", \"use_cache\": true, \"layer_scale\": 2, \"embedding_scale\": null}"),
            "embedding_scale: this field is not known, and may change what the model computes\n"
            "layer_scale: this field is not known, and may change what the model computes\n");
  EXPECT_EQ(error("}", ", \"hidden_size\": 4}"), "the name 'hidden_size' occurs twice in one JSON object\n");
}

TEST_F(HuggingFace, RefusesWeightsThatContradictTheConfiguration) {
  Shapes shapes = smallShapes();
  shapes.erase("encoder.layer.0.output.dense.bias");
  writeSmallModel(shapes);
  EXPECT_EQ(errorOf(dir.file("")), "the checkpoint has no tensor 'encoder.layer.0.output.dense.bias'\n");
  shapes["encoder.layer.0.output.dense.bias"] = {5};
  writeSmallModel(shapes);
  EXPECT_EQ(errorOf(dir.file("")), "tensor 'encoder.layer.0.output.dense.bias': expected 'tensor<4xf32>' according "
                                   "to config.json, found 'tensor<5xf32>'\n");
  writeTensors("model.safetensors", smallShapes(), Float64Type::get(&context));
  EXPECT_EQ(errorOf(dir.file("")), "tensor 'embeddings.word_embeddings.weight': elements of type 'f64' are not "
                                   "supported, only f32, f16 and bf16\n");
}

TEST_F(HuggingFace, RefusesUnknownPooling) {
  dir.write("config.json", smallConfig);
  dir.write("modules.json", R"([{"path": "2_Dense", "type": "sentence_transformers.models.Dense"}])");
  EXPECT_EQ(errorOf(dir.file("")), "module sentence_transformers.models.Dense is not supported, only Transformer, "
                                   "then Pooling, then Dense, Dropout, LayerNorm and Normalize\n");
  dir.write("modules.json", "{}");
  EXPECT_EQ(errorOf(dir.file("")), "expected a JSON array\n");
  writePooling("\"pooling_mode\": [\"mean\", \"middle\"], \"include_prompt\": false, \"weights\": 1", false);
  EXPECT_EQ(errorOf(dir.file("")), "include_prompt: false is not supported: pooling cannot exclude the prompt\n"
                                   "pooling_mode: 'middle' is not supported\n"
                                   "weights: this field is not known, and may change what the model computes\n");
  writePooling("\"pooling_mode_mean_tokens\": false", false);
  EXPECT_EQ(errorOf(dir.file("")), "pooling_mode_mean_tokens: expected a kind of pooling, found none\n");
  writePooling("\"pooling_mode\": \"lasttoken\"", false);
  EXPECT_EQ(errorOf(dir.file("")),
            "modules.json: the input of the pooling has 64 elements, but the encoder computes 4\n");
}

TEST_F(HuggingFace, RefusesUnsupportedLayersAfterThePooling) {
  auto error = [&](StringRef text) {
    dir.write("config.json", smallConfig);
    llvm::sys::fs::create_directory(dir.file("1_Pooling"));
    llvm::sys::fs::create_directory(dir.file("2_Dense"));
    dir.write("1_Pooling/config.json", R"({"embedding_dimension": 4, "pooling_mode": "cls"})");
    dir.write("2_Dense/config.json", text);
    dir.write("modules.json", R"([{"path": "", "type": "a.Transformer"}, {"path": "1_Pooling", "type": "a.Pooling"},
                                  {"path": "2_Dense", "type": "a.Dense"}])");
    writeTensors("model.safetensors", smallShapes(), Float32Type::get(&context));
    return errorOf(dir.file(""));
  };
  EXPECT_EQ(error(R"({"in_features": 4, "out_features": 2, "activation_function": "torch.nn.modules.activation.Mish",
                      "module_input_name": "token_embeddings"})"),
            "activation_function: 'torch.nn.modules.activation.Mish' is not supported, only activation.GELU, "
            "activation.ReLU, activation.SiLU, activation.Tanh and linear.Identity of torch.nn.modules\n"
            "module_input_name: 'token_embeddings' is not supported, only sentence_embedding\n");
  EXPECT_EQ(error(R"({"in_features": 5, "out_features": 2})"),
            "modules.json: the input of 2_Dense has 5 elements, but the module before it computes 4\n");
  EXPECT_NE(error(R"({"in_features": 4, "out_features": 2})").find("No such file"), std::string::npos);
  writeTensors("2_Dense/model.safetensors", {{"linear.weight", {2, 4}}}, Float32Type::get(&context));
  EXPECT_EQ(error(R"({"in_features": 4, "out_features": 2})"), "the checkpoint has no tensor '2_Dense/linear.bias'\n");
  writeTensors("2_Dense/model.safetensors", {{"linear.weight", {2, 4}}, {"linear.bias", {2}}},
               Float32Type::get(&context));
  EXPECT_TRUE(succeeded(import(dir.file("")))) << context.take();
}

/// If modules.json lists one folder twice, both modules use the weights of this folder.
TEST_F(HuggingFace, ModulesOfOneFolderShareWeights) {
  dir.write("config.json", smallConfig);
  writeTensors("model.safetensors", smallShapes(), Float32Type::get(&context));
  for (StringRef folder : {"1_Pooling", "2_Dense", "3_LayerNorm"})
    llvm::sys::fs::create_directory(dir.file(folder));
  dir.write("1_Pooling/config.json", R"({"embedding_dimension": 4, "pooling_mode": "cls"})");
  dir.write("2_Dense/config.json", R"({"in_features": 4, "out_features": 4})");
  writeTensors("2_Dense/model.safetensors", {{"linear.weight", {4, 4}}, {"linear.bias", {4}}},
               Float32Type::get(&context));
  writeTensors("3_LayerNorm/model.safetensors", {{"norm.weight", {4}}, {"norm.bias", {4}}}, Float32Type::get(&context));
  auto listWith = [&](int64_t dimension) {
    dir.write("3_LayerNorm/config.json", "{\"dimension\": " + std::to_string(dimension) + "}");
    dir.write("modules.json", R"([{"path": "", "type": "a.Transformer"}, {"path": "1_Pooling", "type": "a.Pooling"},
                                  {"path": "2_Dense", "type": "a.Dense"}, {"path": "3_LayerNorm", "type": "a.LayerNorm"},
                                  {"path": "2_Dense", "type": "a.Dense"}])");
  };
  listWith(5);
  EXPECT_EQ(errorOf(dir.file("")),
            "modules.json: the input of 3_LayerNorm has 5 elements, but the module before it computes 4\n");
  listWith(4);
  FailureOr<Model> model = import(dir.file(""));
  ASSERT_TRUE(succeeded(model)) << context.take();
  int64_t count = 0;
  model->module->walk([&](WeightOp weight) { count += weight.getName() == "2_Dense/linear.weight"; });
  EXPECT_EQ(count, 2);
}

} // namespace
