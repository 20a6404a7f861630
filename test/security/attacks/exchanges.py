"""Connections to the proxy that no client would make. Their content is in the test's tables."""

import base64
import re
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor

from attack import attack, given, os, report

# Longer than the egress proxy waits for a request; a client that still waits reports it.
PATIENCE = 25


def answered(stream):
    """Everything received until the other end closes."""
    received = b''
    try:
        while chunk := stream.recv(65536):
            received += chunk
    except TimeoutError:
        return {'broke': 'nobody ended it'}
    except (ssl.SSLError, ConnectionError) as error:
        if received == b'':
            return {'broke': getattr(error, 'reason', None) or type(error).__name__}
    return read(received)


def read(received):
    text = received.decode('latin-1')
    statuses = [int(status) for status in re.findall(r'HTTP/1\.1 (\d{3}) ', text)]
    denied = re.search(r'^x-ambit-denied: (.*)\r$', text, re.M)
    return {'statuses': statuses, **({'denied': denied[1]} if denied else {})}


def tunnelled(stream, target):
    stream.sendall(f'CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n'.encode('latin-1'))
    head = b''
    while not head.endswith(b'\r\n\r\n'):
        piece = stream.recv(1)
        if piece == b'':
            return head
        head += piece
    return head


def written(text):
    """Inserts the secret's placeholder of this sandbox, plain and as a password."""
    held = os.environ.get('API_TOKEN', '')
    password = base64.b64encode(f'user:{held}'.encode()).decode()
    return text.replace('{API_TOKEN}', held).replace('{PASSWORD}', password).encode('latin-1')


def exchange(wanted):
    with socket.create_connection(('127.0.0.1', 3128), PATIENCE) as stream:
        if 'connect' in wanted:
            head = tunnelled(stream, wanted['connect'])
            if b' 200 ' not in head.split(b'\r\n')[0]:
                return read(head)
        if 'tls' in wanted:
            context = ssl.create_default_context()
            context.check_hostname = False
            context.set_alpn_protocols(wanted['tls'].get('protocols', []))
            try:
                stream = context.wrap_socket(stream, server_hostname=wanted['tls'].get('serverName'))
            except (ssl.SSLError, ConnectionError) as error:
                return {'broke': getattr(error, 'reason', None) or type(error).__name__}
        with stream:
            try:
                for _ in range(wanted.get('times', 1)):
                    stream.sendall(written(wanted['send']))
            except OSError:
                # The reason may still arrive after the proxy has stopped reading.
                pass
            return answered(stream)


def both(row):
    return exchange(row['attack']), exchange(row['permitted'])


with ThreadPoolExecutor(12) as pool:
    for row, result in [(row, pool.submit(both, row)) for row in given]:
        attack(row['name'])(result.result)
    report()
