# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""`hawser topo` from outside: text, JSON, pictures, peers. Usage: topo_test.py HAWSER [test]"""
import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import unittest
import xml.etree.ElementTree as xml

from topo_hosts import Hosts as TestHosts

HAWSER = sys.argv[1]
SVG = "{http://www.w3.org/2000/svg}"

# Every key that programs may rely on. A new one may come; one that goes needs a new format.
KEYS = """
format host host/boot_id host/name host/net_namespace host/pid_namespace kind links nics nics[]/addresses
nics[]/addresses[]/address nics[]/addresses[]/label nics[]/addresses[]/named nics[]/addresses[]/prefix
nics[]/addresses[]/scope nics[]/addresses[]/used nics[]/addresses[]/why_not nics[]/index nics[]/locality nics[]/mtu
nics[]/name nics[]/numa_node nics[]/properties nics[]/speed_mbps nics[]/state nics[]/up notes errors parameters
parameters[]/name parameters[]/source parameters[]/value parameters[]/where peers peers[]/connections peers[]/from peers[]/links
peers[]/lost peers[]/lost[]/because peers[]/lost[]/cost peers[]/lost[]/details peers[]/lost[]/doubt peers[]/lost[]/ours
peers[]/lost[]/ours/address peers[]/lost[]/ours/interface peers[]/lost[]/reason peers[]/lost[]/theirs
peers[]/lost[]/theirs/address peers[]/lost[]/theirs/interface peers[]/lost[]/verdict peers[]/name peers[]/pairs
peers[]/pairs[]/cost peers[]/pairs[]/details peers[]/pairs[]/doubt peers[]/pairs[]/ours peers[]/pairs[]/ours/address
peers[]/pairs[]/ours/interface peers[]/pairs[]/speed_mbps peers[]/pairs[]/theirs peers[]/pairs[]/theirs/address
peers[]/pairs[]/theirs/interface peers[]/same_node peers[]/tie routes routes[]/direct routes[]/interface
routes[]/network routes[]/prefix version
""".split()


