"""Starting the server; by default it is only reachable from this machine."""

from __future__ import annotations

import ipaddress
import logging
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

import uvicorn

from anaphor.annotate.campaign.people import SERVED
from anaphor.annotate.campaign.pool import Guesser
from anaphor.annotate.finish import FinishActions, watch
from anaphor.annotate.store import open_store
from anaphor.annotate.store.audit import COMMAND_LINE, note
from anaphor.annotate.web.app import create_app
from anaphor.annotate.web.site import CampaignSite, campaign_paths
from anaphor.annotate.web.state import LOOPBACK, ServerConfig
from anaphor.core import InputError, OptionError

#: Addresses that stand for all of a machine, and are none that a browser could open.
_EVERY_ADDRESS = ("0.0.0.0", "::")  # noqa: S104 - compared with
#: Seconds that running requests get to finish when the server is stopped.
_SHUTDOWN_SECONDS = 10
#: Seconds after which a thread that computes lets another one go on. While the remaining work is estimated, a
#: page waits as long after each of its queries; with Python's 0.005 that adds up to half a second.
_SWITCH_SECONDS = 0.001


def serve(
    *databases: str,
    host: str = "127.0.0.1",
    port: int = 8080,
    open_browser: bool = True,
    public: bool = False,
    behind_proxy: bool = False,
    certificate: str | None = None,
    key: str | None = None,
    welcome: Callable[[str], str] | None = None,
    finish: FinishActions | None = None,
    guess: Guesser | None = None,
) -> None:
    """Serve campaigns until SIGINT or SIGTERM, completing running requests before exit.

    A single campaign is served at the root. Several have one path each: `NAME=DATABASE`, or the file name.

    `finish` says what happens when a campaign has nothing left to answer. `guess` is the automatic verdict
    for campaigns with suggestions, to which leads add examples.

    `welcome` is called with the address of the server once it listens, and returns the page to open in a
    browser.

    An address other than this machine's own needs `public`. Passwords and links then travel over a network,
    so it also needs a certificate with its key, or a proxy in front that does TLS.
    """
    _check_tls(certificate, key)
    secure = certificate is not None or behind_proxy
    _check_address(host, public=public, protected=secure)
    paths = campaign_paths(databases)
    with ExitStack() as stack:
        stores = {path: stack.enter_context(open_store(address)) for path, address in paths.items()}
        listener = stack.enter_context(_listen(host, port))
        hosts = None if public or behind_proxy else LOOPBACK
        config = ServerConfig(hosts=hosts, secure=secure, guess=guess)
        logging.getLogger("anaphor.annotate.web").addHandler(logging.StreamHandler())
        site = None if "" in stores else CampaignSite(stores, config)
        apps = site.apps if site else {"": create_app(stores[""], config)}
        for app in apps.values():
            app.state["app_state"].warm_up()
        if finish:
            # Joined before the databases are closed: what runs when the server stops is completed.
            stop = threading.Event()
            for store in stores.values():
                stack.callback(watch(store, finish, stop).join)
            stack.callback(stop.set)
        server = uvicorn.Server(
            uvicorn.Config(
                site or apps[""],
                lifespan="off",
                access_log=False,  # paths of personal links are secrets
                log_level="warning",
                http="h11",  # whatever else is installed: the limit of a head below is h11's
                server_header=False,
                proxy_headers=behind_proxy,
                forwarded_allow_ips="127.0.0.1" if behind_proxy else "",
                timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
                timeout_keep_alive=30,
                # More at once get 503. Slow connections are a proxy's business: docs/annotate/lead.md.
                limit_concurrency=1000,
                h11_max_incomplete_event_size=32 * 1024,
                ssl_certfile=certificate,
                ssl_keyfile=key,
            )
        )
        name = f"[{host}]" if ":" in host else host
        url = f"{'https' if certificate else 'http'}://{name}:{listener.getsockname()[1]}/"
        for path, store in stores.items():
            own = url + f"{path}/".lstrip("/")
            if not behind_proxy and host not in _EVERY_ADDRESS:
                note(store, actor=COMMAND_LINE, action=SERVED, detail={"url": own})  # for links that are made
            sys.stderr.write(f"serving {store.address} at {own} (press Ctrl+C to stop)\n")
            if store.is_sqlite and Path(store.address).stat().st_mode & 0o077:
                sys.stderr.write(f"note: others can read {store.address}; run: chmod 600 {store.address}\n")
        page = url if welcome is None else welcome(url)
        sys.stderr.flush()
        if open_browser:
            webbrowser.open(page)  # the socket already listens: the page waits until the server is ready
        # uvicorn shuts down at SIGINT or SIGTERM, and then raises the signal again.
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
        interval = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH_SECONDS)
        try:
            with suppress(KeyboardInterrupt):
                server.run(sockets=[listener])
        finally:
            sys.setswitchinterval(interval)
            signal.signal(signal.SIGTERM, before)


def _check_tls(certificate: str | None, key: str | None) -> None:
    if (certificate is None) != (key is None):
        fix = "use both, or neither"
        raise OptionError("TLS needs a certificate and its key", where="--certificate, --key", fix=fix)
    for path in (certificate, key):
        if path is not None and not Path(path).is_file():
            raise InputError("file not found", where=path, fix="use a file in PEM format")


def _check_address(host: str, *, public: bool, protected: bool) -> None:
    try:
        is_loopback = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    if is_loopback:
        return
    if not public:
        fix = "use 127.0.0.1; or add --public, with --certificate and --key or behind a proxy with TLS"
        raise OptionError(f"{host} can be reached by others", where="--host", fix=fix)
    if not protected:
        fix = "add --certificate and --key, or put a proxy with TLS in front and add --behind-proxy"
        raise OptionError("links and passwords would be sent unencrypted", where="--public", fix=fix)


def _listen(host: str, port: int) -> socket.socket:
    if not 0 <= port < 2**16:
        raise OptionError(f"invalid port: {port}", where="--port", fix="use 1024 to 65535, or 0")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        fix = "choose another port, or 0"
        raise OptionError(f"cannot listen on {host} port {port}: {error}", where="--port", fix=fix) from error
