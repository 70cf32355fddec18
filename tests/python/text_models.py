"""Writes small models with tokenizers for tests with texts: the model examples/data/tiny-bert with a vocabulary of
words that the tests use."""
import json
import shutil

import numpy as np

import support

WORDS = ("the cat sleeps in warm sun a man plays guitar on stage share prices fell sharply this morning kitten is napping "
         "window someone performs music for crowd stock market lost lot of value today query passage :").split()
SPECIAL = ["[PAD]", "[CLS]", "[SEP]", "[UNK]"]


def write_tokenizer(folder):
    """Writes tokenizer.json with the vocabulary SPECIAL and WORDS, and returns the ids by word."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    vocabulary = {word: i for i, word in enumerate(SPECIAL + WORDS)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)])
    tokenizer.save(str(folder / "tokenizer.json"))
    return vocabulary


def sentence_encoder(folder, **config):
    """Writes an encoder with the vocabulary SPECIAL and WORDS, and returns its directory. `config` is the contents of
    config_sentence_transformers.json."""
    model = folder / "encoder"
    shutil.copytree(support.TINY_BERT, model)
    write_tokenizer(model)
    (model / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 24, "do_lower_case": False}))
    (model / "config_sentence_transformers.json").write_text(json.dumps(config))
    return model


def cross_encoder(folder, labels, **config):
    """Writes a classifier of pairs of texts with `labels` scores for each pair, whose head has random weights. Returns
    its directory. `config` contains further entries of config.json."""
    model = folder / f"classifier-{labels}"
    shutil.copytree(support.TINY_BERT, model, ignore=shutil.ignore_patterns("modules.json", "1_Pooling"))
    write_tokenizer(model)
    read = json.loads((model / "config.json").read_text())
    names = {str(i): f"LABEL_{i}" for i in range(labels)}
    read.update({"architectures": ["BertForSequenceClassification"], "id2label": names,
                 "label2id": {name: int(i) for i, name in names.items()}, **config})
    (model / "config.json").write_text(json.dumps(read))
    tensors = support.read_safetensors(model / "model.safetensors")
    random = np.random.default_rng(5)
    tensors = {name if name.startswith("bert.") else f"bert.{name}": value for name, value in tensors.items()}
    for name, shape in (("bert.pooler.dense.weight", (64, 64)), ("bert.pooler.dense.bias", (64,)),
                        ("classifier.weight", (labels, 64)), ("classifier.bias", (labels,))):
        tensors.setdefault(name, random.standard_normal(shape).astype(np.float32))
    support.write_safetensors(model / "model.safetensors", tensors)
    return model


def random_sentences(count, longest, seed):
    """Returns sentences of 1 to `longest` random words."""
    random = np.random.default_rng(seed)
    return [" ".join(random.choice(WORDS, random.integers(1, longest + 1))) for _ in range(count)]
