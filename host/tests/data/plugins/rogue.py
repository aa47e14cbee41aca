#!/usr/bin/env python3
"""A plugin that goes wrong: `rogue.py MODE` draws the tool `rogue_MODE` and fails in that way.

`fine` does nothing wrong. Modes that begin with `hello_` fail before they have said what they draw.
"""
import json
import os
import signal
import subprocess
import sys
import time

mode = sys.argv[1]
note = sys.argv[2] if len(sys.argv) > 2 else None
out = sys.stdout.buffer


def say(value):
    raw(json.dumps(value).encode() + b"\n")


def raw(data):
    out.write(data)
    out.flush()


def hang():
    while True:
        pass


def hello():
    if mode == "hello_exit":
        print("I do not like it here", file=sys.stderr)
        sys.exit(3)
    if mode == "hello_hangs":
        time.sleep(600)
    if mode == "hello_not_json":
        raw(b"hello, carpel\n")
    if mode == "hello_huge":
        raw(b"x" * (2 << 20))
    if mode == "hello_card":
        say({"reply": "card", "id": 1, "card": {}})
    said = {"reply": "hello", "abi": 1, "name": "rogue-" + mode, "version": "1", "views": ["rogue_" + mode],
            "commands": [{"name": "rogue-" + mode, "summary": "fails", "usage": "[TEXT]"}]}
    if mode == "hello_abi":
        said["abi"] = 99
    if mode == "hello_nameless":
        said["name"] = ""
    if mode == "hello_hostile":
        said["name"] = "a\x1b[2Jb"
    if mode == "hello_other_abi_field":
        said["views"] = 7
    say(said)


def card(request):
    at = request["id"]
    good = {"reply": "card", "id": at, "card": {"title": "drawn by " + mode, "body": [{"text": [str(os.getpid())]}]}}
    if mode == "exit":
        sys.exit(0)
    if mode == "abort":
        os.abort()
    if mode == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    if mode == "bus":
        os.kill(os.getpid(), signal.SIGBUS)
    if mode == "hang":
        hang()
    if mode == "sleep":
        time.sleep(10)
    if mode == "silent":
        return
    if mode == "endless":
        while True:
            raw(b"x" * 65536)
    if mode == "endless_lines":
        while True:
            raw(b'{"reply":"weather"}\n' * 1000)
    if mode == "not_json":
        raw(b"{\n")
    if mode == "not_utf8":
        raw(b'{"reply":"card","id":%d,"card":{"title":"\xff"}}\n' % at)
    if mode == "huge":
        good["card"]["body"] = [{"output": "x" * (1 << 20)}]
    if mode == "wrong_id":
        good["id"] = at + 1000
    if mode == "twice":
        say(good)
    if mode == "other_kind":
        good = {"reply": "command.run", "id": at}
    if mode == "bad_card":
        good["card"]["body"] = [{"diff": 7}]
    if mode == "negative":
        good["card"]["body"] = [{"code": {"text": "x", "first_line": -1}}]
    if mode == "deep":
        raw(b'{"reply":"card","id":%d,"card":' % at + b"[" * 100000 + b"\n")
        return
    if mode == "memory":
        import mmap
        held = []
        while True:
            held.append(mmap.mmap(-1, 256 << 20))
    if mode == "closes":
        os.close(1)
        time.sleep(600)
    if mode == "error":
        good = {"reply": "error", "id": at, "message": "the moon\x1b[2J is wrong"}
    if mode == "flood":
        while True:
            os.write(2, b"words " * 10000)
    if mode == "ignores_signals":
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        hang()
    if mode == "child":
        # What it started is to end with it.
        child = subprocess.Popen(["sleep", "60000"])
        with open(note + ".new", "w") as file:
            file.write(str(child.pid))
        os.rename(note + ".new", note)
        time.sleep(600)
    if mode == "once":
        # Fails the first time only.
        if not os.path.exists(note):
            open(note, "w").close()
            os.abort()
    if mode == "tty":
        try:
            with open("/dev/tty", "w") as tty:
                tty.write("written on the terminal")
                good["card"]["title"] = "has a terminal"
        except OSError:
            good["card"]["title"] = "has no terminal"
    say(good)


for line in sys.stdin:
    request = json.loads(line)
    word = request["request"]
    if word == "hello":
        hello()
    elif word == "card":
        card(request)
    elif word == "command.complete":
        say({"reply": "command.complete", "id": request["id"], "completions": [{"insert": "now", "summary": "at once"}]})
    elif word == "command.run":
        if request["arguments"] == "wrong":
            say({"reply": "error", "id": request["id"], "message": "it is wrong"})
        elif request["arguments"] == "abort":
            os.abort()
        else:
            say({"reply": "command.run", "id": request["id"], "outcome": "ran", "lines": ["\x1b[2Jin " + request["cx"]["cwd"]]})
