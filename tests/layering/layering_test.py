#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""Each check of layering.py finds a fault put before it, and passes a tree without one."""
import argparse
import pathlib
import tempfile
import unittest

import layering
import links

LICENCE = "// SPDX-FileCopyrightText: 2026 The Hawser authors\n// SPDX-License-Identifier: Apache-2.0\n"


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def put(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def faults(self, check):
        options = argparse.Namespace(compiler="c++", cache=str(self.root / "build-cache.json"))
        return list(layering.CHECKS[check](self.root, options))

    def include_fault(self, path, target):
        self.put(target, "")
        self.put(path, f'#include "{target}"\n')
        return self.faults("includes")


class Includes(Tree):
    def test_downward_is_allowed(self):
        self.assertEqual(self.include_fault("bml/a.cpp", "framework/btl/module.hpp"), [])
        self.assertEqual(self.include_fault("components/tcp/a.cpp", "framework/base/fd.hpp"), [])

    def test_upward_and_sideways_are_not(self):
        for path, target in (("framework/peers/a.cpp", "bml/peer.hpp"), ("bml/a.cpp", "components/tcp/b.hpp"),
                             ("components/tcp/a.cpp", "components/shm/b.hpp"), ("pml/a.cpp", "mpi/b.hpp"),
                             ("components/tcp/a.cpp", "framework/loader/loader.hpp"),
                             ("framework/base/a.hpp", "framework/btl/b.hpp"), ("tools/a.cpp", "components/tcp/b.hpp")):
            with self.subTest(path=path, target=target):
                self.assertEqual(len(self.include_fault(path, target)), 1)
                (self.root / path).unlink()

    def test_short_path_and_missing_file(self):
        self.put("bml/a.cpp", '#include "peer.hpp"\n#include "bml/none.hpp"\n')
        self.assertEqual(len(self.faults("includes")), 2)

    def test_a_project_of_its_own(self):
        folder = layering.OUTSIDE[0]
        self.put("framework/btl/module.hpp", "")
        self.put("framework/progress/engine.hpp", "")
        self.put(folder + "peer.hpp", '#include "framework/btl/module.hpp"\n')
        self.put(folder + "a.cpp", '#include "peer.hpp"\n')
        self.assertEqual(self.faults("includes"), [])
        self.put(folder + "a.cpp", '#include "none.hpp"\n#include "framework/progress/engine.hpp"\n')
        self.assertEqual(len(self.faults("includes")), 2)

    def test_library_outside_its_home(self):
        self.put("bml/a.cpp", "#include <spdlog/spdlog.h>\n")
        self.assertEqual(len(self.faults("includes")), 1)


class Headers(Tree):
    def test_needs_what_it_uses(self):
        self.put("bml/good.hpp", "#pragma once\nstruct Good {};\n")
        self.put("bml/bad.hpp", "#pragma once\nstruct Bad { Good good; };\n")
        for _ in range(2):  # the second time from the cache
            self.assertEqual([fault.split(":")[0] for fault in self.faults("headers")], ["bml/bad.hpp"])

    def test_what_a_source_includes_first_is_left_to_the_build(self):
        for name in ("first", "second"):
            self.put(f"bml/{name}.hpp", "#pragma once\nstruct Bad { Missing missing; };\n")
        self.put("bml/a.cpp", '#include "bml/first.hpp"\n#include "bml/second.hpp"\n')
        self.assertEqual([fault.split(":")[0] for fault in self.faults("headers")], ["bml/second.hpp"])

    def test_a_change_below_is_seen(self):
        self.put("bml/low.hpp", "#pragma once\nstruct Low {};\n")
        self.put("bml/high.hpp", '#pragma once\n#include "bml/low.hpp"\nstruct High { Low low; };\n')
        self.assertEqual(self.faults("headers"), [])
        self.put("bml/low.hpp", "#pragma once\n")
        self.assertEqual(len(self.faults("headers")), 1)


class Sizes(Tree):
    def lengths(self, text):
        return [length for _, length in layering.functions_of(text)]

    def test_functions(self):
        self.assertEqual(self.lengths("namespace a {\nint f(int x) {\n  if (x) {\n    return 1;\n  }\n  return 0;\n}\n}\n"), [6])
        self.assertEqual(self.lengths("struct S {\n  int g() const noexcept override {\n    return 1;\n  }\n};\n"), [3])
        self.assertEqual(self.lengths('class HAWSER_CAPABILITY("role") R {\n  void h() HAWSER_REQUIRES(m_) {\n  }\n};\n'), [2])
        self.assertEqual(self.lengths('int f() {\n  auto s = "}{";  // }\n  return s[0];\n}\n'), [4])

    def test_no_functions(self):
        self.assertEqual(self.lengths("constexpr Row kRows[] = {\n  {1, f(2)},\n  {2, 3},\n};\nenum class E {\n  kA,\n};\n"), [])

    def test_limits(self):
        self.put("bml/a.cpp", "int f() {\n" + "  g();\n" * 59 + "}\n")
        self.put("bml/b.cpp", "int f() {\n" + "  g();\n" * 58 + "}\n")
        self.put("bml/c.cpp", "//\n" * 601)
        self.assertEqual([fault.split(":")[0] for fault in self.faults("sizes")], ["bml/a.cpp", "bml/c.cpp"])


class Texts(Tree):
    def test_licence(self):
        self.put("bml/a.cpp", LICENCE)
        self.put("bml/b.cpp", "int x;\n")
        self.assertEqual([fault.split(":")[0] for fault in self.faults("licence")], ["bml/b.cpp"] * 2)

    def test_words(self):
        self.put("docs/a.md", "see /usr/include, tcp/eth0#1, Open MPI issue 3035, https://x.org/work/a\n")
        self.assertEqual(self.faults("words"), [])
        self.put("docs/b.md", "see /home/me/notes\n\nfixes #12\n\nfixes issue 7\n")
        self.assertEqual(len(self.faults("words")), 3)


class Links(Tree):
    def dead(self, text):
        self.put("docs/there.md", "# One head: `a_b`\n")
        self.put("docs/page.md", text)
        return [fault.split(": ", 1)[1] for fault in links.dead_links(self.root)]

    def test_what_leads_somewhere(self):
        self.assertEqual(self.dead("# Here\n[a](there.md) [b](there.md#one-head-a_b) [c](#here) [d](https://x.org/y#z)\n"
                                   "`[e](none.md)`\n```\n[f](none.md)\n```\n"), [])

    def test_a_dead_link(self):
        self.assertEqual(self.dead("[a](there.md) [b](none.md)\n"), ["none.md leads nowhere"])

    def test_a_dead_anchor(self):
        self.assertEqual(self.dead("[a](there.md#two) [b](#none)\n"),
                         ["there.md#two: there is no such heading", "#none: there is no such heading"])

    def test_pages_of_a_build_are_not_looked_at(self):
        self.put("build/CMakeCache.txt", "")
        self.put("build/page.md", "[a](none.md)\n")
        self.assertEqual(self.dead(""), [])


if __name__ == "__main__":
    unittest.main()
