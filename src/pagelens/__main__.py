"""``python -m pagelens``: the same as the command ``pagelens``."""

import sys

from pagelens.cli.main import main

sys.exit(main())
