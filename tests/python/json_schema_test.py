"""The example 14-json-schema: a model with random weights writes JSON that matches a schema."""
import json
import sys
import unittest

import heddle
import support
import talking_models

sys.path.insert(0, str(support.ROOT / "examples" / "14-json-schema"))
try:
    import answer
except ImportError:
    answer = None

SCHEMA = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 4}, "age": {"type": "integer", "minimum": 0,
                                                                                               "maximum": 99}},
          "required": ["name", "age"], "additionalProperties": False}


@support.needs_tokenizers
@unittest.skipUnless(answer, "the package llguidance is missing: PyPI did not answer")
class JsonSchema(talking_models.Talking):
    def test_answers_match(self):
        found = set()
        for seed in range(5):
            schema = answer.Schema(self.model, json.dumps(SCHEMA))
            text = self.model.generate("the cat", 150, temperature=0.7, seed=seed, logits_processor=schema)
            read = json.loads(text)
            self.assertEqual(set(read), {"name", "age"})
            self.assertIs(type(read["age"]), int)
            self.assertTrue(0 <= read["age"] <= 99 and len(read["name"]) <= 4)
            found.add(text)
        self.assertGreater(len(found), 1)
        self.assertNotIn('{"', self.model.generate("the cat", 20))
        with self.check(heddle.ArgumentError, "the schema: "):
            answer.Schema(self.model, '{"type": "unheard-of"}')


support.main()
