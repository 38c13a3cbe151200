# SPDX-License-Identifier: BSD-3-Clause
"""The page of a trace, in Chromium without a screen: it opens, zooms, filters by window and
shows the slow place of a program; that of 64 ranks is ready soon.

environment: MPIEXEC, PROGRAMS, READER (folder of the reader), CHROMIUM (empty without it)
"""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from invented import invented_trace  # knows where the reader is
from page import write_page
from totals import Totals

MPIEXEC, PROGRAMS = os.environ["MPIEXEC"], Path(os.environ["PROGRAMS"])
CHROMIUM = os.environ["CHROMIUM"]
READY_SECONDS = 3

# What a user does with the mouse: two turns of the wheel over the middle.
WHEEL = """<script>
for (let turn = 0; turn < 2; turn++)
    canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -100, cancelable: true,
        clientX: canvas.getBoundingClientRect().left + canvas.clientWidth / 2 }));
</script>"""


def data_of(page: Path) -> dict[str, Any]:
    """What a page shows."""
    found = re.search(
        r'<script id="data"[^>]*>(.*?)</script>', page.read_text("utf-8"), re.DOTALL
    )
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


class PageTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = Path(directory.name)
        self.page = self.folder / "index.html"

    def trace(self, program: str) -> None:
        command = [MPIEXEC, "--trace", str(self.folder), "-n", "3", program]
        subprocess.run(command, check=True, capture_output=True, timeout=60)


class Data(PageTest):
    """What the page is given."""

    def test_it_needs_nothing_from_elsewhere(self) -> None:
        self.trace(str(PROGRAMS / "slow_held_lock_c"))
        text = self.page.read_text("utf-8")
        self.assertNotRegex(text, r"https?://|src=|@import|<link")

    def test_the_matrix_has_every_byte(self) -> None:
        self.trace(str(PROGRAMS / "slow_short_puts_c"))
        data = data_of(self.page)
        [number] = [
            n for n, (_, text) in enumerate(data["objects"]) if text == "'halo'"
        ]
        rows = data["matrices"][str(number)]
        wanted = [[rank, (rank + 1) % 3, 20000, 160000] for rank in range(3)]
        self.assertEqual(rows, wanted)


@unittest.skipUnless(CHROMIUM, "Chromium is not installed")
class InChromium(PageTest):
    """What a reader sees."""

    def opened(self, fragment: str = "") -> str:
        """The page as it is once its script has run."""
        options = ("--headless", "--no-sandbox", "--disable-gpu", "--dump-dom")
        profile = f"--user-data-dir={self.folder}/profile"
        address = f"file://{self.page}{fragment}"
        done = subprocess.run(
            [CHROMIUM, *options, profile, "--window-size=1300,900", address],
            capture_output=True,
            text=True,
            timeout=60,
        )
        return done.stdout

    def number(self, page: str, name: str) -> int:
        found = re.search(rf'<body[^>]* data-{name}="(\d+)"', page)
        assert found is not None, page[:2000]
        return int(found[1])

    def cells(self, page: str, table: str) -> list[str]:
        """The first row of a table."""
        found = re.search(
            rf'<table id="{table}">.*?<tbody><tr>(.*?)</tr>', page, re.DOTALL
        )
        assert found is not None
        return [
            html.unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", found[1])
        ]

    def test_it_shows_late_posts_zooms_and_filters(self) -> None:
        self.trace(str(PROGRAMS / "slow_late_post_c"))
        page = self.opened()
        waits, posts = self.cells(page, "waits"), self.cells(page, "posts")
        self.assertEqual(waits[3:5], ["MPI_Put", "'values'"])
        self.assertRegex(waits[5], r"^late_post.c:\d+ \(send_values\)$")
        self.assertEqual(waits[7], "rank 0, late post")
        self.assertEqual(posts[:3], ["rank 0", "'values'", "20"])
        whole, bars = self.number(page, "to"), self.number(page, "bars")

        [window] = [
            number
            for number, (_, text) in enumerate(data_of(self.page)["objects"])
            if text == "'values'"
        ]
        filtered = self.opened(f"#object={window}")
        self.assertLess(self.number(filtered, "bars"), bars)
        self.assertGreaterEqual(self.number(filtered, "bars"), 10 + 10 + 3 * 20)

        text = self.page.read_text("utf-8").replace("</body>", WHEEL + "</body>")
        self.page.write_text(text, "utf-8")
        zoomed = self.opened()
        self.assertLess(
            self.number(zoomed, "to") - self.number(zoomed, "from"), whole / 2
        )
        self.assertLess(self.number(zoomed, "bars"), bars)

    def test_it_shows_locks_that_are_held(self) -> None:
        self.trace(str(PROGRAMS / "slow_held_lock_c"))
        page = self.opened()
        self.assertEqual(self.cells(page, "waits")[3:5], ["MPI_Win_lock", "'sum'"])
        self.assertRegex(self.cells(page, "locks")[0], r"^rank \d$")

    def test_it_shows_short_operations(self) -> None:
        self.trace(str(PROGRAMS / "slow_short_puts_c"))
        short = self.cells(self.opened(), "short")
        self.assertEqual(short[1:3], ["MPI_Put", "'halo'"])
        self.assertEqual(short[4], "8")

    def test_a_trace_of_64_ranks_opens_soon(self) -> None:
        write_page(Totals(invented_trace(64, 1200)), self.page)
        ready = self.number(self.opened(), "ready")
        print(f"ready after {ready} ms, {self.page.stat().st_size >> 10} KiB")
        self.assertLess(ready, 1000 * READY_SECONDS)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
