"""The second engine of `serve.py`: a GGUF file in bfloat16 by transformers, behind the OpenAI API.

    python benchmarks/llm/torch_server.py MODEL.gguf NAME PORT CONTEXT THREADS

For processors with matrix instructions for bfloat16 (README.md has the speed). Needs torch, transformers,
gguf and accelerate. It decodes greedily and answers one request at a time; the states of the longest prefix
that a prompt shares with the one before are used again. A closed standard input ends it.
"""

from __future__ import annotations

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, DynamicCache, GgufConfig

_LONGEST_ANSWER = 512


def converted(path: Path) -> Path:
    """The folder of a model in bfloat16, beside its file; made at the first use, which takes a minute."""
    folder, part = path.with_suffix(""), path.with_suffix(".converting")
    if not folder.exists():
        given: dict[str, Any] = {"pretrained_model_name_or_path": str(path.parent), "gguf_file": path.name}
        AutoTokenizer.from_pretrained(**given).save_pretrained(part)
        unpacked: dict[str, Any] = {
            "dtype": torch.bfloat16,
            "quantization_config": GgufConfig(dequantize=True),
        }
        AutoModelForCausalLM.from_pretrained(**given, **unpacked).save_pretrained(part)
        part.rename(folder)
    return folder


class Model:
    """Weights, tokenizer, and the states of the last prompt."""

    def __init__(self, path: Path, context: int) -> None:
        folder = converted(path)
        self.tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        self.network: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16)
        self.context = context
        self._states = DynamicCache()
        self._known: list[int] = []
        self._lock = threading.Lock()

    def tokens(self, request: dict[str, Any]) -> list[int]:
        """The prompt of a request, in the model's chat format where it has messages."""
        if "messages" not in request:
            return list(self.tokenizer(request["prompt"]).input_ids)
        text = self.tokenizer.apply_chat_template(
            request["messages"], tokenize=False, add_generation_prompt=True
        )
        return list(self.tokenizer(text, add_special_tokens=False).input_ids)

    @torch.inference_mode()
    def answer(self, prompt: list[int], longest: int, top: int) -> tuple[list[int], dict[str, float]]:
        """The likeliest continuation, and the log-probabilities of its first token."""
        with self._lock:
            shared = 0
            # At least one token must be read, for its logits.
            for own, other in zip(prompt[:-1], self._known, strict=False):
                if own != other:
                    break
                shared += 1
            if surplus := self._states.get_seq_length() - shared:
                self._states.crop(-surplus)
            self._known, rest = list(prompt), prompt[shared:]
            written: list[int] = []
            first: dict[str, float] = {}
            while len(written) < longest:
                output = self.network(
                    torch.tensor([rest]), past_key_values=self._states, use_cache=True, logits_to_keep=1
                )
                logprobs = output.logits[0, -1].float().log_softmax(-1)
                if not written and top:
                    values, places = logprobs.topk(top)
                    for value, place in zip(values.tolist(), places.tolist(), strict=True):
                        first.setdefault(self.tokenizer.decode([place]), value)
                likeliest = int(logprobs.argmax())
                written.append(likeliest)
                if likeliest in self._ends():
                    break
                rest = [likeliest]
            return written, first

    def _ends(self) -> set[int]:
        names = ("<|im_end|>", "<|endoftext|>", "<end_of_turn>", self.tokenizer.eos_token)
        return {self.tokenizer.convert_tokens_to_ids(name) for name in names if name}


def reply_to(model: Model, name: str, request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Status and body."""
    is_chat = "messages" in request
    prompt = model.tokens(request)
    longest = int(request.get("max_tokens") or _LONGEST_ANSWER)
    if len(prompt) + longest > model.context:
        what = f"the prompt of {len(prompt)} tokens exceeds the context size of {model.context}"
        return 400, {"error": {"message": what, "type": "exceed_context_size_error"}}
    top = request.get("top_logprobs" if is_chat else "logprobs") or 0
    written, first = model.answer(prompt, longest, int(top))
    text = model.tokenizer.decode(written, skip_special_tokens=True)
    choice: dict[str, Any] = {"index": 0, "finish_reason": "length" if len(written) == longest else "stop"}
    entries = [{"token": token, "logprob": value} for token, value in first.items()]
    if is_chat:
        choice["message"] = {"role": "assistant", "content": text}
        choice["logprobs"] = {"content": [{"top_logprobs": entries}]} if top else None
    else:
        choice |= {"text": text, "logprobs": {"top_logprobs": [first]} if top else None}
    usage = {"prompt_tokens": len(prompt), "completion_tokens": len(written)}
    return 200, {"model": name, "choices": [choice], "usage": usage}


def main() -> None:
    path, name, port, context, threads = sys.argv[1:]
    torch.set_num_threads(int(threads))
    model = Model(Path(path), int(context))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if request.get("model") != name:
                status, body = 404, {"error": {"message": f"the model {request.get('model')} does not exist"}}
            else:
                status, body = reply_to(model, name, request)
            self._send(status, body)

        def do_GET(self) -> None:
            self._send(200, {"data": [{"id": name, "object": "model"}]})

        def _send(self, status: int, body: dict[str, Any]) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """No log."""

    server = ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_address[1]}/v1", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
