#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""new_test.py HAWSER TEMPLATE: what `hawser new` takes, what it refuses, and what it writes."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

HAWSER, TEMPLATE = sys.argv[1], pathlib.Path(sys.argv[2])
MOST_LINES = 400  # of all files together, comments and blank ones too


def new(folder, *arguments):
    return subprocess.run([HAWSER, "new", *arguments], cwd=folder, capture_output=True, text=True, timeout=20)


class New(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="hawser-new-")
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def test_writes_the_template_under_the_new_name(self):
        done = new(self.path, "mine", "some/where")
        self.assertEqual(done.returncode, 0, done.stderr)
        made = {file.name: file.read_text() for file in (self.path / "some/where").iterdir()}
        wanted = {file.name: file.read_text().replace("ferry", "mine") for file in TEMPLATE.iterdir()}
        self.assertEqual(made, wanted)
        self.assertIn('HAWSER_BTL_COMPONENT("mine"', made["component.cpp"])
        self.assertIn("cmake -S some/where", done.stdout)

    def test_the_folder_is_named_for_the_component(self):
        self.assertEqual(new(self.path, "a_2").returncode, 0)
        self.assertTrue((self.path / "a_2" / "CMakeLists.txt").is_file())

    def test_small_enough_to_be_read(self):
        lines = sum(file.read_bytes().count(b"\n") for file in TEMPLATE.iterdir())
        self.assertLess(lines, MOST_LINES)

    def test_every_part_names_its_section(self):
        page = (TEMPLATE.parents[2] / "docs/how-to-write-a-component.md").read_text()
        for file in TEMPLATE.iterdir():
            self.assertIn("ow-to, section", file.read_text(), file.name)
        told = "".join(file.read_text() for file in TEMPLATE.iterdir())
        for section in (1, 2, 3, 4, 9, 10, 11, 12, 13, 14, 15, 16, 17):
            self.assertRegex(told, rf"section(s [0-9, ]*and|) {section}\b|sections {section}\b")
            self.assertIn(f"\n## {section}. ", page)

    def test_names_that_are_none(self):
        for name, why in (("Mine", "begins with a letter"), ("2fast", "begins with a letter"), ("a-b", "a-z"),
                          ("", "begins"), ("../up", "a-z"), ("a__b", "C++"), ("end_", "C++"), ("x" * 33, "at most 32"),
                          ("tcp", "hide"), ("base", "btl_base")):
            done = new(self.path, name)
            self.assertEqual(done.returncode, 2, name)
            self.assertIn(why, done.stderr, name)
            self.assertEqual(list(self.path.iterdir()), [], name)

    def test_what_is_there_is_left_alone(self):
        (self.path / "folder").mkdir()
        (self.path / "file").write_text("mine")
        (self.path / "link").symlink_to("nowhere")
        for there in ("folder", "file", "link"):
            done = new(self.path, "one", there)
            self.assertEqual(done.returncode, 1, there)
            self.assertIn("is there already", done.stderr)
        self.assertEqual((self.path / "file").read_text(), "mine")
        self.assertEqual(list((self.path / "folder").iterdir()), [])

    def test_a_folder_that_cannot_be_made_is_told_with_the_reason(self):
        (self.path / "file").write_text("")
        done = new(self.path, "one", "file/below")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Not a directory", done.stderr)

    def test_without_a_name_there_is_help(self):
        done = new(self.path)
        self.assertEqual(done.returncode, 2)
        self.assertIn("NAME", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
