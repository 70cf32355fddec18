#!/usr/bin/env python3
"""Serves a language model with the interface of OpenAI, for programs that are written for it:

  server.py MODEL [--port N] [--host ADDRESS] [--precision P] [--state-precision P] [--threads N]

MODEL: a .gguf file or the directory of a model with a chat template. It is compiled the first time.

The paths are /v1/models and /v1/chat/completions, which supports "stream" and "logprobs". Requests are answered one
after another. They share one cache of keys and values, so the next question of a conversation costs no more than its
own tokens as long as no other conversation comes in between. The server needs only the standard library and
`pip install heddle 'heddle-runtime[text]'`.
"""
import argparse
import http.server
import json
import sys
import threading
import time
import uuid

import heddle

# The parameters of a request that become arguments of LanguageModel.stream_chat, with their JSON types.
NUMBER, WHOLE, FLAG = (int, float), int, bool
ARGUMENTS = {"temperature": NUMBER, "top_p": NUMBER, "top_k": WHOLE, "min_p": NUMBER, "repetition_penalty": NUMBER,
             "presence_penalty": NUMBER, "frequency_penalty": NUMBER, "seed": WHOLE, "stop": (str, list), "tools": list}
OTHERS = {"messages": list, "max_tokens": WHOLE, "max_completion_tokens": WHOLE, "stream": FLAG, "logprobs": FLAG,
          "top_logprobs": WHOLE, "stream_options": dict}
IGNORED = {"model", "user", "metadata", "store"}  # these do not change the answer
FIXED = {"n": 1, "response_format": {"type": "text"}}  # these must have the only value that is supported
LARGEST = 16 << 20  # the maximum number of bytes of a request
MOST_LOGPROBS = 20  # the maximum of top_logprobs, as in OpenAI's interface


class BadRequest(Exception):
    """A request is not valid; the message says why."""


def arguments_of(request):
    """Returns the arguments of stream_chat for a request. Raises BadRequest if it has a parameter that is unknown or has a
    wrong type."""
    if not isinstance(request, dict) or "messages" not in request:
        raise BadRequest("expected a JSON object with messages")
    for name, value in request.items():
        kind = {**ARGUMENTS, **OTHERS}.get(name)
        if name in IGNORED or value is None:
            continue
        if kind is None and value != FIXED.get(name, object()):
            raise BadRequest(f"{name}: this parameter, or its value {value!r:.60}, is not supported")
        if kind is not None and (not isinstance(value, kind) or (isinstance(value, bool) and kind is not FLAG)):
            raise BadRequest(f"{name}: wrong type, found {value!r:.60}")
    found = {name: request[name] for name in ARGUMENTS if request.get(name) not in (None, [])}
    if not all(isinstance(stop, str) for stop in found.get("stop", ())):
        raise BadRequest("stop: expected text or a list of texts")
    found.setdefault("temperature", 1)
    most = next((request[name] for name in ("max_completion_tokens", "max_tokens") if request.get(name) is not None), None)
    top = request.get("top_logprobs") or 0
    if not 0 <= top <= MOST_LOGPROBS:
        raise BadRequest(f"top_logprobs: expected 0 to {MOST_LOGPROBS}, found {top}")
    return {**found, "messages": [plain(message) for message in request["messages"]], "max_tokens": most,
            "penalty_tokens": -1, "logprobs": top if request.get("logprobs") else None}


def plain(message):
    """Returns a message whose content is text, although the request may contain a list of parts."""
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return message
    for part in content:
        if not isinstance(part, dict) or part.get("type") != "text" or not isinstance(part.get("text"), str):
            raise BadRequest(f"messages: only parts of the type text are supported, found {part!r:.60}")
    return {**message, "content": "".join(part["text"] for part in content)}


