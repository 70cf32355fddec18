"""Scores of pairs of texts."""
from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from ..errors import ArgumentError
from ._base import MAX_TOKENS, TextModel, as_tensors
from ._checks import check_positive, check_text, check_texts, listed

_OUTPUT = "logits"
Pair = Sequence[str]


def _sigmoid(scores: Any) -> Any:
    return (0.5 * (1 + np.tanh(0.5 * scores.astype(np.float64)))).astype(scores.dtype)


def _identity(scores: Any) -> Any:
    return scores


class CrossEncoder(TextModel):
    """A classifier of pairs, such as a reranker, from its directory.

        heddle.CrossEncoder("ms-marco-MiniLM-L6-v2").predict([("a question", "a passage"), ...])

    directory, library, threads and other arguments are as in SentenceEncoder.
    max_length: the maximum number of tokens of a pair; None: the directory's value.
    activation_fn: the function that is applied to the scores; None: the directory's function, or else the logistic
      function for models with one score for each pair, and no function for several scores.
    """

    def __init__(self, directory: Union[str, "os.PathLike[str]"], *, library: Optional[str] = None,
                 max_length: Optional[int] = None, threads: Optional[int] = None,
                 activation_fn: Optional[Callable[[Any], Any]] = None, **options: Any):
        super().__init__(directory, _OUTPUT, library=library, max_seq_length=max_length, threads=threads, prompts={},
                         default_prompt_name=None, options=options)
        shape = next(tensor.shape for tensor in self.model.outputs if tensor.name == _OUTPUT)
        if len(shape) != 2 or not isinstance(shape[1], int):
            self.close()
            raise ArgumentError(f"{self._config.directory}: expected a classifier of sequences, found an output "
                                f"logits of shape {list(shape)}")
        self.num_labels = shape[1]  # the number of scores for each pair
        self.activation_fn = activation_fn or self._default_activation()

    def _default_activation(self) -> Callable[[Any], Any]:
        """Returns the function that config.json names, or else the logistic function for one score and the identity for
        several."""
        config = self._config.model
        told = (config.take("sentence_transformers", dict) or {}).get("activation_fn") or config.take(
            "sbert_ce_default_activation_function", str)
        name = str(told).rpartition(".")[2] if told else "Sigmoid" if self.num_labels == 1 else "Identity"
        if name not in ("Sigmoid", "Identity"):
            raise ArgumentError(f"{self._config.directory}: its activation {told} is unknown; pass activation_fn")
        return _sigmoid if name == "Sigmoid" else _identity

    def predict(self, sentences: Union[Pair, Sequence[Pair]], batch_size: int = 32,
                show_progress_bar: Optional[bool] = None, activation_fn: Optional[Callable[[Any], Any]] = None,
                apply_softmax: bool = False, convert_to_numpy: bool = True, convert_to_tensor: bool = False) -> Any:
        """Returns the scores of pairs, in the order of the pairs: [pairs] if the model has one score, otherwise
        [pairs, scores]. The result for a single pair has no first dimension.

        apply_softmax: whether a softmax over the scores of each pair follows activation_fn.
        Other parameters are as in SentenceEncoder.encode.
        """
        check_positive(batch_size, "batch_size")
        single = self._is_pair(sentences)
        pairs = self._pairs([sentences] if single else sentences)
        activation = activation_fn or self.activation_fn

        def finish(rows: Any) -> Any:
            scores = activation(rows)
            if apply_softmax and self.num_labels > 1:
                powers = np.exp(scores - scores.max(axis=1, keepdims=True))
                scores = powers / powers.sum(axis=1, keepdims=True)
            return scores[:, 0] if self.num_labels == 1 else scores

        shape: Tuple[int, ...] = (0,) if self.num_labels == 1 else (0, self.num_labels)
        rows = self._runner.run(pairs, batch_size, MAX_TOKENS, bool(show_progress_bar), finish, np.empty(shape, np.float32))
        rows = as_tensors(rows, convert_to_numpy, convert_to_tensor)
        return rows[0] if single else rows

    def rank(self, query: str, documents: Sequence[str], top_k: Optional[int] = None, return_documents: bool = False,
             batch_size: int = 32, show_progress_bar: Optional[bool] = None,
             activation_fn: Optional[Callable[[Any], Any]] = None) -> List[Dict[str, Any]]:
        """Returns a dict for each document, or only for the best `top_k`, by descending score. Its keys are "corpus_id"
        (the index in `documents`), "score" and, if return_documents is true, "text"."""
        if self.num_labels != 1:
            raise ArgumentError(f"rank: expected a model with one score for each pair, found {self.num_labels} scores")
        check_text(query, "query")
        documents = listed(documents, "documents", "a list of texts")
        check_texts(documents, "documents")
        if top_k is not None:
            check_positive(top_k, "top_k")
        scores = self.predict([(query, document) for document in documents], batch_size, show_progress_bar, activation_fn)
        order = np.argsort(-scores, kind="stable")[:top_k]
        return [{"corpus_id": int(i), "score": float(scores[i]), **({"text": documents[i]} if return_documents else {})}
                for i in order]

    @staticmethod
    def _is_pair(sentences: Any) -> bool:
        return isinstance(sentences, (tuple, list)) and bool(sentences) and isinstance(sentences[0], str)

    @staticmethod
    def _pairs(sentences: Any) -> List[Tuple[str, str]]:
        """Returns the pairs as tuples. Raises ArgumentError if one is not a pair of texts."""
        pairs = []
        for i, pair in enumerate(listed(sentences, "sentences", "pairs of texts")):
            if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                count = f" of {len(pair)}" if isinstance(pair, (tuple, list)) else ""
                raise ArgumentError(f"sentences[{i}]: expected a pair of texts, found {type(pair).__name__}{count}")
            check_texts(pair, f"sentences[{i}]")
            pairs.append((pair[0], pair[1]))
        return pairs