def keys(value, path=""):
    """The ways to all keys of a JSON value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            here = f"{path}/{key}" if path else key
            yield here
            yield from keys(inner, here)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner, path + "[]")


def ends(side):
    """Who is joined with whom, from what one side says of the other."""
    return {(pair["ours"]["address"], pair["theirs"]["address"]) for pair in side["pairs"]}


def verdicts(side, turned):
    """What became of each combination that lost."""
    here, there = ("theirs", "ours") if turned else ("ours", "theirs")
    return {(lost[here]["interface"], lost[here]["address"], lost[there]["interface"], lost[there]["address"]):
            (lost["verdict"], lost["doubt"], lost["cost"]) for lost in side["lost"]}


class Case(unittest.TestCase):
    """Runs the program with no configuration but that of a scratch folder."""
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = {key: value for key, value in os.environ.items()
                            if not re.match(r"(HAWSER|OMPI)_", key)}
        self.environment |= {"HOME": self.path("home"), "HAWSER_SYSTEM_PARAMS": self.path("system.conf"),
                             "HAWSER_OVERRIDE_PARAMS": self.path("override.conf")}

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return self.path(name)

    def topo(self, *words, before=(), status=0, error="", **more):
        """stdout, once status and stderr are as expected: `error` is a pattern; nothing may be there without."""
        more.setdefault("stdin", subprocess.DEVNULL)
        done = subprocess.run([*before, HAWSER, "topo", *words], capture_output=True, text=True, timeout=60,
                              env=self.environment, **more)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        if error:
            self.assertRegex(done.stderr, error)
        else:
            self.assertEqual(done.stderr, "")
        return done.stdout

    def json(self, *words, **more):
        return json.loads(self.topo("--json", *words, **more))

    def peer(self, **changes):
        """A description of another host."""
        return {"kind": "hawser-topo", "format": 1, "host": {"name": "other"}, "nics": [
            {"name": "e0", "index": 1, "addresses": [{"address": "192.0.2.77", "prefix": 24}]}]} | changes


class Alone(Case):
    def test_tells_of_loopback_without_any_configuration(self):
        self.assertRegex(self.topo(), r"(?m)^  lo +127\.0\.0\.1/8 +used within this node$")

    def test_keys_are_those_that_programs_know(self):
        report = self.json("--peer", "127.0.0.1/8,192.0.2.1", "--same-node")
        report["routes"].append({"network": "", "prefix": 0, "interface": 1, "direct": True})
        self.assertEqual(sorted(set(keys(report))), sorted(KEYS))
        self.assertEqual((report["kind"], report["format"]), ("hawser-topo", 1))

    def lo(self, *words, **more):
        report = self.json(*words, **more)
        nic = next(nic for nic in report["nics"] if nic["name"] == "lo")
        return next(address for address in nic["addresses"] if address["address"] == "127.0.0.1")

    def test_each_source_that_excludes_is_named(self):
        self.assertTrue(self.lo()["used"])
        given = self.lo("--mca", "btl_tcp_if_exclude", "127.0.0.0/8")
        self.assertEqual((given["used"], given["why_not"]),
                         (False, 'excluded by btl_tcp_if_exclude = "127.0.0.0/8" (command line)'))
        self.environment["HAWSER_MCA_btl_tcp_if_exclude"] = "lo"
        self.assertIn("(environment HAWSER_MCA_btl_tcp_if_exclude)",
                      self.lo(status=(0 if self.has_other() else 1), error=self.nothing_left())["why_not"])
        del self.environment["HAWSER_MCA_btl_tcp_if_exclude"]
        file = self.write("home/.hawser/mca-params.conf", "\nbtl_tcp_if_exclude = 127.0.0.1\n")
        self.assertIn(f"({file}:2)", self.lo()["why_not"])

    def has_other(self):
        self._other = any(nic["name"] != "lo" and any(a["used"] for a in nic["addresses"]) for nic in
                          json.loads(subprocess.run([HAWSER, "topo", "--json"], capture_output=True, text=True,
                                                    env={}).stdout)["nics"])
        return self._other

    def nothing_left(self):
        return "" if self._other else "no usable address is left"

    def test_an_include_list_leaves_the_others_out(self):
        report = self.json("--mca", "btl_tcp_if_include", "127.0.0.1/32")
        for nic in report["nics"]:
            for address in nic["addresses"]:
                wanted = address["address"] == "127.0.0.1"
                self.assertEqual((address["used"], address["named"]), (wanted, wanted), address)
                if not wanted:
                    self.assertRegex(address["why_not"], r'^not in btl_tcp_if_include = "127.0.0.1/32" \(command line\)$')

    def test_a_family_that_is_off(self):
        report = self.json("--mca", "btl_tcp_disable_family", "6")
        for nic in report["nics"]:
            for address in nic["addresses"]:
                if ":" in address["address"]:
                    self.assertIn('btl_tcp_disable_family = "6"', address["why_not"])

    def test_lists_that_contradict_or_match_nothing_end_with_an_error(self):
        lists = ("--mca", "btl_tcp_if_include", "lo", "--mca", "btl_tcp_if_exclude", "eth7")
        self.assertIn("both set", self.topo(*lists, status=1, error="exclude each other"))
        self.topo("--mca", "btl_tcp_if_include", "nope7", status=1, error='"nope7" matches no usable address; present: ')

    def test_unknown_parameters_are_told_as_info_does(self):
        self.topo("--mca", "btl_tcp_if_inclde", "lo", error='note: .*btl_tcp_if_inclde.*did you mean "btl_tcp_if_include"')
        self.topo("--mca", "btl_tcp_links", "99", status=1, error="btl_tcp_links.*99")

    def test_tcp_that_is_not_used_is_noted(self):
        self.topo("--mca", "btl", "self", error=r"component tcp is not used \(.*command line")

    def test_bad_arguments(self):
        for words, error in ((("--json", "--svg", "-"), "both write to stdout"), (("--same-node",), "give --peer"),
                             (("--peer", "-", "--peer", "-"), "once only"), (("--sgv", "x"), "--sgv")):
            self.topo(*words, status=2, error=error)
        self.topo("--svg", self.path("no/folder.svg"), status=1, error="folder.svg: No such file")

    def on_terminal(self, columns, *words):
        """What a terminal of that width gets."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        done = subprocess.Popen([HAWSER, "topo", *words], stdout=theirs, stdin=subprocess.DEVNULL,
                                env=self.environment | {"TERM": "xterm"})
        os.close(theirs)
        text = b""
        while chunk := self.read(ours):
            text += chunk
        os.close(ours)
        self.assertEqual(done.wait(60), 0)
        return text.decode().replace("\r\n", "\n")

    @staticmethod
    def read(terminal):
        try:
            return os.read(terminal, 65536)
        except OSError:  # the program has ended
            return b""

    def test_colours_and_width(self):
        words = ("--peer", "192.0.2.1,198.51.100.7", "--peer", "127.0.0.2", "--same-node")
        self.environment.pop("NO_COLOR", None)
        plain = self.topo(*words)
        self.assertNotIn("\x1b", plain)
        for columns in (60, 80, 200):
            text = self.on_terminal(columns, *words)
            self.assertIn("\x1b[1m", text)
            lines = re.sub("\x1b\\[[0-9]*m", "", text).splitlines()
            self.assertEqual([line for line in lines if len(line) > columns or line != line.rstrip()], [])
        self.environment["NO_COLOR"] = "1"
        self.assertNotIn("\x1b", self.on_terminal(100, *words))
        self.assertEqual(self.on_terminal(100, *words), plain)


