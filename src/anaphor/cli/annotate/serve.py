"""`anaphor annotate serve`: the page of a campaign."""

from __future__ import annotations

import argparse

from anaphor.cli.annotate.options import add_database

EXAMPLES = """examples:
  anaphor annotate serve campaign.db
  anaphor annotate serve campaign.db --port 9000 --no-open
  anaphor annotate serve campaign.db --public --host 0.0.0.0 --certificate cert.pem --key key.pem
  anaphor annotate serve postgresql://lead@localhost/campaign --behind-proxy --no-open

The page is for this machine alone. For others put a web server with TLS in front of it (--behind-proxy), or
give --public with a certificate and its key: personal links and passwords must not travel in the clear."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_database(parser)
    where = parser.add_argument_group("where").add_argument
    where("--host", default="127.0.0.1", metavar="ADDRESS", help="to listen on (default 127.0.0.1)")
    where("--port", type=int, default=8080, metavar="N", help="to listen on (default 8080)")
    where("--public", action="store_true", help="allow other addresses than this machine's own")
    where("--behind-proxy", action="store_true", help="a web server with TLS stands in front")
    where("--certificate", metavar="FILE", help="of TLS, in PEM")
    where("--key", metavar="FILE", help="of the certificate, in PEM")
    parser.add_argument("--no-open", action="store_true", help="do not open the browser")


def run(options: argparse.Namespace) -> None:
    from anaphor.annotate.web import serve

    serve(
        options.database,
        host=options.host,
        port=options.port,
        open_browser=not options.no_open,
        public=options.public,
        behind_proxy=options.behind_proxy,
        certificate=options.certificate,
        key=options.key,
    )
