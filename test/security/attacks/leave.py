"""Files that a run leaves in its workspace for the daemon to read back, and processes that still run meanwhile."""

import mmap
import socket

from attack import ctypes, given, got, libc, os, sys, write

os.chdir('/workspace')


def odd():
    """Everything that is not a regular file, or leads to another file."""
    write('plain', 'plain')
    os.symlink(given['secret'], 'absolute')
    os.symlink(f'../../../../..{given["secret"]}', 'relative')
    os.symlink(os.path.dirname(given['secret']), 'folder')
    os.symlink('/proc/self/root', 'root')
    os.symlink('loop', 'loop')
    os.mkfifo('fifo')
    got(lambda: socket.socket(socket.AF_UNIX).bind('socket'))
    os.link('plain', 'linked')
    os.truncate(os.open('giant', os.O_CREAT | os.O_RDWR), 1 << 26)
    write('new\nline', '')
    write('\x1b[31m', '')
    os.close(os.open(b'\xff', os.O_CREAT))


def instead():
    """The caller's own file, replaced by a symlink out of the workspace."""
    os.remove('given')
    os.symlink(given['secret'], 'given')
    write('plain', 'plain')


def long_path():
    """A path that is too long, though not deeper than the daemon reads."""
    write('plain', 'plain')
    for _ in range(24):
        os.mkdir('d' * 255)
        os.chdir('d' * 255)
    write('bottom', 'bottom')


def closed():
    """Folders that their owner cannot read."""
    write('plain', 'plain')
    for mode in (0o000, 0o100, 0o200, 0o400):
        os.mkdir(f'closed-{mode:o}')
        write(f'closed-{mode:o}/within', '')
        os.chmod(f'closed-{mode:o}', mode)
    os.chmod('/workspace', 0o000)


def many():
    """Too many names."""
    write('plain', 'plain')
    os.mkdir('many')
    for number in range(given['most']):
        os.close(os.open(f'many/{number:0200}', os.O_CREAT | os.O_WRONLY))


def daemonised(function, *arguments):
    """Runs a function in a process that outlives its parents and holds no output; returns when it has started."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 3)
            function(lambda: os.write(writer, b'.'), *arguments)
        os._exit(0)
    os.wait()
    os.read(reader, 1)


def slow_first_process():
    """The first process has to run before its namespace can end; it gets the lowest priority."""
    os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0))


def mapped(name):
    file = os.open(name, os.O_CREAT | os.O_RDWR)
    os.ftruncate(file, 8)
    # A single write: the end may come at any instruction.
    return ctypes.c_uint64.from_buffer(mmap.mmap(file, 8))


def stamp(begun, number):
    """Writes the same count into two files, which differ only if they are read while it runs."""
    first, last = mapped(f'{number}-first'), mapped(f'{number}-last')
    count = 0
    while True:
        count += 1
        first.value = count
        last.value = count
        if count == 1000:
            begun()


def living():
    slow_first_process()
    names = [f'{number}-first' for number in (0, 1)]
    names += [f'between-{number}' for number in range(100)] + [f'{number}-last' for number in (0, 1)]
    for name in names:
        write(name, '')
    daemonised(stamp, 0)
    daemonised(stamp, 1)


def swap(begun, number):
    """Swaps a folder and a symlink endlessly: a folder when it is checked, a symlink when it is opened."""
    folder, link = f'/workspace/{number}-folder'.encode(), f'/workspace/{number}-link'.encode()
    for _ in range(2):
        libc.renameat2(-100, folder, -100, link, 2)
    begun()
    while True:
        libc.renameat2(-100, folder, -100, link, 2)


def swapping():
    slow_first_process()
    for number in range(2):
        os.mkdir(f'{number}-folder')
        for file in range(20):
            write(f'{number}-folder/{file}', 'inside')
        os.symlink(os.path.dirname(given['secret']), f'{number}-link')
        daemonised(swap, number)


globals()[given['way']]()
sys.stdout.write('"left"')
sys.stdout.flush()
os._exit(0)
