"""More network use than a call may have: one attack per call, because none leaves anything to permit."""

import http.client
import itertools
import socket

from attack import attack, given, report

MEBIBYTE = b'x' * 2**20


def alone(name):
    return attack(name) if name == given['only'] else lambda function: function


def proxy():
    return http.client.HTTPConnection('127.0.0.1', 3128, timeout=30)


def asked(path):
    client = proxy()
    client.request('GET', given['granted'] + path)
    answer = client.getresponse()
    return answer.status, len(answer.read())


@alone('simultaneous connections')
def _():
    permitted = asked('/permitted')
    held = [socket.create_connection(('127.0.0.1', 3128), 20) for _ in range(80)]
    statuses = []
    for connection in held:
        try:
            connection.sendall(f'GET {given["granted"]}/held HTTP/1.1\r\nHost: {given["host"]}\r\n\r\n'.encode())
            statuses.append(connection.recv(12).decode())
        except OSError:
            statuses.append('')
    for connection in held:
        connection.close()
    return [statuses.count('HTTP/1.1 200'), statuses.count('')], permitted


@alone('an endless response')
def _():
    permitted = asked('/permitted')
    client = proxy()
    client.request('GET', f'{given["granted"]}/endless')
    answer = client.getresponse()
    received = 0
    try:
        while piece := answer.read1(2**20):
            received += len(piece)
        ended = 'ended'
    except (http.client.IncompleteRead, ConnectionError):
        ended = 'broke off'
    # Not before the limit, and no byte of the response beyond it.
    return [ended, given['most'] * 0.9 < received <= given['most']], permitted


@alone('an endless request')
def _():
    permitted = asked('/permitted')
    client = proxy()
    try:
        client.request(
            'POST',
            f'{given["granted"]}/taken',
            body=itertools.repeat(MEBIBYTE, 300),
            encode_chunked=True,
            headers={'Transfer-Encoding': 'chunked'},
        )
        status = client.getresponse().status
    except ConnectionError:
        status = 'broke off'
    return status, permitted


report()
