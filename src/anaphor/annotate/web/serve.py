"""Starting the server: on this machine alone unless told otherwise, until somebody stops it."""

from __future__ import annotations

import ipaddress
import logging
import signal
import socket
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import uvicorn

from anaphor.annotate.store import open_store
from anaphor.annotate.web.app import create_app
from anaphor.annotate.web.settings import LOOPBACK, Settings
from anaphor.core import InputError, OptionError

#: Requests that run get so many seconds to end when the server is stopped.
_PATIENCE = 10


@dataclass(frozen=True, slots=True)
class _Tls:
    certificate: str
    key: str


def serve(
    address: str,
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    open_browser: bool = True,
    public: bool = False,
    behind_proxy: bool = False,
    certificate: str | None = None,
    key: str | None = None,
) -> None:
    """Serve a campaign until SIGINT or SIGTERM; requests that run are answered before it ends.

    Another address than this machine's own needs `public`; passwords and links then travel over a network, so
    it also needs a certificate with its key, or a proxy in front that does TLS.
    """
    tls = _tls(certificate, key)
    _check_address(host, public=public, protected=tls is not None or behind_proxy)
    store = open_store(address)
    try:
        with _listening(host, port) as listener:
            settings = Settings(
                hosts=None if public or behind_proxy else LOOPBACK, secure=tls is not None or behind_proxy
            )
            server = uvicorn.Server(_config(create_app(store, settings), tls, behind_proxy=behind_proxy))
            url = _url(host, listener.getsockname()[1], tls)
            sys.stderr.write(f"serving {store.address} at {url} (Ctrl+C ends it)\n")
            sys.stderr.flush()
            if open_browser:
                webbrowser.open(url)  # the socket listens already: the page waits until the server is ready
            with _ended_by_signals():
                server.run(sockets=[listener])
    finally:
        store.close()


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Go on after the block when SIGINT or SIGTERM ended it: uvicorn raises them again after its own end."""

    def end(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)


def _config(app: object, tls: _Tls | None, *, behind_proxy: bool) -> uvicorn.Config:
    logging.getLogger("anaphor.annotate.web").addHandler(logging.StreamHandler())
    return uvicorn.Config(
        app,  # type: ignore[arg-type]
        access_log=False,  # addresses of personal links are secrets
        log_level="warning",
        http="h11",  # the other parser, where it is installed, knows no limit of a header's size
        server_header=False,
        proxy_headers=behind_proxy,
        forwarded_allow_ips="127.0.0.1" if behind_proxy else "",
        timeout_graceful_shutdown=_PATIENCE,
        timeout_keep_alive=30,
        limit_concurrency=1000,
        h11_max_incomplete_event_size=32 * 1024,
        ssl_certfile=tls.certificate if tls else None,
        ssl_keyfile=tls.key if tls else None,
    )


def _tls(certificate: str | None, key: str | None) -> _Tls | None:
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise OptionError(
            "TLS needs a certificate and its key", where="--certificate, --key", fix="give both, or none"
        )
    for path in (certificate, key):
        if not Path(path).is_file():
            raise InputError("there is no such file", where=path, fix="name a file in PEM format")
    return _Tls(certificate, key)


def _check_address(host: str, *, public: bool, protected: bool) -> None:
    if _is_loopback(host):
        return
    if not public:
        raise OptionError(
            f"{host} can be reached by others",
            where="--host",
            fix="use 127.0.0.1; or add --public, with --certificate and --key or behind a proxy with TLS",
        )
    if not protected:
        raise OptionError(
            "links and passwords would travel in the clear",
            where="--public",
            fix="give --certificate and --key, or put a proxy with TLS in front and say --behind-proxy",
        )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    if not 0 <= port < 2**16:
        raise OptionError(f"there is no port {port}", where="--port", fix="choose 1024 to 65535, or 0")
    try:
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        raise OptionError(
            f"cannot listen at {host} port {port}: {error}", where="--port", fix="choose another port, or 0"
        ) from error


def _url(host: str, port: int, tls: _Tls | None) -> str:
    name = f"[{host}]" if ":" in host else host
    return f"{'https' if tls else 'http'}://{name}:{port}/"
