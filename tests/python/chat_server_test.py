"""The example 12-chat-server: answers of a small model through the interface of OpenAI, and requests that are refused."""
import concurrent.futures
import http.client
import json
import socket
import sys
import threading
import unittest.mock

import heddle
import support
import talking_models

sys.path.insert(0, str(support.ROOT / "examples" / "12-chat-server"))
import server as example  # noqa: E402

QUESTION = [{"role": "user", "content": "the cat sleeps"}]
GREEDY = {"messages": QUESTION, "temperature": 0, "max_tokens": 12}


class Quiet(example.Handler):
    def log_message(self, *unused):
        pass


@support.needs_jinja
@support.needs_tokenizers
class Server(talking_models.Talking):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = example.serve(cls.model, "talking", "127.0.0.1", 0)
        cls.server.RequestHandlerClass = Quiet
        # Connections inherit the small buffer, so a write blocks if the client does not read.
        cls.server.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        thread = threading.Thread(target=cls.server.serve_forever)
        thread.start()
        cls.addClassCleanup(thread.join)
        cls.addClassCleanup(cls.server.server_close)
        cls.addClassCleanup(cls.server.shutdown)

    def request(self, content, method="POST", path="/v1/chat/completions"):
        """Returns the status, the type of the answer, and its bytes."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=20)
        try:
            connection.request(method, path, content if isinstance(content, (bytes, type(None))) else json.dumps(content))
            found = connection.getresponse()
            return found.status, found.getheader("Content-Type"), found.read()
        finally:
            connection.close()

    def answer(self, **more):
        status, kind, content = self.request({**GREEDY, **more})
        self.assertEqual((status, kind), (200, "application/json"), content)
        return json.loads(content)

    def events(self, **more):
        status, kind, content = self.request({**GREEDY, "stream": True, **more})
        self.assertEqual((status, kind), (200, "text/event-stream"), content)
        lines = content.decode().split("\n\n")
        self.assertEqual(lines[-2:], ["data: [DONE]", ""])
        return [json.loads(line[len("data: "):]) for line in lines[:-2]]

    def test_answers(self):
        text = self.model.chat(QUESTION, 12)
        found = self.answer()
        prompt = len(self.model.chat_prompt(QUESTION))
        self.assertEqual(found["choices"], [{"index": 0, "message": {"role": "assistant", "content": text},
                                             "finish_reason": "length", "logprobs": None}])
        self.assertEqual(found["usage"], {"prompt_tokens": prompt, "completion_tokens": 12, "total_tokens": prompt + 12})
        self.assertEqual((found["object"], found["model"]), ("chat.completion", "talking"))
        chunks = self.events(stream_options={"include_usage": True})
        self.assertEqual("".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks[:-1]), text)
        self.assertEqual([chunk["choices"][0]["finish_reason"] for chunk in chunks[:-1]], [None] * (len(chunks) - 2) + ["length"])
        self.assertEqual((chunks[-1]["choices"], chunks[-1]["usage"]), ([], found["usage"]))
        self.assertEqual(len({chunk["id"] for chunk in chunks}), 1)

    def test_parameters(self):
        options = {"temperature": 1.5, "top_p": 0.9, "seed": 3, "presence_penalty": 0.5}
        wanted = self.model.chat(QUESTION, 12, penalty_tokens=-1, **options)
        self.assertEqual(self.answer(**options)["choices"][0]["message"]["content"], wanted)
        stopped = self.answer(**options, stop=[wanted[3:5]])["choices"][0]
        self.assertEqual((stopped["message"]["content"], stopped["finish_reason"]), (wanted[:wanted.find(wanted[3:5])], "stop"))
        for found in (self.answer(logprobs=True, top_logprobs=2)["choices"][0]["logprobs"]["content"],
                      [entry for chunk in self.events(logprobs=True, top_logprobs=2)
                       for entry in (chunk["choices"][0]["logprobs"] or {"content": []})["content"]]):
            self.assertEqual(len(found), 12)
            self.assertTrue(all(entry["logprob"] == entry["top_logprobs"][0]["logprob"] for entry in found))
            self.assertTrue(all(len(entry["top_logprobs"]) == 2 for entry in found))

    def test_forms_of_requests(self):
        text = self.model.chat(QUESTION, 12)
        parts = [{"role": "user", "content": [{"type": "text", "text": "the cat "}, {"type": "text", "text": "sleeps"}]}]
        self.assertEqual(self.answer(messages=parts)["choices"][0]["message"]["content"], text)
        # An empty list of stop texts does not remove the tokens that end an answer.
        options = {"temperature": 2.0, "max_tokens": None}
        done = next(done for seed in range(9) for done in [self.answer(**options, seed=seed, stop=[])["choices"][0]]
                    if done["finish_reason"] == "stop")
        self.assertIsInstance(done["message"]["content"], str)

    def test_a_client_that_does_not_read(self):
        """A client that does not read its answer delays other clients by at most the server's timeout."""
        with unittest.mock.patch.object(Quiet, "timeout", 0.5):
            lazy = socket.socket()
            self.addCleanup(lazy.close)
            lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            lazy.connect(("127.0.0.1", self.server.server_port))
            content = json.dumps({**GREEDY, "max_tokens": None, "stream": True, "logprobs": True, "top_logprobs": 20}).encode()
            lazy.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(content) + content)
            self.assertEqual(self.answer()["choices"][0]["finish_reason"], "length")

    def test_models(self):
        status, _, content = self.request(None, "GET", "/v1/models")
        self.assertEqual((status, [entry["id"] for entry in json.loads(content)["data"]]), (200, ["talking"]))

    def test_concurrent_requests(self):
        questions = [[{"role": "user", "content": word}] for word in ("the", "cat", "12", "sun")]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda messages: self.answer(messages=messages), questions))
        self.assertEqual([one["choices"][0]["message"]["content"] for one in found],
                         [self.model.chat(messages, 12) for messages in questions])

    def test_a_client_that_leaves(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=60)
        connection.request("POST", "/v1/chat/completions", json.dumps({**GREEDY, "max_tokens": 100, "stream": True}))
        connection.close()
        self.assertEqual(self.answer()["choices"][0]["message"]["content"], self.model.chat(QUESTION, 12))

    def test_refusals(self):
        def refused(pattern, content, status=400, **options):
            found, _, body = self.request(content, **options)
            self.assertEqual(found, status, body)
            self.assertRegex(json.loads(body)["error"]["message"], pattern)

        refused("there is no such path", GREEDY, 404, path="/v1/other")
        refused("there is no such path", None, 404, method="GET", path="/")
        refused("Expecting property name", b"{")
        refused("can't decode byte", b"\xff\xfe\xff")
        refused("expected a JSON object with messages", [])
        refused("expected a JSON object with messages", {})
        refused("messages: there are none", {"messages": []})
        refused(r"messages\[0\]: expected a dict with role and content", {"messages": [1]})
        refused("temperature: wrong type, found 'hot'", {**GREEDY, "temperature": "hot"})
        refused("temperature: expected a number of at least 0, found -1", {**GREEDY, "temperature": -1})
        refused("temperature: expected a number of at least 0, found -1", {**GREEDY, "temperature": -1, "stream": True})
        refused("max_tokens: wrong type, found True", {**GREEDY, "max_tokens": True})
        refused("max_tokens: expected a positive number, found -2", {**GREEDY, "max_tokens": -2})
        refused("n: this parameter, or its value 2, is not supported", {**GREEDY, "n": 2})
        refused("logit_bias: this parameter", {**GREEDY, "logit_bias": {"1": 2}})
        refused("top_logprobs: expected 0 to 20, found 21", {**GREEDY, "logprobs": True, "top_logprobs": 21})
        refused("max_tokens: expected a positive number, found 0", {**GREEDY, "max_completion_tokens": 0})
        refused("seed: expected a whole number", {**GREEDY, "seed": -1})
        refused("temperature: expected a number", b'{"messages": [{"role": "user", "content": "a"}], "temperature": 1' + b"0" * 400 + b"}")
        refused("messages: only parts of the type text are supported",
                {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]})
        refused("stop: expected text or a list of texts", {**GREEDY, "stop": [3]})
        refused("too many; a sequence may have at most", {"messages": [{"role": "user", "content": "12 " * 200}]})
        with unittest.mock.patch.object(self.server.service, "begin", side_effect=KeyError("x")):
            refused("KeyError: 'x'", GREEDY, 500)

        def broken():
            yield "piece"
            raise heddle.CallError("the call failed")
        stream = unittest.mock.MagicMock(completion=heddle.Completion(1), __next__=lambda self, steps=broken(): next(steps))
        with unittest.mock.patch.object(self.server.service, "begin", return_value=stream):
            self.assertIn(b"the call failed", self.request({**GREEDY, "stream": True})[2])
        self.assertEqual(self.answer(n=1, user="x", store=None)["choices"][0]["finish_reason"], "length")


support.main()
