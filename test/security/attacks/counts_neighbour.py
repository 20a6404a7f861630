"""An ordinary program that needs a little of everything that the kernel counts per user."""

import array
import fcntl
import mmap
import select
import socket

from attack import ctypes, got, json, libc, os, signal, sys


def checked(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), 'refused')
    return result


def descriptors():
    left, right = socket.socketpair()
    for _ in range(10):
        left.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [0] * 10))])
    return sum(len(socket.recv_fds(right, 1, 10)[1]) for _ in range(10))


def pipe():
    reader, writer = os.pipe()
    os.write(writer, b'through')
    return [os.read(reader, 100).decode(), fcntl.fcntl(writer, 1032)]


def queued_signals():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
    for _ in range(10):
        checked(libc.sigqueue(os.getpid(), int(signal.SIGRTMIN), ctypes.c_void_p(0)))
    return sum(signal.sigtimedwait([signal.SIGRTMIN], 0) is not None for _ in range(10))


def message_queue():
    checked(libc.mq_open(b'/ambit-%d' % os.getpid(), os.O_CREAT | os.O_RDWR, 0o600, (ctypes.c_long * 8)(0, 5, 1024)))
    libc.mq_unlink(b'/ambit-%d' % os.getpid())
    return 'made'


def locked_memory():
    checked(libc.mlock(ctypes.create_string_buffer(mmap.PAGESIZE), mmap.PAGESIZE))
    segment = checked(libc.shmget(0, mmap.PAGESIZE, 0o1600))
    checked(libc.shmctl(segment, 11, None))
    checked(libc.shmctl(segment, 0, None))
    return 'locked'


def watches():
    poll, reader = select.epoll(), os.pipe()[0]
    for _ in range(100):
        poll.register(os.dup(reader), select.EPOLLIN)
    return 100


def child():
    return os.waitstatus_to_exitcode(os.waitpid(os.posix_spawn(sys.executable, [sys.executable, '-c', ''], {}), 0)[1])


parts = {
    'descriptors under way': descriptors,
    'a pipe': pipe,
    'queued signals': queued_signals,
    'a message queue': message_queue,
    'locked memory': locked_memory,
    'watches': watches,
    'a child': child,
}
json.dump({name: got(part) for name, part in parts.items()}, sys.stdout)