class Peers(Case):
    def test_own_description_is_this_node_over_loopback(self):
        file = self.write("own.json", self.topo("--json"))
        with open(file, encoding="utf-8") as own:
            peer = self.json("--peer", "-", stdin=own)["peers"][0]
        self.assertTrue(peer["same_node"])
        self.assertEqual(ends(peer), {("127.0.0.1", "127.0.0.1")})
        self.assertEqual({lost["because"] for lost in peer["lost"] if lost["verdict"] == "doubtful"} - {"not loopback"},
                         set())

    def test_what_makes_a_node(self):
        own = self.json()
        for key, other in (("boot_id", "0" * 31 + "1"), ("net_namespace", 7), ("pid_namespace", 7)):
            file = self.write("peer.json", own | {"host": own["host"] | {key: other}})
            self.assertFalse(self.json("--peer", file)["peers"][0]["same_node"], key)
            self.assertTrue(self.json("--peer", file, "--same-node")["peers"][0]["same_node"])

    def test_several_peers_keep_their_order(self):
        file = self.write("b.json", self.peer())
        names = [peer["name"] for peer in self.json("--peer", "10.0.0.1", "--peer", file)["peers"]]
        self.assertEqual(names, ["10.0.0.1", "other"])

    def test_bad_addresses(self):
        for text, error in (("10.9.0.2/33", 'entry 1 "10.9.0.2/33", at character 1: .*0 to 32 bits'),
                            ("10.9.0.2@fast", "speed in Mbit/s"), ("10.9.0.2@", "speed in Mbit/s"),
                            ("10.9.0.2,", 'entry 2 "", at character 10'), ("10.9.0.2,eth0", "an address such as"),
                            ("::1/129", "0 to 128 bits"), ("10.9.0.2/-1", "0 to 32 bits"),
                            ("eth0", "eth0: No such file or directory; expected is a file"),
                            ("", 'peer "": empty; expected is a file'), ("0.0.0.0", "stands for any address"),
                            ("::/64", "stands for any address"), ("10.9.0.2,224.0.0.1", "entry 2 .*multicast"),
                            ("ff02::1", "multicast"), ("255.255.255.255", "broadcast"),
                            (",".join(["10.0.0.1"] * 257), "more than 256 addresses")):
            self.topo("--peer", text, status=1, error=error)

    def test_bad_files(self):
        nics = self.peer()["nics"]
        address = nics[0]["addresses"][0]
        changed = lambda **more: self.peer(nics=[nics[0] | {"addresses": [address | more]}])
        for content, error in (
                ("", "line 1, column 1: expected the output of `hawser topo --json`"),
                ('{"kind":\n "hawser-topo",\n x}', "line 3, column 2"),
                ("[]", "at /: expected an object"), ({}, 'at /: there is no "kind"'),
                (self.peer(kind="x"), 'at /kind: expected "hawser-topo"'),
                (self.peer(format=2), "at /format: expected 1, the format of this version of hawser, found 2"),
                (self.peer(nics=7), "at /nics: expected a list, found 7"),
                (self.peer(links=0), "at /links: expected a number from 1 to 64, found 0"),
                (self.peer(nics=nics * 2), "at /nics/1/index: expected an index that no other interface has"),
                (self.peer(host={"name": "x", "boot_id": "12"}), "at /host/boot_id: expected 32 hexadecimal digits"),
                (self.peer(nics=[nics[0] | {"properties": ["slow"]}]), "at /nics/0/properties/0: expected one of loopback"),
                (self.peer(nics=[nics[0] | {"locality": "here"}]), "at /nics/0/locality: expected one of unknown, near"),
                (self.peer(nics=[nics[0] | {"addresses": [address] * 257}]), "257 used addresses, expected at most 256"),
                (self.peer(routes=[{"network": "::", "prefix": 129}]), "at /routes/0/prefix: .*0 to 128"),
                (changed(prefix=33), "at /nics/0/addresses/0/prefix: expected a number from 0 to 32, found 33"),
                (changed(prefix=-1), "found -1"), (changed(prefix="24"), 'found "24"'),
                (changed(address="10.9.0.x"), 'at /nics/0/addresses/0/address: .*found "10.9.0.x"'),
                (changed(used="yes"), "at /nics/0/addresses/0/used: expected true or false")):
            file = self.write("bad.json", content)
            self.topo("--peer", file, status=1, error=r"^hawser topo: error: .*bad\.json: .*" + error)
        self.topo("--peer", self.folder, status=1, error="a directory; expected is a file")
        self.topo("--peer", "/dev/zero", status=1, error="not a regular file; expected is a file")
        os.mkfifo(self.path("pipe"))
        self.topo("--peer", self.path("pipe"), status=1, error="a named pipe, .*; expected is a file")
        self.write("long.json", " " * (17 << 20))
        self.topo("--peer", self.path("long.json"), status=1, error="longer than 16 MiB")
        self.write("deep.json", "[" * 100000)
        self.topo("--peer", self.path("deep.json"), status=1, error="deep.json: line 1")

    def test_a_file_cut_anywhere_is_an_error_and_no_more(self):
        whole = json.dumps(self.peer())
        for end in range(0, len(whole), 7):
            self.topo("--peer", self.write("cut.json", whole[:end]), status=1, error="cut.json: line 1, column")

    def test_a_peer_that_cannot_be_reached(self):
        file = self.write("peer.json", self.peer(nics=[]))
        text = self.topo("--peer", file)
        self.assertIn("no pair, tcp does not reach it\n  the peer has no usable address\n", text)

    def test_names_cannot_write_to_the_terminal(self):
        nics = [{"name": "e\x1b[2J", "index": 1, "addresses": [{"address": "127.0.0.9", "prefix": 8}]}]
        file = self.write("peer.json", self.peer(host={"name": "a\x1b]0;b\x07\u202e"}, nics=nics))
        for all_of_it in ((), ("--all",)):
            text = self.topo("--peer", file, "--same-node", *all_of_it)
            self.assertNotRegex(text, "[\x00-\x09\x0b-\x1f\x7f\u202e]")
            self.assertIn("e?[2J 127.0.0.9", text)

    def test_many_are_folded_unless_all_are_wanted(self):
        nics = [{"name": f"e{i}", "index": i + 1, "speed_mbps": 1000, "addresses": [
            {"address": f"10.77.{i}.1", "prefix": 24}]} for i in range(64)]
        file = self.write("peer.json", self.peer(nics=nics))
        self.assertLess(len(self.topo("--peer", file).splitlines()), 60)
        text = self.topo("--peer", file, "--all")
        self.assertEqual(set(re.findall(r"e\d+ 10\.77\.(\d+)\.1", text)), {str(i) for i in range(64)})


