#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""make_man.py HAWSER FOLDER: man pages of `hawser` and its commands, made of what `--help` says; so they are true."""
import os
import pathlib
import re
import subprocess
import sys

SECTION = re.compile(r"^(Options|Positionals|Subcommands|Examples):$", re.IGNORECASE)
FILES = r""".SH FILES
.TP
.I ~/.hawser/mca\-params.conf
parameters of the user
.TP
.I etc/hawser/mca\-params.conf
of the installation, and before it
.I /etc/hawser/mca\-params.conf
.TP
.I share/hawser/mca\-params
parameter files for
.B \-\-tune
.TP
.IR ~/.hawser/components ", " lib/hawser
where components are found, after the folders of the parameter
.B mca_component_path
.SH ENVIRONMENT
.TP
.BI HAWSER_MCA_ name
sets the parameter
.IR name ;
.BI OMPI_MCA_ name
is read below it
"""


def help_of(hawser, command):
    """What `--help` says, and (option, text) and paragraphs by section."""
    clean = {**os.environ, "HOME": "/nonexistent", "COLUMNS": "100"}
    arguments = [hawser] + ([command] if command else []) + ["--help"]
    return subprocess.run(arguments, capture_output=True, text=True, check=True, timeout=20, env=clean).stdout


def roff(text):
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return "\n".join(r"\&" + line if line[:1] in (".", "'") else line for line in text.splitlines())


def sections_of(text):
    """[(title, lines)]; what comes before the first title and after a gap has the title ""."""
    parts = [("", [])]
    for line in text.splitlines():
        found = SECTION.match(line)
        if found:
            parts.append((found[1].capitalize(), []))
        elif line and not line.startswith(" ") and parts[-1][0]:
            parts.append(("", [line]))
        else:
            parts[-1][1].append(line)
    return parts


def entries_of(lines):
    """[(what, text)] of lines "  what    text", continued where a line is indented further."""
    entries = []
    for line in lines:
        found = re.match(r"^  (\S.*?)(?:  +(\S.*))?$", line)
        if found:
            entries.append([found[1], found[2] or ""])
        elif line.strip() and entries:
            entries[-1][1] += " " + line.strip()
    return entries


def page_of(hawser, command, tells, version, others):
    name = f"hawser-{command}" if command else "hawser"
    page = [f'.TH {name.upper().replace("-", chr(92) + "-")} 1 "" "Hawser {version}" "Hawser"',
            ".SH NAME", rf"{roff(name)} \- {roff(tells)}"]
    after = []
    for title, lines in sections_of(help_of(hawser, command)):
        text = [line for line in lines if line.strip()]
        usage = [line for line in text if line.startswith("Usage: ")]
        if usage:
            page += [".SH SYNOPSIS", ".B " + roff(usage[0][7:]), ".SH DESCRIPTION"]
            page += [roff(line) for line in text if line not in usage]
        elif title == "Examples":
            after += [".SH EXAMPLES", ".nf"] + [roff(line[2:]) for line in text] + [".fi"]
        elif title:
            page.append(".SH " + {"Positionals": "ARGUMENTS", "Subcommands": "COMMANDS"}.get(title, title.upper()))
            for what, tells_more in entries_of(text):
                page += [".TP", ".B " + roff(what), roff(tells_more)]
        elif text:
            after += [".SH NOTES" if ".SH NOTES" not in after else ".PP"] + [roff(line) for line in text]
    see = ", ".join(rf"\fB{roff(other)}\fR(1)" for other in others if other != name)
    return "\n".join(page + after) + "\n" + FILES + ".SH SEE ALSO\n" + see + "\n"


def commands_of(hawser):
    return next(entries_of(lines) for title, lines in sections_of(help_of(hawser, "")) if title == "Subcommands")


def main(hawser, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([hawser, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    commands = commands_of(hawser)
    others = ["hawser"] + [f"hawser-{command}" for command, _ in commands] + ["mpicc"]
    pages = [("", "message passing over transports that are chosen at run time")] + commands
    for command, tells in pages:
        page = page_of(hawser, command, tells, version, others)
        (folder / (f"hawser-{command}.1" if command else "hawser.1")).write_text(page)


if __name__ == "__main__":
    main(*sys.argv[1:])
