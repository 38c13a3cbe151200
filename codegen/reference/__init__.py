# SPDX-License-Identifier: BSD-3-Clause
"""The reference, made of the table: man pages, web pages, and one file for tools.

    records.py    what the reference alone reads: chapters, info keys, texts for many
    examples.py   regions of the example programs, by procedure
    costs.py      rows of docs/network.md
    pages.py      pages as immutable records, without the syntax of an output
    parts.py      what a page is made of, from a record
    all_pages.py  all pages, and how they refer to each other
    guides.py     docs/*.md as web pages, for who wants one site
    markup.py     texts, names and code as man and as HTML
    outputs.py    the templates of reference/, and the file for tools
"""
