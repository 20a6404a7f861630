"""Uses a secret where it may, and then looks for it everywhere. The script does not contain its text."""

import re
import resource
import urllib.request

from attack import attack, given, os, read, report, signal, sys, write

canary = re.compile(b'CAN' + b'ARY-[a-z0-9-]+')


def canaries(data):
    return sorted({found.decode() for found in canary.findall(data)})


def asked(path):
    request = urllib.request.Request(
        f'{given["right"]}{path}', headers={'authorization': f'Bearer {os.environ["API_TOKEN"]}'}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.status, f'{answer.headers}\n'.encode() + answer.read()


marker = bytearray(given['marker'].encode())
# The host reports whether it received the secret, and echoes it in many forms.
used, echoed = asked('/echo')


@attack('a response that the secret’s host echoes')
def _():
    plain = given['plain'].encode()
    return canaries(echoed), [used, plain in echoed]


@attack('the environment of every process')
def _():
    found = b''
    for process in (name for name in os.listdir('/proc') if name.isdigit()):
        for file in ('environ', 'cmdline'):
            with open(f'/proc/{process}/{file}', 'rb') as opened:
                found += opened.read() + b'\n'
    return canaries(found), b'API_TOKEN=ambit-secret-' in found


def memory(process):
    held, marked = set(), False
    with open(f'/proc/{process}/maps') as maps, open(f'/proc/{process}/mem', 'rb', 0) as mem:
        for line in maps:
            start, end = (int(part, 16) for part in line.split()[0].split('-'))
            if 'r' not in line.split()[1] or end - start > 1 << 26:
                continue
            try:
                mem.seek(start)
                data = mem.read(end - start)
            except (OSError, ValueError, OverflowError):
                continue
            held |= set(canaries(data))
            marked = marked or bytes(marker) in data
    return sorted(held), marked


@attack('its own memory')
def _():
    return memory('self')


@attack('its memory and the first process’s memory, read from outside while it waits')
def _():
    # Does not answer before the test has searched.
    return canaries(asked('/wait')[1]), len(marker) > 0


@attack('a core dump')
def _():
    def as_large_as_it_may():
        hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))

    # With everything in this process's memory: a fork, not a new program.
    child = os.fork()
    if child == 0:
        os.chdir('/workspace')
        as_large_as_it_may()
        os.abort()
    ended = os.waitpid(child, 0)[1]
    found = []
    # If the machine writes one at all, and into the working directory.
    for name in os.listdir('/workspace'):
        with open(f'/workspace/{name}', 'rb') as core:
            found += canaries(core.read())
        os.unlink(f'/workspace/{name}')
    return found, os.WTERMSIG(ended) == signal.SIGABRT


@attack('every file that it can read')
def _():
    found, seen = [], False
    for folder, folders, files in os.walk('/'):
        folders[:] = [name for name in folders if os.path.join(folder, name) not in ('/proc', '/usr', '/lib', '/dev', '/sys')]
        for name in files:
            try:
                text = read(os.path.join(folder, name)).encode()
            except OSError:
                continue
            found += canaries(text)
            seen = seen or name == 'SKILL.md'
    return found, seen


report()
# Other outputs of the sandbox: a file, and the log.
write('/workspace/echoed', echoed.decode('latin-1'))
print(echoed.decode('latin-1'), file=sys.stderr)
