"""A live origin of many channels that costs little itself: files made before, a playlist by the clock, sendfile.

usage: python3 loop_origin.py FOLDER CHANNELS SEGMENT_SECONDS

FOLDER has 0.ts, 1.ts, … without a jump between them. Every channel shows them in turn, from a moment of its own. Prints its
port. A HEAD or GET of /N/index.m3u8 and /N/NUMBER.ts; NUMBER counts from 0.
"""
import asyncio
import datetime
import os
import sys
import time

LISTED = 6
# Numbers behind the playlist that are still answered.
KEPT = 3


class Origin:
    def __init__(self, folder, channels, seconds):
        count = len([name for name in os.listdir(folder) if name.endswith(".ts")])
        self.paths = [os.path.join(folder, f"{index}.ts") for index in range(count)]
        self.channels, self.seconds = channels, seconds
        self.began = time.time() - LISTED * seconds

    def newest(self, channel):
        """The number of the last segment that is listed now."""
        phase = self.seconds * channel / self.channels
        return int((time.time() - self.began - phase) / self.seconds) - 1

    def playlist(self, channel):
        last = self.newest(channel)
        first = max(0, last - LISTED + 1)
        phase = self.seconds * channel / self.channels
        when = datetime.datetime.fromtimestamp(self.began + phase + first * self.seconds, datetime.timezone.utc)
        lines = ["#EXTM3U", "#EXT-X-VERSION:3", f"#EXT-X-TARGETDURATION:{self.seconds}",
                 f"#EXT-X-MEDIA-SEQUENCE:{first}", f"#EXT-X-DISCONTINUITY-SEQUENCE:{max(0, first - 1) // len(self.paths)}",
                 "#EXT-X-PROGRAM-DATE-TIME:" + when.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"]
        for number in range(first, last + 1):
            if number > 0 and number % len(self.paths) == 0:
                lines.append("#EXT-X-DISCONTINUITY")
            lines += [f"#EXTINF:{self.seconds:.3f},", f"{number}.ts"]
        return ("\n".join(lines) + "\n").encode()

    def segment(self, channel, number):
        last = self.newest(channel)
        return self.paths[number % len(self.paths)] if last - LISTED - KEPT < number <= last else None

    async def serve(self, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                await self.answer(head.split(b" ", 2)[1].decode(), writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def answer(self, path, writer):
        channel, name = path.lstrip("/").split("?")[0].split("/", 1)
        if name == "index.m3u8":
            body = self.playlist(int(channel))
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/vnd.apple.mpegurl\r\n"
                         b"Content-Length: %d\r\n\r\n" % len(body) + body)
            return await writer.drain()
        file = self.segment(int(channel), int(name.split(".")[0]))
        if file is None:
            writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            return await writer.drain()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: video/mp2t\r\nContent-Length: %d\r\n\r\n" % os.path.getsize(file))
        await writer.drain()
        with open(file, "rb") as opened:
            await asyncio.get_running_loop().sendfile(writer.transport, opened)


async def main():
    origin = Origin(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    server = await asyncio.start_server(origin.serve, "127.0.0.1", 0, backlog=2048)
    print("port", server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
