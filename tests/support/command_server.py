"""A server for tests that run many commands: it has lookalike imported, and forks a process for every command.

A command runs as it always does, in a process of its own, with the folder, the environment and the standard streams of
its caller. It only starts sooner: an interpreter takes a second to import everything.
"""

from __future__ import annotations

import importlib
import json
import os
import shlex
import socket
import socketserver
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from numba.core.registry import cpu_target

from support.paths import ROOT

HEAVY = (
    "lookalike.cli.app", "lookalike.pipeline", "lookalike.index", "lookalike.report", "lookalike.read",
    "matplotlib.figure", "pandas", "rich.console", "rich.progress", "rich.table",
)  # fmt: skip
"""Modules that commands import when they need them."""

CLIENT = """
import json, os, socket, struct, sys
server = socket.socket(socket.AF_UNIX)
server.connect({address!r})
request = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
socket.send_fds(server, [struct.pack("q", len(request))], [0, 1, 2])
server.sendall(request)
answer = server.recv(8)
sys.exit(struct.unpack("q", answer)[0] if answer else 1)
"""


@contextmanager
def command_server(folder: Path) -> Iterator[Path]:
    """Serve commands until the end; yield an executable file that runs `lookalike` with its arguments."""
    address, program = folder / "socket", folder / "lookalike"
    client = CLIENT.format(address=str(address))
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -S -E -c {shlex.quote(client)} "$@"\n')
    program.chmod(0o755)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])}
    command = [sys.executable, "-m", "support.command_server", str(address)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == b"ready\n"
        yield program
        server.terminate()


class Handler(socketserver.BaseRequestHandler):
    """One command: a process forked by the server waits for another, which runs it."""

    def handle(self) -> None:
        """Run what the client asks for, with its streams; send the exit code."""
        head, streams, _, _ = socket.recv_fds(self.request, 8, 3)
        (length,) = struct.unpack("q", head)
        arguments, folder, environment = json.loads(self.request.makefile("rb").read(length))
        if child := os.fork():
            _, status = os.waitpid(child, 0)
            self.request.sendall(struct.pack("q", os.waitstatus_to_exitcode(status)))
            return
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        os._exit(run(arguments))


def run(arguments: list[str]) -> int:
    """Run a command in this process, which has no other purpose; return its exit code."""
    from lookalike.cli import main  # noqa: PLC0415 - the server alone needs it

    sys.argv = ["lookalike", *arguments]
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", buffering=1)  # noqa: SIM115
    code: object = 0
    try:
        main()
    except SystemExit as end:
        code = end.code or 0
    with suppress(OSError):
        sys.stdout.flush()
    return code if isinstance(code, int) else 1


class Server(socketserver.ForkingMixIn, socketserver.UnixStreamServer):
    """Forks for every connection."""


if __name__ == "__main__":
    for name in HEAVY:
        importlib.import_module(name)
    cpu_target.target_context.refresh()  # imports what Numba needs to load a kernel
    with Server(sys.argv[1], Handler) as serving:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        serving.serve_forever()
