"""``python -m storeys.cli``."""

from storeys.cli import main

main()
