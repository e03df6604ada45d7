#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the shape of the tree: layering.py CHECK [--root DIR] [--compiler CXX] [--cache FILE]

CHECK is includes, headers, sizes, licence or words. Each fault is a line "FILE:LINE: text"; exit status 1 if any.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

CODE = {".cpp", ".hpp", ".c", ".h"}
SCRIPTS = {".py", ".sh", ".cmake", ".txt", ".in", ".tcl", ".pml"}
LAYERS = ("framework", "components", "bml", "pml", "mpi", "tools", "examples", "bench", "tests")

# What each layer may include, as path prefixes; itself always.
ALLOWED = {
    "framework": (),
    "components": tuple(f"framework/{part}/" for part in
                        ("base", "btl", "mca", "interfaces", "live", "matching", "peers", "modex")),
    "bml": ("framework/",),
    "pml": ("framework/", "bml/"),
    "mpi": ("framework/", "bml/", "pml/"),
    "tools": ("framework/", "bml/", "pml/", "mpi/"),
    "examples": ("framework/", "bml/", "pml/", "mpi/"),
    "bench": ("framework/", "bml/", "pml/", "mpi/"),
}
# Folders that are projects of their own, as those of component authors are: they include what components may, and
# their own files by name.
OUTSIDE = ("tools/new/template/", "examples/mapped/")
# Inside framework/, the parts that stand lowest.
ALLOWED_IN_FRAMEWORK = {"base": ("base",), "mca": ("base", "mca"), "btl": ("base", "btl", "mca")}
# Libraries that one place only may know.
HOME_OF_LIBRARY = {"boost/": "framework/loader/", "spdlog/": "framework/base/"}

FILE_SOFT, FILE_HARD, FUNCTION_HARD = 400, 600, 60
# Installed beside each other, and as long as the MPI standard makes them.
PUBLIC_MPI = "mpi/include/"

PROJECTS = r"(Open MPI|openpmix|PMIx|PRRTE|UCX|libfabric|Lustre|LU-|MPICH|NCCL|aws-ofi-nccl|GCC|LLVM|clang|Linux|kernel)"


def walk(root):
    """Files of the project, as paths relative to `root`; build folders and hidden ones are none."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if not f.startswith("build") and f != "__pycache__"
                            and (not f.startswith(".") or f == ".ci"))
        for name in sorted(names):
            yield (pathlib.Path(folder) / name).relative_to(root)


def code_files(root):
    for path in walk(root):
        if path.suffix in CODE and path.parts[0] in LAYERS:
            yield path


def read(root, path):
    return (root / path).read_text(encoding="utf-8", errors="replace")


def includes_of(text):
    """(line number, path, whether in quotes) of each include."""
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if found:
            yield number, found[2], found[1] == '"'


def owner(path):
    """The layer of a file; a component is a layer of its own."""
    parts = pathlib.PurePath(path).parts
    return "/".join(parts[:2]) + "/" if parts[0] == "components" else parts[0] + "/"


def include_fault(path, target):
    """Why `path` may not include the project's file `target`; None if it may."""
    layer = path.parts[0]
    if layer == "tests":
        return None
    if str(path).startswith(OUTSIDE):
        return None if target.startswith(ALLOWED["components"]) else f"a component must not include {target}"
    if not target.startswith(owner(path)) and not target.startswith(ALLOWED[layer]):
        return f"{owner(path)} must not include {target}"
    if layer == "framework" and len(path.parts) > 2 and path.parts[1] in ALLOWED_IN_FRAMEWORK:
        part = target.split("/")[1]
        if part not in ALLOWED_IN_FRAMEWORK[path.parts[1]]:
            return f"framework/{path.parts[1]}/ must not include {target}"
    return None


def check_includes(root, _):
    for path in code_files(root):
        for number, target, quoted in includes_of(read(root, path)):
            top = target.split("/")[0]
            if top in LAYERS and "/" in target:
                fault = include_fault(path, target)
                if not fault and not (root / target).exists():
                    fault = f"{target} does not exist"
            elif quoted and str(path).startswith(OUTSIDE):
                fault = None if (root / path.parent / target).exists() else f"{target} does not exist"
            elif quoted and not str(path).startswith(PUBLIC_MPI):
                fault = f'"{target}": include by full path from the top, or in angle brackets'
            else:
                fault = next((f"{target} belongs to {home} only" for library, home in HOME_OF_LIBRARY.items()
                              if target.startswith(library) and not str(path).startswith((home, "tests/"))), None)
            if fault:
                yield f"{path}:{number}: {fault}"


def closure_hash(root, path, flags):
    """Changes when the header, or anything of the project that it includes, changes."""
    digest, todo, seen = hashlib.sha256(flags.encode()), [str(path)], set()
    while todo:
        name = todo.pop()
        if name in seen or not (root / name).exists():
            continue
        seen.add(name)
        text = read(root, name)
        digest.update(name.encode() + b"\0" + text.encode())
        todo += sorted(target for _, target, _ in includes_of(text))
    return digest.hexdigest()


def compile_header(root, path, compiler):
    command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", str(root),
               "-I", str(root / "mpi/include"), "-x", "c++", "-"]
    run = subprocess.run(command, input=f'#include "{path}"\n', capture_output=True, text=True, check=False)
    return run.stderr if run.returncode else ""


