"""Ways to outlive the call. Each leaves a process that holds a lock, which shows the test whether it still runs."""

import fcntl

from attack import given, json, os, signal, sys

import time


def hold(name):
    """Holds the lock of this name while this process runs."""
    file = open(f'{given["folder"]}/{name}', 'w')
    fcntl.flock(file, fcntl.LOCK_EX)
    return file


def deaf():
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass


def double_fork(name):
    """The classic way; the grandchild reports when it holds the lock."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            deaf()
            held = hold(name)
            if given.get('closes'):
                for descriptor in (0, 1, 2):
                    os.close(descriptor)
            os.write(writer, b'.')
            while held:
                time.sleep(1000)
        os._exit(0)
    os.read(reader, 1)


held = []
match given['way']:
    case 'daemon':
        double_fork('daemon')
    case 'deaf':
        deaf()
        held.append(hold('deaf'))
        print('deaf', file=sys.stderr, flush=True)
        time.sleep(1000)
    case 'group':
        double_fork('group')
        os.setpgid(0, 0)
        held.append(hold('own-group'))
        print('in a group of its own', file=sys.stderr, flush=True)
        time.sleep(1000)
    case 'many':
        for number in range(8):
            double_fork(f'many-{number}')
        os.kill(os.getpid(), signal.SIGKILL)
    case 'stopped':
        held.append(hold('stopped'))
        print('about to stop', file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSTOP)
json.dump('left', sys.stdout)
