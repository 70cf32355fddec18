"""make_encoders.py [CASE...]: writes small encoders with random weights into the folder of this file, with inputs and
the results that transformers computes in f64.

The files were written with torch 2.15.0, transformers 5.23.0 (sentence-layers: 5.24.0), sentence-transformers 6.2.0 and
safetensors 0.8. Each case is a directory in the format of `save_pretrained`.
"""
import json
import pathlib
import sys
import zlib

import torch
import transformers
from safetensors.torch import save_file
from sentence_transformers.base.modules.dense import Dense
from sentence_transformers.base.modules.normalize import Normalize
from sentence_transformers.sentence_transformer.modules.dropout import Dropout
from sentence_transformers.sentence_transformer.modules.layer_norm import LayerNorm
from sentence_transformers.sentence_transformer.modules.pooling import Pooling

HERE = pathlib.Path(__file__).parent

# The fields of config.json that most cases have in common.
SMALL = dict(vocab_size=31, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24,
             max_position_embeddings=64, initializer_range=0.02)
DISTILBERT = dict(vocab_size=31, dim=16, n_layers=2, n_heads=2, hidden_dim=24, max_position_embeddings=64)

MODERNBERT = dict(SMALL, local_attention=6, pad_token_id=0, bos_token_id=1, eos_token_id=2, cls_token_id=1,
                  sep_token_id=2)
EVERY_MODE = ("lasttoken", "cls", "weightedmean", "max", "mean_sqrt_len_tokens", "mean")

# By case: the class, the fields of its configuration, and how make() saves it (type, shards, further modules, and the
# architecture in config.json).
CASES = {
    "albert": ("AlbertModel", dict(SMALL, embedding_size=8, num_hidden_layers=3, num_hidden_groups=2,
                                   inner_group_num=2), {}),
    "albert-classifier": ("AlbertForSequenceClassification", dict(SMALL, embedding_size=8, num_labels=3), {}),
    "albert-words": ("AlbertForMaskedLM", dict(SMALL, embedding_size=8), {}),
    "albert-pretraining": ("AlbertForPreTraining",
                           dict(SMALL, num_hidden_layers=1, embedding_size=8, num_labels=3), {}),
    "bert-answers": ("BertForQuestionAnswering", dict(SMALL, num_hidden_layers=1, type_vocab_size=3), {}),
    "bert-classifier": ("BertForSequenceClassification", dict(SMALL, num_labels=1), {}),
    "bert-pretraining": ("BertForPreTraining", dict(SMALL, num_hidden_layers=1, hidden_act="gelu_new"), {}),
    "bert-tokens": ("BertForTokenClassification", dict(SMALL, num_hidden_layers=1, hidden_act="relu"), {}),
    "bert-words": ("BertForMaskedLM", dict(SMALL, num_hidden_layers=1, hidden_act="gelu_new"), {}),
    "distilbert": ("DistilBertModel", DISTILBERT, {}),
    "distilbert-answers": ("DistilBertForQuestionAnswering", dict(DISTILBERT, n_layers=1), {}),
    "distilbert-classifier": ("DistilBertForSequenceClassification", dict(DISTILBERT, n_layers=1), {}),
    "distilbert-words": ("DistilBertForMaskedLM", dict(DISTILBERT, n_layers=1, tie_word_embeddings=False), {}),
    "electra": ("ElectraModel", dict(SMALL, embedding_size=8), {}),
    "electra-classifier": ("ElectraForSequenceClassification",
                           dict(SMALL, num_hidden_layers=1, embedding_size=16), {}),
    "electra-pretraining": ("ElectraForPreTraining",
                            dict(SMALL, num_hidden_layers=1, embedding_size=8, hidden_act="relu"), {}),
    "electra-words": ("ElectraForMaskedLM", dict(SMALL, num_hidden_layers=1, embedding_size=8), {}),
    "modernbert": ("ModernBertModel", dict(MODERNBERT, num_hidden_layers=4, norm_bias=True, attention_bias=True), {}),
    "modernbert-answers": ("ModernBertForQuestionAnswering",
                           dict(MODERNBERT, num_hidden_layers=1, classifier_activation="silu"), {}),
    "modernbert-classifier": ("ModernBertForSequenceClassification",
                              dict(MODERNBERT, classifier_pooling="mean", mlp_bias=True), {}),
    "modernbert-tokens": ("ModernBertForTokenClassification", dict(MODERNBERT, classifier_bias=True), {}),
    "modernbert-words": ("ModernBertForMaskedLM", MODERNBERT, dict(dtype=torch.float16)),
    "mpnet": ("MPNetModel", SMALL, {}),
    "mpnet-classifier": ("MPNetForSequenceClassification", dict(SMALL, num_hidden_layers=1), {}),
    "mpnet-words": ("MPNetForMaskedLM", dict(SMALL, num_hidden_layers=1), {}),
    "nomic_bert": ("NomicBertModel", dict(SMALL, num_hidden_layers=1), {}),
    "nomic_bert-classifier": ("NomicBertForSequenceClassification", dict(SMALL, num_hidden_layers=1), {}),
    "nomic_bert-words": ("NomicBertForMaskedLM", dict(SMALL, num_hidden_layers=1), {}),
    "roberta-answers": ("RobertaForQuestionAnswering", dict(SMALL, num_hidden_layers=1, type_vocab_size=1,
                                                            pad_token_id=1), {}),
    "roberta-classifier": ("RobertaForSequenceClassification", dict(SMALL, type_vocab_size=1, pad_token_id=1), {}),
    "roberta-words": ("RobertaForMaskedLM", dict(SMALL, num_hidden_layers=1, type_vocab_size=1), {}),
    "sentence-bert": ("BertModel", dict(SMALL, num_hidden_layers=1),
                      dict(modules=[Pooling(16, EVERY_MODE), Dense(96, 12), Normalize()])),
    "sentence-layers": ("BertModel", dict(SMALL, num_hidden_layers=1),
                        dict(modules=[Pooling(16, "mean"), Dense(16, 24, False, torch.nn.Identity()), LayerNorm(24),
                                      Dropout(0.1), Dense(24, 16, True, torch.nn.GELU()), Normalize(),
                                      Dense(16, 12, True, torch.nn.Identity(), use_residual=True), LayerNorm(12),
                                      Dense(12, 12, True, torch.nn.Tanh(), use_residual=True)])),
    "sentence-mpnet": ("MPNetModel", dict(SMALL, num_hidden_layers=1),
                       dict(architecture="MPNetForMaskedLM",
                            modules=[Pooling(16, "mean"), Dense(16, 16, False, torch.nn.Identity(), use_residual=True),
                                     Normalize()])),
    "xlm-roberta": ("XLMRobertaModel", dict(SMALL, type_vocab_size=1), dict(max_shard_size="8KB")),
    "xlm-roberta-tokens": ("XLMRobertaForTokenClassification", dict(SMALL, num_hidden_layers=1, type_vocab_size=1,
                                                                   num_labels=5), dict(dtype=torch.bfloat16)),
}


