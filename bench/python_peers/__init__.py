# SPDX-License-Identifier: MIT
"""What `bench/python.py` measures: a contest a file, each of which says what a step is."""
