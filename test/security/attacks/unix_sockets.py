"""Unix sockets of the host, from a sandbox that may have its own. The listeners are the test's own."""

import socket

from attack import attack, given, got, report


def connect(address, kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_UNIX, kind) as client:
        client.settimeout(5)
        client.connect(address)
        client.sendall(b'from inside')
        return 'connected'


def own(address):
    """The twin: a listener of the skill's own."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        return connect(address)


@attack('by a path of the host')
def _():
    return got(connect, given['hidden']), own('/tmp/own')


@attack('by an abstract name')
def _():
    return got(connect, '\0' + given['abstract']), own('\0' + given['abstract'])


@attack('with datagrams, whose senders can hold what the kernel has not counted')
def _():
    return got(connect, given['hidden'], socket.SOCK_DGRAM), own('/workspace/own')


report()
