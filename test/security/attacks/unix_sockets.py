"""Unix sockets of the host, from a sandbox that may create its own. The listeners belong to the test."""

import socket

from attack import attack, given, got, report


def connect(address, kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_UNIX, kind) as client:
        client.settimeout(5)
        client.connect(address)
        client.sendall(b'from inside')
        return 'connected'


def own(address):
    """The permitted twin: a listener of the skill itself."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        return connect(address)


@attack('by a host path')
def _():
    return got(connect, given['hidden']), own('/tmp/own')


@attack('by an abstract name')
def _():
    return got(connect, '\0' + given['abstract']), own('\0' + given['abstract'])


@attack('with datagrams, whose senders can hold uncounted descriptors')
def _():
    return got(connect, given['hidden'], socket.SOCK_DGRAM), own('/workspace/own')


report()