class Picture(Case):
    def svg(self, *words, **more):
        return xml.fromstring(self.topo("--svg", "-", *words, **more).encode())

    @staticmethod
    def chosen(root):
        return [path for path in root.iter(SVG + "path") if path.get("class") == "chosen"]

    def test_without_peers_it_shows_our_interfaces(self):
        root = self.svg()
        self.assertIn("lo", [text.text for text in root.iter(SVG + "text")])
        self.assertEqual(self.chosen(root), [])

    def test_a_file_is_written_and_nothing_said(self):
        self.assertEqual(self.topo("--svg", self.path("a.svg"), "--peer", "127.0.0.2", "--same-node"), "")
        self.assertEqual(len(self.chosen(xml.parse(self.path("a.svg")).getroot())), 1)
        self.assertIn('"kind"', self.topo("--json", "--svg", self.path("a.svg")))

    def test_lines_are_pairs_and_names_are_escaped(self):
        nics = [{"name": "<e>&\"'\x01", "index": 1, "addresses": [{"address": "127.0.0.9", "prefix": 8}]}]
        peer = self.peer(host={"name": "</svg>\ufffe"}, nics=nics)
        files = [self.write(f"{i}.json", peer) for i in range(3)]
        root = self.svg(*(word for file in files for word in ("--peer", file)), "--same-node")
        texts = [text.text for text in root.iter(SVG + "text")]
        self.assertEqual((texts.count("</svg>???"), texts.count("<e>&\"'?")), (3, 3))
        self.assertEqual(len(self.chosen(root)), 3)
        self.assertIn("used (3 pairs)", texts)

    def test_everything_is_inside_the_picture(self):
        nics = [{"name": f"e{i % 7}x{i}", "index": i + 1, "speed_mbps": 1000 * (i % 3), "numa_node": i % 2,
                 "locality": "near", "addresses": [{"address": f"10.77.{i}.1", "prefix": 24}] * (i % 5)}
                for i in range(64)]
        root = self.svg("--peer", self.write("peer.json", self.peer(nics=nics)), "--peer", "192.0.2.1")
        width, height = float(root.get("width")), float(root.get("height"))
        for rect in root.iter(SVG + "rect"):
            if rect.get("x"):
                self.assertLessEqual(float(rect.get("x")) + float(rect.get("width")), width)
                self.assertLessEqual(float(rect.get("y")) + float(rect.get("height")), height)
        for text in root.iter(SVG + "text"):
            self.assertLess(float(text.get("y")), height)


