"""Runs the operations of one client, as testdata/npm/worker.mjs does: requests come as JSON lines on standard input, what
became of them goes out as JSON lines on standard output. The argument names the client's own file."""

import asyncio
import importlib
import json
import sys

client = importlib.import_module("client_" + sys.argv[1])
under_way = {}


def write(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def told(error):
    """What an error shows to a program: its class and the members that programs decide on."""
    code = client.code(error)
    return {
        "class": type(error).__name__,
        "status": getattr(error, "status_code", 0) or 0,
        "code": "" if code is None else str(code),
        "message": str(error),
    }


async def perform(message):
    number = message["id"]

    def progress(text):
        if text:
            write({"id": number, "progress": text})

    try:
        run = client.endpoints[message["endpoint"]][message["op"]]
        write({"id": number, "result": await run(message["key"], message["model"], progress)})
    except asyncio.CancelledError:
        write({"id": number, "result": {"aborted": True}})
    except Exception as error:
        write({"id": number, "result": {"error": told(error)}})
    finally:
        under_way.pop(number, None)


async def main():
    reader = asyncio.StreamReader(limit=1 << 20)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        message = json.loads(line)
        if "abort" in message:
            if task := under_way.get(message["abort"]):
                task.cancel()
        else:
            under_way[message["id"]] = asyncio.create_task(perform(message))


asyncio.run(main())
