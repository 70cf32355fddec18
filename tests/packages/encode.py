"""encode.py DIRECTORY: with the installed wheels, encodes sentences with the model all-MiniLM-L6-v2 in DIRECTORY.
Compares their similarities, to four decimal places, with those in the quickstart of sentence-transformers'
documentation."""
import sys

import heddle

encoder = heddle.SentenceEncoder(sys.argv[1])
embeddings = encoder.encode(["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."])
similarities = encoder.similarity(embeddings, embeddings)

print(heddle.__file__, similarities, sep="\n")
documented = [[1, 0.6660, 0.1046], [0.6660, 1, 0.1411], [0.1046, 0.1411, 1]]
assert "site-packages" in heddle.__file__
assert embeddings.shape == (3, 384)
assert abs(similarities - documented).max() <= 0.51e-4
