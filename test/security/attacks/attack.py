"""Shared code of the attacks. Each attack is a function that returns its result and the result of its permitted twin.
The test compares the whole report, so a script that never ran cannot pass."""

import ctypes
import errno
import json
import os
import platform
import signal
import sys

given = json.load(sys.stdin)
libc = ctypes.CDLL(None, use_errno=True)
_attacks = {}


def attack(name):
    def add(function):
        _attacks[name] = function
        return function

    return add


def got(function, *arguments):
    """The result of a function, or the name of its error."""
    try:
        return function(*arguments)
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error))


def refused(function, *arguments):
    """Whether a function is refused, if the error depends on the machine."""
    try:
        function(*arguments)
    except OSError:
        return True
    return False


def syscall(number, *arguments):
    """A system call by number, without library wrappers. `number` is a number or a pair (x86-64, arm64)."""
    if isinstance(number, tuple):
        number = number[0] if platform.machine() == 'x86_64' else number[1]
    words = [a if isinstance(a, (bytes, ctypes.Array, type(None))) else ctypes.c_long(a) for a in arguments]
    words = [ctypes.byref(w) if isinstance(w, ctypes.Array) else w for w in words]
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *words)
    if result == -1:
        raise OSError(ctypes.get_errno(), 'refused')
    return result


def in_child(function, *arguments):
    """Runs a function in a new process: its result, or the name of the signal that ended it."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            os.write(writer, json.dumps(got(function, *arguments)).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, 'rb') as answer:
        text = answer.read()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return json.loads(text)


def read(path):
    with open(path, 'rb') as file:
        return file.read(4096).decode('utf-8', 'replace')


def write(path, text='written'):
    with open(path, 'w') as file:
        file.write(text)
    return 'written'


def report():
    found = {}
    for name, function in _attacks.items():
        try:
            attacked, permitted = function()
            found[name] = {'attack': attacked, 'permitted': permitted}
        except Exception as error:
            found[name] = {'attack': f'{type(error).__name__}: {error}', 'permitted': 'not reached'}
    json.dump(found, sys.stdout)
