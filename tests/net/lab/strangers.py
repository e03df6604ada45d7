# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""Calls that no job expects. Usage: strangers.py ADDRESS PORT...: says "done" when all that can be done at once is
done, then holds its silent connections until the end of its standard input."""
import os
import random
import socket
import struct
import sys

MAGIC, VERSION = b"HWSRTCP1", 1
SILENT = 20


def call(address, port):
    return socket.create_connection((address, port), timeout=10)


def send(connection, data):
    try:
        connection.settimeout(1)  # who is not in a call of MPI reads nothing
        connection.sendall(data)
    except OSError:
        pass  # it was closed on us, as it should be


def visit(address, port):
    """What is left open."""
    call(address, port).close()
    with call(address, port) as connection:
        send(connection, random.randbytes(1 << 20))
    for version in (VERSION, VERSION + 1):
        with call(address, port) as connection:  # the right words, of another job
            send(connection, MAGIC + struct.pack("<HH", version, 0) + os.urandom(200))
    connection = call(address, port)
    send(connection, b"GET / HTTP/1.1\r\n\r\n")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()  # a reset
    held = [call(address, port) for _ in range(SILENT)]
    for connection in held:
        send(connection, MAGIC[:3])
    return held


def main():
    held = []
    for port in sys.argv[2:]:
        held += visit(sys.argv[1], int(port))
    print("done", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
