"""`anaphor annotate serve`: serve the pages of campaigns."""

from __future__ import annotations

import argparse

EXAMPLES = """examples:
  anaphor annotate serve campaign.db
  anaphor annotate serve campaign.db --port 9000 --no-open
  anaphor annotate serve pilot.db main=campaign.db
  anaphor annotate serve campaign.db --public --host 0.0.0.0 --certificate cert.pem --key key.pem
  anaphor annotate serve postgresql://lead@localhost/campaign --behind-proxy --no-open

Several campaigns are served at /NAME/, by default the name of the file, each with its own leads, links and
sessions. By default only this machine can reach the pages. For others put a web server with TLS in front
(--behind-proxy), or give --public with a certificate and its key: personal links and passwords must not be
sent unencrypted."""


def configure(parser: argparse.ArgumentParser) -> None:
    text = "file of a campaign, or postgresql://USER@HOST/DATABASE; several have a path each, called NAME"
    parser.add_argument("databases", nargs="+", metavar="[NAME=]DATABASE", help=text)
    where = parser.add_argument_group("where").add_argument
    where("--host", default="127.0.0.1", metavar="ADDRESS", help="address to listen on (default 127.0.0.1)")
    where("--port", type=int, default=8080, metavar="N", help="port to listen on (default 8080)")
    where("--public", action="store_true", help="allow addresses other than this machine's own")
    where("--behind-proxy", action="store_true", help="a web server with TLS is in front")
    where("--certificate", metavar="FILE", help="TLS certificate, in PEM format")
    where("--key", metavar="FILE", help="key of the certificate, in PEM format")
    parser.add_argument("--no-open", action="store_true", help="do not open the browser")


def run(options: argparse.Namespace) -> None:
    from anaphor.annotate.web import serve

    names = ("host", "port", "public", "behind_proxy", "certificate", "key")
    given = {name: getattr(options, name) for name in names}
    serve(*options.databases, open_browser=not options.no_open, **given)
