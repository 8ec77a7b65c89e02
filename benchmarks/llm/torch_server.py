"""The second engine of `serve.py`: a GGUF file by transformers, behind the OpenAI API.

    python benchmarks/llm/torch_server.py MODEL.gguf NAME PORT CONTEXT THREADS

It computes in the numbers for which the processor has instructions (README.md has the speed): bfloat16 with
AMX, eight bits with VNNI, otherwise 32 bits. Needs torch, transformers, gguf and accelerate. It decodes
greedily and answers one request at a time; the states of the longest prefix that a prompt shares with an
earlier one are used again. A closed standard input ends it.
"""

from __future__ import annotations

import copy
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, DynamicCache, GgufConfig

_LONGEST_ANSWER = 512
#: Prompts whose states are kept: every kind of question begins in its own way.
_MOST_STATES = 4
#: Inputs of a layer that share one scale. Some are far larger than the rest, and would take their digits.
_BLOCK = 1536


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


def arithmetic() -> str:
    """The numbers in which this processor computes fastest."""
    if torch.cpu._is_amx_tile_supported():
        return "bfloat16"
    return "int8" if torch.cpu._is_vnni_supported() else "float32"


class Int8Linear(torch.nn.Module):
    """A linear layer that multiplies eight-bit weights, with one scale per output, by eight-bit inputs, with
    one scale per token and block."""

    def __init__(self, layer: torch.nn.Linear) -> None:
        super().__init__()
        weight = layer.weight.detach().float()
        self.size = max(size for size in range(1, _BLOCK + 1) if weight.shape[1] % size == 0)
        self.scale = weight.abs().amax(1).clamp(min=1e-9) / 127
        rounded = (weight / self.scale[:, None]).round().to(torch.int8)
        self.blocks = [block.contiguous().t() for block in rounded.chunk(weight.shape[1] // self.size, dim=1)]
        self.bias = None if layer.bias is None else layer.bias.detach().float()

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        rows = inputs.reshape(-1, inputs.shape[-1])
        total = torch.zeros(len(rows), len(self.scale))
        for part, weight in zip(rows.chunk(len(self.blocks), dim=1), self.blocks, strict=True):
            scale = part.abs().amax(1, keepdim=True).clamp(min=1e-9) / 127
            product = torch._int_mm((part / scale).round().to(torch.int8), weight)
            total.addcmul_(product.float(), scale)
        total.mul_(self.scale)
        if self.bias is not None:
            total.add_(self.bias)
        return total.view(*inputs.shape[:-1], -1)


def network_of(folder: Path, numbers: str) -> Any:
    """The network of a converted model; its output layer is never rounded to eight bits."""
    dtype = torch.bfloat16 if numbers == "bfloat16" else torch.float32
    network = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype)
    if numbers == "int8":
        layers = [name for name, layer in network.model.named_modules() if type(layer) is torch.nn.Linear]
        for name in layers:
            network.model.set_submodule(name, Int8Linear(network.model.get_submodule(name)))
    return network


class Model:
    """Weights, tokenizer, and the states of the last prompts."""

    def __init__(self, path: Path, context: int) -> None:
        folder = converted(path)
        self.tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        self.network = network_of(folder, arithmetic())
        self.context = context
        # The one used last comes last.
        self._kept: list[tuple[list[int], Any]] = []
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
            shared, states = self._states_for(prompt)
            rest = prompt[shared:]
            written: list[int] = []
            first: dict[str, float] = {}
            while len(written) < longest:
                output = self.network(
                    torch.tensor([rest]), past_key_values=states, use_cache=True, logits_to_keep=1
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

    def _states_for(self, prompt: list[int]) -> tuple[int, Any]:
        """How many tokens need not be read again, and their states."""
        # At least one token must be read, for its logits.
        lengths = [_shared(prompt[:-1], known) for known, _ in self._kept]
        shared = max(lengths, default=0)
        if not shared:
            states: Any = DynamicCache()
        else:
            place = lengths.index(shared)
            known, states = self._kept[place]
            if 2 * shared < len(known):
                # Little of it is common to both: the other kind of question will need its own again.
                states = copy.deepcopy(states)
            else:
                del self._kept[place]
            states.crop(shared - states.get_seq_length())
        self._kept = [*self._kept[-_MOST_STATES + 1 :], (list(prompt), states)]
        return shared, states

    def _ends(self) -> set[int]:
        names = ("<|im_end|>", "<|endoftext|>", "<end_of_turn>", self.tokenizer.eos_token)
        return {self.tokenizer.convert_tokens_to_ids(name) for name in names if name}


def _shared(prompt: list[int], known: list[int]) -> int:
    for place, (own, other) in enumerate(zip(prompt, known, strict=False)):
        if own != other:
            return place
    return min(len(prompt), len(known))


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
