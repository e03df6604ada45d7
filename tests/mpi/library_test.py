# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""mpi.h in every language level, the values of the standard ABI, and what the library exports.
Usage: library_test.py SOURCE LIBRARY [test]"""
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, LIBRARY = sys.argv[1], sys.argv[2]
INCLUDE = os.path.join(SOURCE, "mpi", "include")
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{INCLUDE}"]


def text_of(header):
    with open(os.path.join(INCLUDE, header)) as file:
        return file.read()


def declared(header, prefix):
    return set(re.findall(rf"\b({prefix}[A-Z]\w*)\s*\(", text_of(header)))


class Header(unittest.TestCase):
    PROGRAM = "#include <mpi.h>\n#include <mpi.h>\nint f(MPI_Comm c);\nint f(MPI_Comm c) { return MPI_Barrier(c) + (c == MPI_COMM_NULL); }\n"

    def compile_with(self, compiler, language, levels):
        if not shutil.which(compiler):
            self.assertTrue(compiler.startswith("clang"), "no compiler")
            self.skipTest(f"no {compiler} here")
        for level in levels:
            with self.subTest(level=level):
                done = subprocess.run([compiler, f"-std={level}", "-x", language, "-fsyntax-only", *STRICT, "-"],
                                      input=self.PROGRAM, capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    C = ("c99", "c11", "c17", "c2x")
    CPP = ("c++11", "c++14", "c++17", "c++20", "c++2b")

    def test_gcc(self):
        self.compile_with("gcc", "c", self.C)

    def test_gxx(self):
        self.compile_with("g++", "c++", self.CPP)

    def test_clang(self):
        self.compile_with("clang", "c", self.C)

    def test_clangxx(self):
        self.compile_with("clang++", "c++", self.CPP)

    def test_values_that_stand_for_a_list(self):
        """gcc reads an array parameter as memory that is there, and warns of constants in its place."""
        program = ("#include <mpi.h>\nint f(MPI_Comm c, int n, int *r, MPI_Comm *m) {\n"
                   "return MPI_Dist_graph_create(c, n, r, r, r, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, m) +\n"
                   "MPI_Dist_graph_create_adjacent(c, n, r, MPI_UNWEIGHTED, 0, r, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, m) +\n"
                   "MPI_Dist_graph_neighbors(c, n, r, MPI_UNWEIGHTED, n, r, MPI_UNWEIGHTED);\n}\n")
        done = subprocess.run(["gcc", "-x", "c", "-O2", "-c", *STRICT, "-", "-o", os.devnull], input=program,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Values(unittest.TestCase):
    def test_values_of_the_abi(self):
        """Every constant that the header defines has the ABI's value, and those that it must have are there."""
        with open(os.path.join(SOURCE, "tests", "mpi", "abi_constants.tsv")) as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        header = text_of("mpi.h") + text_of("mpi_constants.h")
        known = [row for row in rows if re.search(rf"\b{row['name']}\b", header)]
        self.assertEqual([row["name"] for row in rows if row not in known], [])
        body = []
        for row in known:
            name, value = row["name"], row["value"]
            if row["c_type"] == "int":
                body.append(f'_Static_assert({name} == ({value}), "{name}");')
            else:
                body.append(f'if ((intptr_t)({name}) != (intptr_t)({value})) return printf("%s is %ld\\n", "{name}", (long)(intptr_t){name});')
        for name, size in (("MPI_Aint", "sizeof(void*)"), ("MPI_Count", "8"), ("MPI_Offset", "8"), ("MPI_Status", "32"),
                           ("MPI_Comm", "sizeof(void*)"), ("MPI_Fint", "4")):
            body.append(f'_Static_assert(sizeof({name}) == {size}, "size of {name}");')
        for member, offset in (("MPI_SOURCE", 0), ("MPI_TAG", 4), ("MPI_ERROR", 8)):
            body.append(f'_Static_assert(offsetof(MPI_Status, {member}) == {offset}, "place of {member}");')
        program = ("#include <mpi.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\nint main(void) {\n" +
                   "\n".join(body) + "\nreturn 0;\n}\n")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "values")
            done = subprocess.run(["gcc", "-std=c11", f"-I{INCLUDE}", "-x", "c", "-", "-o", path], input=program,
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            done = subprocess.run([path], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (0, ""))


class Exports(unittest.TestCase):
    def setUp(self):
        text = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
        self.kinds = {name.split("@")[0]: kind for _, kind, name in (line.split() for line in text.splitlines())}

    def test_what_the_header_declares_is_there_and_nothing_else(self):
        functions = declared("mpi_functions.h", "MPI_")
        self.assertGreater(len(functions), 150)
        profiling = {"P" + name for name in functions}
        self.assertEqual(declared("mpi_profiling.h", "PMPI_"), profiling)
        self.assertEqual(set(self.kinds), functions | profiling)

    def test_a_tool_may_take_any_function(self):
        for name, kind in self.kinds.items():
            self.assertEqual(kind, "W" if name.startswith("MPI_") else "T", name)

    def test_name(self):
        text = subprocess.run(["readelf", "-d", LIBRARY], capture_output=True, text=True, check=True).stdout
        self.assertIn("[libmpi_abi.so.1]", text)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
