#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""man_test.py HAWSER FOLDER: each command has a page that names each of its options; groff finds no fault with any."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HAWSER, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path.insert(0, str(FOLDER))
import make_man  # noqa: E402


class Man(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="hawser-man-")
        make_man.main(HAWSER, cls.folder.name)
        cls.pages = {path.stem: path for path in pathlib.Path(cls.folder.name).iterdir()}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_each_command_has_a_page_with_its_options(self):
        commands = [command for command, _ in make_man.commands_of(HAWSER)]
        self.assertEqual(sorted(self.pages), sorted(["hawser"] + [f"hawser-{command}" for command in commands]))
        for command in commands:
            said = make_man.help_of(HAWSER, command)
            page = self.pages[f"hawser-{command}"].read_text().replace(r"\-", "-")
            options = re.findall(r"^  (-\S+)", said, re.MULTILINE)
            self.assertGreater(len(options), 0, command)
            for option in options:
                self.assertIn(f"\n.B {option}", page)
            for text in ("\n.SH NAME\n", "\n.SH SYNOPSIS\n.B hawser", "\n.SH SEE ALSO\n"):
                self.assertIn(text, page)

    @unittest.skipUnless(shutil.which("groff"), "no groff")
    def test_groff_takes_them(self):
        for path in [*self.pages.values(), *FOLDER.glob("*.1")]:
            done = subprocess.run(["groff", "-ww", "-man", "-Tutf8", path], capture_output=True, text=True, timeout=20)
            self.assertEqual((done.returncode, done.stderr), (0, ""), path.name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
