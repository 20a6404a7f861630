"""Requests its own host and its neighbour's host."""

import http.client

from attack import attack, given, report


def asked(url):
    client = http.client.HTTPConnection('127.0.0.1', 3128, timeout=60)
    client.request('GET', url)
    return client.getresponse().status


@attack('what only a neighbour may reach')
def _():
    before, permitted, after = asked(given['other']), asked(given['own']), asked(given['other'])
    return [before, after], permitted


report()
