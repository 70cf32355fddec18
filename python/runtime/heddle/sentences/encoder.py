"""Embeddings of sentences."""
from __future__ import annotations

import os
from typing import Any, List, Mapping, Optional, Sequence, Union

import numpy as np

from .._types import Array
from ..errors import ArgumentError
from . import _embeddings
from ._base import MAX_TOKENS, TextModel, as_tensors
from ._checks import check_positive, check_texts, listed

_OUTPUT = "sentence_embedding"


class SentenceEncoder(TextModel):
    """A sentence-transformers model from a directory: config.json, model.safetensors, tokenizer.json, modules.json.

        encoder = heddle.SentenceEncoder("all-MiniLM-L6-v2")
        embeddings = encoder.encode(["A sentence.", "Another one."])
        encoder.similarity(embeddings, embeddings)

    The model is compiled for this machine the first time, and found in the cache afterwards.

    directory: the model's directory. Nothing is downloaded.
    library: an .so that was compiled from the directory with ranges of batch_size and sequence_length, for machines
      without a compiler.
    max_seq_length: the maximum number of tokens of a text; None: the directory's value.
    threads: the number of threads; None: one for each physical core.
    prompts, default_prompt_name, similarity_fn_name, truncate_dim: values that replace those of the directory.
    Other arguments, such as precision, calibrate, cpus, strategies and padding, are passed to heddle.compile.
    """

    def __init__(self, directory: Union[str, "os.PathLike[str]"], *, library: Optional[str] = None,
                 max_seq_length: Optional[int] = None, threads: Optional[int] = None,
                 prompts: Optional[Mapping[str, str]] = None, default_prompt_name: Optional[str] = None,
                 similarity_fn_name: Optional[str] = None, truncate_dim: Optional[int] = None, **options: Any):
        super().__init__(directory, _OUTPUT, library=library, max_seq_length=max_seq_length, threads=threads,
                         prompts=prompts, default_prompt_name=default_prompt_name, options=options)
        self.similarity_fn_name = _embeddings.check_similarity(
            similarity_fn_name or self._config.similarity_fn_name or "cosine")
        self.truncate_dim = truncate_dim if truncate_dim is not None else self._config.truncate_dim

    def encode(self, sentences: Union[str, Sequence[str]], prompt_name: Optional[str] = None,
               prompt: Optional[str] = None, batch_size: int = 32, show_progress_bar: Optional[bool] = None,
               output_value: Optional[str] = _OUTPUT, precision: str = "float32", convert_to_numpy: bool = True,
               convert_to_tensor: bool = False, device: Optional[str] = None, normalize_embeddings: bool = False,
               truncate_dim: Optional[int] = None, *, ranges: Any = None) -> Any:
        """Returns the embeddings of sentences, [sentences, dimension], in the order of the sentences; for a single
        sentence [dimension]. Parameters that are not described here have the meaning that they have in
        SentenceTransformer.encode.

        prompt_name: a key of `prompts`, whose text is put before each sentence.
        prompt: the text itself, in place of prompt_name.
        batch_size: the maximum number of sentences of a call of the model; a call with enough tokens to be efficient
          gets no further sentence.
        output_value: only sentence_embedding is supported.
        precision: the type of the result: float32, int8, uint8, or binary or ubinary (eight columns in each byte), as
          sentence-transformers defines them.
        ranges: for int8 and uint8, the smallest and the largest value of each column, [2, dimension]; None: the ranges
          of these embeddings.
        convert_to_tensor: whether to return a torch tensor. If this and convert_to_numpy are false, a list of tensors
          is returned.
        device: the device that the model was compiled for; another one is an error.
        """
        if output_value != _OUTPUT:
            raise ArgumentError(f"output_value: expected {_OUTPUT!r}, found {output_value!r}; to compute other "
                                "outputs, compile the model with them and call it through heddle.load")
        if device not in (None, self.model.device or "cpu"):
            raise ArgumentError(f"device: the model was compiled for {self.model.device or 'cpu'}, found {device!r}")
        check_positive(batch_size, "batch_size")
        _embeddings.quantize(np.empty((0, 8), np.float32), precision)
        single = isinstance(sentences, str)
        texts = self._texts(sentences, self._prompt(prompt, prompt_name))
        width = self._width(truncate_dim)

        def finish(rows: Any) -> Any:
            rows = rows[:, :width]
            return _embeddings.normalize(rows) if normalize_embeddings else rows

        rows = self._runner.run(texts, batch_size, MAX_TOKENS, bool(show_progress_bar), finish,
                                np.empty((0, width), np.float32))
        rows = as_tensors(_embeddings.quantize(rows, precision, ranges), convert_to_numpy, convert_to_tensor)
        return rows[0] if single else rows

    def encode_query(self, sentences: Union[str, Sequence[str]], **options: Any) -> Any:
        """Like encode, with the prompt "query" if the model has this prompt and the caller selects no prompt."""
        return self._encode_as(("query",), sentences, options)

    def encode_document(self, sentences: Union[str, Sequence[str]], **options: Any) -> Any:
        """Like encode, with the prompt "document", "passage" or "corpus" if the model has one of them and the caller
        selects no prompt."""
        return self._encode_as(("document", "passage", "corpus"), sentences, options)

    def _encode_as(self, names: Sequence[str], sentences: Union[str, Sequence[str]], options: Any) -> Any:
        """Calls `encode` with the first prompt of `names` that the model has, unless `options` selects a prompt."""
        if options.get("prompt") is None and options.get("prompt_name") is None:
            options["prompt_name"] = next((name for name in names if name in self.prompts), None)
        return self.encode(sentences, **options)

    def _texts(self, sentences: Any, prompt: str) -> List[str]:
        """Returns the sentences as a list, each with the prompt before it."""
        texts = [sentences] if isinstance(sentences, str) else listed(sentences, "sentences", "text or a list of texts")
        check_texts(texts, "sentences")
        if prompt and not self._config.pools_prompt:
            raise ArgumentError("prompt: this model excludes the prompt from pooling, which is not supported")
        return [prompt + text for text in texts] if prompt else texts

    def _width(self, truncate_dim: Optional[int]) -> int:
        """Returns the dimension of embeddings after truncation. If `truncate_dim` is None, the attribute of the encoder
        applies."""
        width = self._full_dimension()
        wanted = truncate_dim if truncate_dim is not None else self.truncate_dim
        if wanted is None:
            return width
        check_positive(wanted, "truncate_dim")
        return min(int(wanted), width)

    def _full_dimension(self) -> int:
        return next(int(tensor.shape[-1]) for tensor in self.model.outputs if tensor.name == _OUTPUT)

    def get_embedding_dimension(self) -> int:
        """Returns the dimension of the embeddings that `encode` returns by default."""
        return self._width(None)

    get_sentence_embedding_dimension = get_embedding_dimension

    def similarity(self, embeddings1: Any, embeddings2: Any) -> Array:
        """Returns the similarity of each embedding in `embeddings1` with each in `embeddings2`, [first, second],
        according to `similarity_fn_name`."""
        return _embeddings.similarity(embeddings1, embeddings2, self.similarity_fn_name)

    def similarity_pairwise(self, embeddings1: Any, embeddings2: Any) -> Array:
        """Returns the similarity of each embedding in `embeddings1` with the embedding in `embeddings2` at the same
        index."""
        return _embeddings.similarity(embeddings1, embeddings2, self.similarity_fn_name, pairwise=True)
