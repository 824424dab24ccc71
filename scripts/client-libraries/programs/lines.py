"""Reads the requests of lines.ts and prints the answers of `send(method, url, headers, content)`."""

import base64
import sys


def chunks(body):
    if body:
        yield body


def answer_lines(send):
    for line in sys.stdin:
        method, url, headers, sends, body, flag = line.rstrip("\n").split("\t")
        pairs = [pair.split(": ", 1) for pair in base64.b64decode(headers).decode().split("\n") if pair]
        named = dict(pairs)
        if flag == "expect":
            named["Expect"] = "100-continue"
        data = base64.b64decode(body)
        content = {"none": None, "length": data, "chunked": chunks(data)}[sends]
        try:
            status, got = send(method, url, named, content)
            print("ok", status, base64.b64encode(got).decode(), sep="\t", flush=True)
        except Exception as error:
            print("failed", " ".join(repr(error).split()), "", sep="\t", flush=True)
