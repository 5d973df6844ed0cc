# SPDX-License-Identifier: MIT
"""Sphinx's settings for the site; scripts/site runs it on the folder that stage.py makes."""

from __future__ import annotations

from pathlib import Path

from docutils.nodes import Element, SkipNode, math
from latex2mathml.converter import convert
from sphinx.application import Sphinx

HERE = Path(__file__).resolve().parent

project = "Carom"
author = "Carom's authors"
project_copyright = "MIT licence"
html_title = "Carom"

extensions = ["myst_parser"]
myst_heading_anchors = 4
# Formulas, in LaTeX, are fenced as `math`, which other readers of Markdown know as well. They become MathML.
myst_fence_as_directive = ["math"]
html_math_renderer = "mathml"
default_role = "py:obj"  # `x` in docstrings
highlight_language = "none"
primary_domain = None
toc_object_entries = False
# C types of the library's own C standard, which no page describes.
nitpicky = False
c_maximum_signature_line_length = 100
python_maximum_signature_line_length = 100

html_theme = "furo"
html_static_path = [str(HERE / "static")]
html_favicon = str(HERE / "static" / "icon.svg")
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": False}


def write_formula(translator: object, node: Element) -> None:
    """Writes a formula as MathML, which browsers set without a script."""
    display = "inline" if isinstance(node, math) else "block"
    translator.body.append(convert(node.astext(), display=display))  # type: ignore[attr-defined]
    raise SkipNode


def setup(app: Sphinx) -> None:
    app.add_html_math_renderer("mathml", inline_renderers=(write_formula, None), block_renderers=(write_formula, None))
