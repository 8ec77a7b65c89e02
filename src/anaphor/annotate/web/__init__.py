"""The annotation page: `serve` a campaign, or `create_app` for a server of your own.

Read in this order: `app` (all routes), `policy` and `visitors` (who may do what), `judging` and `judging_api`
(the annotator's page without and with script), `lead` (the researcher's pages).
"""

from anaphor.annotate.web.app import create_app
from anaphor.annotate.web.serve import serve
from anaphor.annotate.web.settings import Settings

__all__ = ["Settings", "create_app", "serve"]
