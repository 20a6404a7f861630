"""Uses up everything that the kernel counts per user. Reports on stderr how each attempt ended, then takes the given
process name and holds everything until it is killed."""

import array
import errno
import fcntl
import mmap
import resource
import select
import socket

from attack import ctypes, given, got, json, libc, os, signal, sys, syscall

# A limit that the machine survives if nothing else stops it.
most = given['most']
held = []


def until_refused(take, count=most):
    """The number that it got, and what ended it."""
    for taken in range(count):
        try:
            take()
        except OSError as error:
            return {'ended': errno.errorcode[error.errno], 'taken': taken}
    return {'ended': 'never', 'taken': count}


def checked(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), 'refused')
    return result


def sending():
    """Sends full messages of descriptors that no process receives, over as many pairs as needed."""
    pairs = []
    message = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [held[0]] * 253))]

    def send():
        if not pairs:
            pairs.append(socket.socketpair())
            pairs[-1][0].setblocking(False)
        try:
            pairs[-1][0].sendmsg([b'x'], message)
        except BlockingIOError:
            pairs.append(socket.socketpair())
            pairs[-1][0].setblocking(False)
            pairs[-1][0].sendmsg([b'x'], message)

    held.append(pairs)
    return send


def pipes():
    """Makes pipes as large as possible, in several processes."""

    def pipe():
        held.append(os.pipe())
        got(fcntl.fcntl, held[-1][1], 1031, 1 << 20)

    for _ in range(given['children']):
        reader, writer = os.pipe()
        if os.fork() == 0:
            until_refused(pipe)
            os.write(writer, b'x')
            signal.pause()
        os.read(reader, 1)
    return 'taken'


def queued_signals():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
    return until_refused(lambda: checked(libc.sigqueue(os.getpid(), int(signal.SIGRTMIN), ctypes.c_void_p(0))))


def message_queues():
    attributes = (ctypes.c_long * 8)(0, 1, 1024)
    names = iter(range(most))
    return until_refused(lambda: checked(libc.mq_open(b'/%d' % next(names), os.O_CREAT | os.O_RDWR, 0o600, attributes)))


def locked_memory():
    def lock():
        segment = checked(libc.shmget(0, mmap.PAGESIZE, 0o1600))
        checked(libc.shmctl(segment, 11, None))

    return until_refused(lock)


def watches():
    reader = os.pipe()[0]
    watched = [os.dup(reader) for _ in range(given['watched'])]

    def watch():
        poll = select.epoll()
        held.append(poll)
        for each in watched:
            poll.register(each, select.EPOLLIN)

    return until_refused(watch)


def inotify():
    return until_refused(lambda: held.append(checked(libc.inotify_init())))


def requests():
    return got(syscall, (206, 0), 1000, (ctypes.c_ulong * 1)(0))


def processes():
    def fork():
        if os.fork() == 0:
            signal.pause()

    return until_refused(fork)


held.append(os.open('/dev/null', os.O_RDONLY))
report = {'limits': {name: resource.getrlimit(getattr(resource, f'RLIMIT_{name}')) for name in given['limits']}}
report['queued signals'] = queued_signals()
report['message queues'] = message_queues()
report['locked memory'] = locked_memory()
report['inotify'] = inotify()
report['asynchronous requests'] = requests()
report['pairs of datagram sockets'] = got(lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].family.name)
report['descriptors under way'] = until_refused(sending())
report['pipes'] = pipes()
report['watches'] = watches()
report['processes'] = processes()
print(json.dumps(report), file=sys.stderr, flush=True)
libc.prctl(15, given['name'].encode(), 0, 0, 0)
signal.pause()