class Hosts(Case):
    """Two hosts as they are found in the field, joined by one good cable."""

    def setUp(self):
        super().setUp()
        self.hosts = TestHosts()
        self.addCleanup(self.hosts.remove)

    def on(self, host):
        return {"before": ("ip", "netns", "exec", self.hosts.names[host])}

    def describe(self, host, *words):
        return self.write(f"{host}.json", self.topo("--json", *words, **self.on(host)))

    def both(self, *words):
        """What each says of the other."""
        a, b = self.describe("a", *words), self.describe("b", *words)
        return (self.json("--peer", b, *words, **self.on("a"))["peers"][0],
                self.json("--peer", a, *words, **self.on("b"))["peers"][0])

    def test_the_good_interface_is_the_only_pair_and_all_else_has_a_reason(self):
        self.hosts.crowd()
        a, b = self.both()
        self.assertFalse(a["same_node"])
        self.assertEqual(ends(a), {("10.9.0.1", "10.9.0.2")})
        self.assertEqual(ends(b), {("10.9.0.2", "10.9.0.1")})
        self.assertEqual(verdicts(a, False), verdicts(b, True))
        reasons = {frozenset((lost["ours"]["interface"], lost["theirs"]["interface"])): lost for lost in a["lost"]
                   if lost["verdict"] == "doubtful"}
        for nic in ("virbr0", "tun0", "dum0", "dum19"):
            self.assertTrue(reasons[frozenset(("e0", nic))]["because"], nic)
        docker = [lost for lost in a["lost"] if lost["ours"]["interface"] == lost["theirs"]["interface"] == "docker0"]
        self.assertEqual({lost["verdict"] for lost in docker}, {"own_address"})
        text = self.topo("--peer", self.describe("b"), **self.on("a"))
        self.assertRegex(text, r"on another node: 1 pair\n  e0 10\.9\.0\.1 === e0 10\.9\.0\.2 ")
        self.assertIn("dum0..dum19", text)
        self.assertLess(len(text.splitlines()), 45)
        root = xml.fromstring(self.topo("--svg", "-", "--peer", self.describe("b"), **self.on("a")).encode())
        self.assertEqual(len(Picture.chosen(root)), 1)
        texts = [node.text for node in root.iter(SVG + "text")]
        self.assertEqual(texts.count("dum0..dum19"), 2)

    def test_what_is_named_is_used(self):
        self.hosts.crowd()
        a, b = self.both("--mca", "btl_tcp_if_include", "virbr0,e0")
        self.assertEqual({pair["ours"]["interface"] for pair in a["pairs"]}, {"e0"})
        self.assertEqual(verdicts(a, False), verdicts(b, True))
        a, b = self.both("--mca", "btl_tcp_if_include", "virbr0")
        self.assertEqual([(pair["ours"]["interface"], pair["theirs"]["interface"]) for pair in a["pairs"]],
                         [("virbr0", "virbr0")])  # the last candidate, whatever speaks against it

    def test_equal_ways_are_a_tie_and_a_mirror(self):
        self.hosts.cable("f0", "10.8.0.1/16", "10.8.0.2/16")
        self.hosts.cable("f1", "10.8.1.1/16", "10.8.1.2/16")
        a, b = self.both("--mca", "btl_tcp_if_include", "10.8.0.0/16")
        self.assertEqual(len(a["pairs"]), 2)
        self.assertEqual(ends(a), {(theirs, ours) for ours, theirs in ends(b)})
        self.assertEqual(verdicts(a, False), verdicts(b, True))

    def test_addresses_as_a_peer(self):
        peer = self.json("--peer", "10.9.0.9@2500,fd00::9", **self.on("a"))["peers"][0]
        self.assertEqual(ends(peer), {("10.9.0.1", "10.9.0.9")})
        self.assertIn("same network", peer["pairs"][0]["details"])  # it took the prefix of ours
        self.assertEqual(peer["pairs"][0]["speed_mbps"], 2500)

    def test_links_of_both_sides(self):
        a = self.describe("a", "--mca", "btl_tcp_links", "4")
        peer = self.json("--peer", a, "--mca", "btl_tcp_links", "3", **self.on("b"))["peers"][0]
        self.assertEqual(peer["links"], 3)

    def test_down_and_bare_interfaces_are_shown(self):
        self.hosts.ip("a", "link add br7 type bridge", "link add br8 type bridge", "link set br8 up",
                      "addr flush dev br8")
        text = self.topo(**self.on("a"))
        self.assertRegex(text, r"(?m)^  br7 .* not used: the interface is down$")
        self.assertRegex(text, r"(?m)^  br8 .*( not used: no address|fe80::)")

    def test_a_host_with_loopback_only_and_one_with_nothing(self):
        self.hosts.add("c")
        self.assertRegex(self.topo("--peer", self.describe("b"), **self.on("c")), "another node: no pair")
        self.hosts.ip("c", "link set lo down")
        note = "note: tcp would not open: no usable address is left"
        self.assertIn("tcp uses 0 of 0 addresses", self.topo(**self.on("c"), error=note))
        root = xml.fromstring(self.topo("--svg", "-", "--peer", "10.0.0.1", **self.on("c"), error=note).encode())
        self.assertEqual(Picture.chosen(root), [])


if __name__ == "__main__":
    if "Hosts" in sys.argv[2:]:
        why = TestHosts.why_not()
        if why:
            print("skipped:", why)
            sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