def randomize(model, generator):
    """Sets random weights: attention scores become uneven, biases differ from 0, and weights of norms differ from 1."""
    for name, weight in sorted(model.named_parameters()):
        noise = torch.randn(weight.shape, generator=generator)
        if weight.dim() > 1:
            weight.data = noise * (1.6 / weight.shape[-1] ** 0.5)
        else:
            norm = name.endswith("weight")
            weight.data = noise * 0.3 + (1 if norm else 0)


def make_inputs(config, generator):
    """Returns three sentences: without padding, padded on the right, and padded on the left, with the model's pad
    token."""
    lengths, longest = (13, 8, 9), 13
    pad = config.pad_token_id or 0
    ids = torch.full((len(lengths), longest), pad)
    mask = torch.zeros_like(ids)
    for row, length in enumerate(lengths):
        first = longest - length if row == 2 else 0
        ids[row, first:first + length] = torch.randint(3, config.vocab_size, (length,), generator=generator)
        mask[row, first:first + length] = 1
    inputs = {"input_ids": ids, "attention_mask": mask}
    if getattr(config, "type_vocab_size", 0) > 1:
        inputs["token_type_ids"] = torch.randint(0, config.type_vocab_size, ids.shape, generator=generator) * mask
    return inputs


def save_modules(directory, modules):
    """Writes the modules and modules.json as SentenceTransformer.save() does."""
    listed = [("", "sentence_transformers.models.Transformer")]
    for index, module in enumerate(modules, 1):
        name = type(module).__name__
        (directory / f"{index}_{name}").mkdir(exist_ok=True)
        module.save(str(directory / f"{index}_{name}"))
        listed.append((f"{index}_{name}", f"{type(module).__module__}.{name}"))
    text = [dict(idx=index, name=str(index), path=path, type=kind) for index, (path, kind) in enumerate(listed)]
    (directory / "modules.json").write_text(json.dumps(text, indent=2))


def embed(modules, tokens, mask):
    features = {"token_embeddings": tokens, "attention_mask": mask}
    for module in modules:
        features = module.double().eval()(features)
    return features["sentence_embedding"]


def make(case):
    class_name, fields, save = CASES[case]
    generator = torch.Generator().manual_seed(zlib.crc32(case.encode()))
    model_class = getattr(transformers, class_name)
    model = model_class(model_class.config_class(**fields)).eval()
    randomize(model, generator)
    model.tie_weights()
    save = dict(save)
    modules = save.pop("modules", [])
    for module in modules:
        randomize(module, generator)
    architecture = save.pop("architecture", None)
    model.to(save.pop("dtype", torch.float32))
    directory = HERE / case
    model.save_pretrained(directory, **save)
    if architecture:
        config = json.loads((directory / "config.json").read_text())
        (directory / "config.json").write_text(json.dumps(config | {"architectures": [architecture]}, indent=2) + "\n")
    if modules:
        save_modules(directory, modules)
    inputs = make_inputs(model.config, generator)
    with torch.no_grad():
        # Read the model from the directory: its weights are then rounded as in the file, and tables that it computes
        # are in f64.
        outputs = model_class.from_pretrained(directory, dtype=torch.float64).eval()(**inputs)
        expected = {name: value for name, value in outputs.items() if name == "last_hidden_state" or "logits" in name}
        if modules:
            expected["sentence_embedding"] = embed(modules, outputs["last_hidden_state"], inputs["attention_mask"])
    save_file(inputs, directory / "inputs.safetensors")
    save_file({name: value.float().contiguous() for name, value in expected.items()},
              directory / "expected.safetensors")
    print(f"{case}:", sum(file.stat().st_size for file in directory.rglob("*")), "bytes")


for case in sys.argv[1:] or CASES:
    make(case)
