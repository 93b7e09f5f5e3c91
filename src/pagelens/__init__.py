"""pagelens: a live Chrome for AI agents, with the whole of Chrome DevTools, from Python."""

from pagelens._version import __version__
from pagelens.errors import PagelensError

__all__ = ["PagelensError", "__version__"]