class Service:
    """Answers requests with a model, one after another."""

    def __init__(self, model, name):
        self.model, self.name = model, name
        self.cache, self.lock = heddle.PromptCache(), threading.Lock()

    def begin(self, request):
        """Returns the stream of an answer. The caller must hold the lock until the stream has ended."""
        return self.model.stream_chat(cache=self.cache, **arguments_of(request))

    def head(self, kind):
        return {"id": f"chatcmpl-{uuid.uuid4().hex}", "object": kind, "created": int(time.time()), "model": self.name}

    def logprobs(self, choices):
        """Returns the log-probabilities of tokens in the form of OpenAI; None if there are none."""
        if not choices:
            return None

        def entry(token, logprob):
            text = self.model.tokenizer.decode([token], skip_special=False)
            return {"token": text, "logprob": logprob, "bytes": None if "\ufffd" in text else list(text.encode())}
        return {"content": [{**entry(choice.token, choice.logprob), "top_logprobs": [entry(*other) for other in choice.top]}
                            for choice in choices]}

    @staticmethod
    def usage(completion):
        counts = completion.prompt_tokens, len(completion.tokens)
        return dict(zip(("prompt_tokens", "completion_tokens", "total_tokens"), (*counts, sum(counts))))


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers one connection. The server has the attribute `service`."""
    protocol_version = "HTTP/1.1"
    timeout = 30  # seconds; a client that does not read its answer must not keep others waiting

    def do_GET(self):
        if self.path != "/v1/models":
            return self.send(404, self.error(f"{self.path}: there is no such path"))
        name = self.server.service.name
        self.send(200, {"object": "list", "data": [{"id": name, "object": "model", "created": 0, "owned_by": "heddle"}]})

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdecimal() and len(length) < 10 and int(length) <= LARGEST):
            self.close_connection = True
            return self.send(400, self.error(f"expected a request of at most {LARGEST} bytes with Content-Length"))
        body = self.rfile.read(int(length))
        if self.path != "/v1/chat/completions":
            return self.send(404, self.error(f"{self.path}: there is no such path"))
        try:
            request = json.loads(body)
            with self.server.service.lock:
                self.answer(request)
        except (BadRequest, heddle.Error, ValueError, RecursionError) as reason:
            self.send(400, self.error(str(reason)))
        except OSError:  # the client has closed the connection or does not read
            self.close_connection = True
        except Exception as reason:  # a mistake of the server must not leave the client without an answer
            self.log_error("%r", reason)
            self.send(500, self.error(f"{type(reason).__name__}: {reason}"))

    def answer(self, request):
        service = self.server.service
        stream = service.begin(request)
        try:
            if request.get("stream"):
                self.send_events(stream, (request.get("stream_options") or {}).get("include_usage"))
                return
            text, done = "".join(stream), stream.completion
            self.send(200, {**service.head("chat.completion"), "usage": service.usage(done), "choices": [
                {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": done.finish_reason,
                 "logprobs": service.logprobs(done.choices)}]})
        finally:
            stream.close()

    def send_events(self, stream, with_usage):
        """Sends the pieces of an answer as server-sent events. An error after the first piece is an event, too."""
        service, done = self.server.service, stream.completion
        head = service.head("chat.completion.chunk")
        piece, shown = next(stream, None), 0  # an error in the request is raised before anything is sent
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

        def event(delta, reason=None, logprobs=None, **more):
            self.event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason, "logprobs": logprobs}], **more})
        event({"role": "assistant", "content": ""})
        try:
            while piece is not None:
                event({"content": piece}, logprobs=service.logprobs(done.choices[shown:]))
                shown, piece = len(done.choices), next(stream, None)
        except OSError:
            raise
        except Exception as reason:
            return self.event(self.error(str(reason)))
        event({}, done.finish_reason, service.logprobs(done.choices[shown:]))
        if with_usage:
            self.event({**head, "choices": [], "usage": service.usage(done)})
        self.wfile.write(b"data: [DONE]\n\n")

    def event(self, content):
        self.wfile.write(f"data: {json.dumps(content)}\n\n".encode())
        self.wfile.flush()

    @staticmethod
    def error(message):
        return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}

    def send(self, status, content):
        data = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def serve(model, name, host, port):
    """Returns a server for a model; its method serve_forever answers requests. Port 0 is any free port."""
    server = http.server.ThreadingHTTPServer((host, port), Handler)
    server.service = Service(model, name)
    return server


def main():
    parser = argparse.ArgumentParser(description="Serves a language model with the interface of OpenAI.")
    parser.add_argument("model")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--precision")
    parser.add_argument("--state-precision")
    parser.add_argument("--threads", type=int)
    given = parser.parse_args()
    options = {name: getattr(given, name) for name in ("precision", "state_precision", "threads")}
    try:
        model = heddle.LanguageModel(given.model, **{name: value for name, value in options.items() if value is not None})
        server = serve(model, given.model, given.host, given.port)
    except (heddle.Error, OSError) as reason:
        sys.exit(f"server.py: {reason}")
    print(f"http://{given.host}:{server.server_port}/v1", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
