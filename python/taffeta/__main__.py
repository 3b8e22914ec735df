"""``python -m taffeta``: the program."""

from ._program import main

raise SystemExit(main())
