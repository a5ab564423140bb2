"""A connection between a client and a service that can be cut, and tells what went through it."""
import asyncio
import re
import threading
import time

HEAD = re.compile(rb'(?:([A-Z]+) (\S+) HTTP/1\.1|HTTP/1\.1 (\d+)).*?\r\n\r\n', re.S)
LENGTH = re.compile(rb'\r\ncontent-length: *(\d+)', re.I)
# Who listens wants to hear what workers need not be told, such as when a lock ends: a preference that no service knows, of the same length.
LITTLE, ALL = b'Prefer: return=minimal', b'Prefer: return=maximal'


class Link:
    """Listens on a port of its own. Each of these holds from now on, for connections that there are and for new ones."""

    def __init__(self, port, on_answer=None):
        """`port`: of the service. `on_answer`: called with each answer of it, also one that is not carried further: the path that was asked
        for, when that was, and the bodies of request and answer."""
        self._port = port
        self._on_answer = on_answer
        self._is_cut = False
        self._is_silent = False
        self._loses_answers = 0
        self._writers = set()
        self._loop = asyncio.new_event_loop()
        self._server = self._loop.run_until_complete(asyncio.start_server(self._serve, '127.0.0.1', 0))
        self.port = self._server.sockets[0].getsockname()[1]
        self.origin = f'http://127.0.0.1:{self.port}'
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def cut(self):
        """Connections are reset."""
        self._is_cut = True
        self._do(self._reset)

    def silence(self):
        """Nothing comes through any more, in either way, and nobody is told."""
        self._is_silent = True

    def lose_answers(self, count=1):
        """So many answers of the service end their connections in place of coming through."""
        self._loses_answers = count

    def mend(self):
        """What was silent is cut: nobody knows what would come."""
        was_silent, self._is_silent, self._is_cut = self._is_silent, False, False
        if was_silent:
            self._do(self._reset)

    def close(self):
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._do(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end(self):
        self._server.close()
        self._reset()
        await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}), return_exceptions=True)

    def _do(self, what):
        self._loop.call_soon_threadsafe(what)

    def _reset(self):
        for writer in self._writers:
            writer.transport.abort()

    async def _serve(self, reader, writer):
        if self._is_cut:
            writer.transport.abort()
            return
        try:
            service_reader, service_writer = await asyncio.open_connection('127.0.0.1', self._port)
        except OSError:
            writer.transport.abort()
            return
        ends = {writer, service_writer}
        self._writers |= ends
        heard = Exchange(self._on_answer)
        await asyncio.gather(self._carry(reader, service_writer, heard.asked, False), self._carry(service_reader, writer, heard.answered, True))
        self._writers -= ends

    async def _carry(self, reader, writer, heard, is_answer):
        try:
            while data := await reader.read(65536):
                if not is_answer and self._on_answer is not None:
                    data = data.replace(LITTLE, ALL)
                heard(data)
                if is_answer and self._loses_answers:
                    self._loses_answers -= 1
                    break
                if not self._is_silent:
                    writer.write(data)
                    await writer.drain()
        except OSError:
            pass
        # One end that hangs up ends both.
        writer.transport.abort() if self._is_cut else writer.close()


class Exchange:
    """What goes through one connection."""

    def __init__(self, on_answer):
        self._on_answer = on_answer
        self._requests = []
        self._rest = {True: bytearray(), False: bytearray()}

    def asked(self, data):
        for head, body in self._messages(data, False):
            self._requests.append((head[2].decode(), time.time(), body))

    def answered(self, data):
        for head, body in self._messages(data, True):
            if self._requests and self._on_answer is not None and head[3] == b'200':
                self._on_answer(*self._requests[0], body)
            del self._requests[:1]

    def _messages(self, data, is_answer):
        """Those that are whole now."""
        rest = self._rest[is_answer]
        rest += data
        while head := HEAD.match(rest):
            length = LENGTH.search(head[0])
            end = head.end() + (int(length[1]) if length else 0)
            if len(rest) < end:
                return
            yield head, bytes(rest[head.end():end])
            del rest[:end]