def shown_by_sources(root):
    """Headers that the build compiles alone already: a source file of what is shipped includes them first."""
    sources = (path for path in code_files(root) if path.suffix == ".cpp" and path.parts[0] != "tests")
    return {next((target for _, target, _ in includes_of(read(root, path))), None) for path in sources}


def check_headers(root, options):
    """Each header compiles alone. Headers that did, and have not changed, are not compiled again."""
    cache = pathlib.Path(options.cache) if options.cache else None
    good = set(json.loads(cache.read_text())) if cache and cache.exists() else set()
    shown = shown_by_sources(root)
    headers = [path for path in code_files(root)
               if path.suffix == ".hpp" and path.parts[0] != "tests" and str(path) not in shown]
    keys = {path: closure_hash(root, path, options.compiler) for path in headers}
    todo = [path for path in headers if keys[path] not in good]
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        errors = dict(zip(todo, pool.map(lambda path: compile_header(root, path, options.compiler), todo)))
    if cache:
        cache.write_text(json.dumps(sorted(keys[path] for path in headers if not errors.get(path))))
    for path in todo:
        if errors[path]:
            yield f"{path}:1: does not compile alone:\n{errors[path]}"


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def bare(text):
    """The text without comments, literals and preprocessor lines; line numbers stay."""
    text = re.sub(r'R"([^(\s]*)\(.*?\)\1"', blank, text, flags=re.S)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*.*?\*/', blank, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)


def without_parentheses(header):
    """Macros and attributes with arguments must not look like a parameter list."""
    return re.sub(r"\b(HAWSER_\w+|alignas|__attribute__|decltype)\s*\([^()]*(\([^()]*\))*[^()]*\)", " ", header)


def kind_of_block(header):
    """"scope" (namespace, class), "body" (of a function) or "data" (an initializer)."""
    plain = without_parentheses(header)
    if re.search(r"\b(namespace|class|struct|union|enum|extern)\b", plain) and "(" not in plain:
        return "scope"
    if re.search(r"[^=!<>]=\s*$", plain) or ("(" not in plain and plain.strip()):
        return "data"
    return "body"


def functions_of(text):
    """(first line, number of lines) of each function, nested ones not apart."""
    stack, start, line, header_line = [], 0, 1, 1
    code = bare(text)
    for at, char in enumerate(code):
        if char == "\n":
            line += 1
        elif char in "{};":
            if char == "{":
                inside = stack[-1][0] if stack else "scope"
                kind = kind_of_block(code[start:at]) if inside == "scope" else "inner"
                stack.append((kind, header_line))
            elif char == "}" and stack:
                kind, first = stack.pop()
                if kind == "body":
                    yield first, line - first + 1
            start, header_line = at + 1, 0
        elif not char.isspace() and header_line == 0:
            header_line = line


def check_sizes(root, _):
    soft = []
    for path in code_files(root):
        if str(path).startswith(PUBLIC_MPI):
            continue
        text = read(root, path)
        lines = text.count("\n")
        if lines > FILE_HARD:
            yield f"{path}:1: {lines} lines; the limit is {FILE_HARD}"
        elif lines > FILE_SOFT:
            soft.append(f"{path}: {lines} lines")
        for first, length in functions_of(text):
            if length > FUNCTION_HARD:
                yield f"{path}:{first}: a function of {length} lines; the limit is {FUNCTION_HARD}"
    if soft:
        print(f"over {FILE_SOFT} lines (allowed up to {FILE_HARD}):", *soft, sep="\n  ")


def has_licence(path):
    if path.name in ("CMakeLists.txt", "run") or path.suffix in CODE:
        return True
    return path.suffix in SCRIPTS and path.suffix != ".txt"


def check_licence(root, _):
    for path in walk(root):
        if not has_licence(path):
            continue
        head = "\n".join(read(root, path).splitlines()[:4])
        for wanted in ("SPDX-FileCopyrightText: 2026 The Hawser authors", "SPDX-License-Identifier: Apache-2.0"):
            if wanted not in head:
                yield f"{path}:1: no line \"{wanted}\" at the top"


def check_words(root, _):
    """The project speaks only of itself: no paths of a machine, no numbers of a tracker of its own."""
    ours = str(pathlib.Path("tests/layering"))
    for path in walk(root):
        if str(path.parent) == ours or path.suffix in {".tsv", ".json", ".bin"}:
            continue
        before = ""
        for number, line in enumerate(read(root, path).splitlines(), 1):
            if re.search(r"(?<![\w.])/(work|home|farm)/", line):
                yield f"{path}:{number}: a path of one machine"
            tracker = re.search(r"(?<![\w&#/])#\d+\b|\bissue #?\d+", line)
            if tracker and not re.search(PROJECTS, before + line):
                yield f"{path}:{number}: \"{tracker[0]}\" names no public project"
            before = line


CHECKS = {"includes": check_includes, "headers": check_headers, "sizes": check_sizes, "licence": check_licence,
          "words": check_words}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", choices=CHECKS)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--cache", help="file that remembers which headers were good")
    options = parser.parse_args()
    faults = list(CHECKS[options.check](options.root.resolve(), options))
    print(*faults, sep="\n", end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
