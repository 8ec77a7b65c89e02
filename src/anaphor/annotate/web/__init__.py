"""The annotation pages: `serve` a campaign, or use `create_app` with your own server.

Read in this order: `app` (all routes), `security` (permissions), `items` (the annotator's pages), `lead` (the
lead's pages).
"""

from anaphor.annotate.web.app import create_app
from anaphor.annotate.web.serve import serve
from anaphor.annotate.web.state import ServerConfig

__all__ = ["ServerConfig", "create_app", "serve"]
