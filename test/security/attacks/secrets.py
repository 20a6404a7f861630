"""The daemon's secrets, searched wherever a process can read. The script does not contain the canary's text."""

import re

from attack import attack, ctypes, got, given, os, read, report, syscall

canary = re.compile(b'CAN' + b'ARY-[a-z0-9-]+')


def canaries(data):
    return sorted({found.decode() for found in canary.findall(data)})


def processes():
    return [name for name in os.listdir('/proc') if name.isdigit()]


def of_all(file):
    found = b''
    for process in processes():
        with open(f'/proc/{process}/{file}', 'rb') as opened:
            found += opened.read() + b'\n'
    return found


@attack("the daemon's environment, in the skill's environment")
def _():
    return canaries(repr(dict(os.environ)).encode()), os.environ.get('GRANTED_NAME')


@attack('the environment of every process')
def _():
    return canaries(of_all('environ')), b'GRANTED_NAME=granted value' in of_all('environ')


def names(process):
    return {entry.split('=')[0] for entry in read(f'/proc/{process}/environ').split('\0') if entry}


@attack('the environment of the first process, which the daemon started')
def _():
    return sorted(names(1) - names('self')), sorted(names('self'))


@attack('the command line of every process')
def _():
    return canaries(of_all('cmdline')), b'/skill/scripts/secrets.py' in of_all('cmdline')


@attack("the daemon's entries in /proc, by its process id on the host")
def _():
    places = ['environ', 'cmdline', 'mem', 'maps', 'cwd', 'fd', 'root', 'status']
    return sorted({got(read, f'/proc/{given["daemon"]}/{place}') for place in places}), len(read('/proc/self/maps')) > 0


def memory(process):
    held = set()
    with open(f'/proc/{process}/maps') as maps, open(f'/proc/{process}/mem', 'rb', 0) as mem:
        for line in maps:
            start, end = (int(part, 16) for part in line.split()[0].split('-'))
            if 'r' not in line.split()[1] or end - start > 1 << 26:
                continue
            try:
                mem.seek(start)
                held |= set(canaries(mem.read(end - start)))
            except (OSError, ValueError, OverflowError):
                pass
    return sorted(held)


@attack('the memory of the first process')
def _():
    own = bytearray(b'CAN' + b'ARY-of-its-own')
    return got(memory, 1), 'CAN' + 'ARY-of-its-own' in memory('self') and len(own) > 0


@attack("the daemon's memory, read from outside it")
def _():
    buffer = ctypes.create_string_buffer(64)
    vector = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 64)
    return got(syscall, (310, 270), given['daemon'], vector, 1, vector, 1, 0), len(buffer)


@attack('files beside the skill, by name')
def _():
    found, permitted = [], []
    for folder, folders, files in os.walk('/'):
        folders[:] = [name for name in folders if os.path.join(folder, name) not in ('/proc', '/usr', '/lib', '/dev')]
        for name in files:
            data = got(read, os.path.join(folder, name))
            found += canaries(f'{name} {data}'.encode())
            if name == 'granted.txt':
                permitted.append(data)
    return found, permitted


@attack('paths in the mount table')
def _():
    return canaries(of_all('mountinfo')), b' /skill ' in of_all('mountinfo')


@attack('keys in the kernel’s keyrings')
def _():
    description = ('CAN' + 'ARY-key').encode()
    return got(syscall, (249, 218), b'user', description, None, -3), syscall((39, 172)) == os.getpid()


@attack('the names of its user’s keys')
def _():
    return got(read, '/proc/keys'), len(read('/proc/self/status')) > 0


@attack('open sockets of the host')
def _():
    tables = ''.join(read(f'/proc/net/{name}') for name in ('tcp', 'tcp6', 'udp', 'udp6'))
    ports = {int(line.split()[1].split(':')[1], 16) for line in tables.splitlines() if ': ' in line and 'local' not in line}
    return sorted(ports), canaries(read('/proc/net/unix').encode())


report()
