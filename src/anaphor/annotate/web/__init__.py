"""The annotation pages: `serve` a campaign, or `create_app` for a server of your own.

Read in this order: `app` (all routes), `security` (who may do what), `items` (the annotator's pages), `lead`
(the lead's pages).
"""

from anaphor.annotate.web.app import create_app
from anaphor.annotate.web.serve import serve
from anaphor.annotate.web.state import ServerConfig

__all__ = ["ServerConfig", "create_app", "serve"]
