"""More resources than granted. Each attack first reports on stderr what it was permitted, then takes all it can get,
but never more than a machine survives without the sandbox."""

import errno
import mmap
import resource
import socket
import threading
import time

from attack import ctypes, given, got, json, os, signal, sys, write

MiB = 1024 * 1024


def permitted(what):
    print(what, file=sys.stderr, flush=True)


def answer(what):
    json.dump(what, sys.stdout)
    sys.stdout.flush()


def fill(folder, most):
    """Writes up to this many MiB below a folder: how many it wrote, and what ended it."""
    block, written = b'x' * MiB, 0
    try:
        with open(f'{folder}/filler', 'wb', 0) as file:
            while written < most:
                written += file.write(block) // MiB
    except OSError as error:
        return {'MiB': written, 'ended': errno.errorcode[error.errno]}
    return {'MiB': written, 'ended': 'never'}


def filled_over(folder):
    write(f'{folder}/small')
    permitted('a small file')
    found = fill(folder, given['most'])
    answer({'ended': found['ended'], 'bounded': found['MiB'] <= given['bound']})


def memory():
    held = [os.urandom(1) * (8 * MiB)]
    permitted('8 MiB')
    try:
        while len(held) * 8 < given['most']:
            held.append(os.urandom(1) * (8 * MiB))
    except MemoryError:
        return answer('refused')
    answer('all of it')


def memory_shared():
    """Memory that several processes could share, which the limits of a single process do not count."""
    held = [mmap.mmap(-1, 8 * MiB, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)]
    held[0].write(b'x' * (8 * MiB))
    permitted('8 MiB')
    while len(held) * 8 < given['most']:
        held.append(mmap.mmap(-1, 8 * MiB, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS))
        held[-1].write(b'x' * (8 * MiB))
    answer('all of it')


def connections():
    """Unread bytes between sockets, which are kernel memory and belong to no process."""
    listener = socket.create_server(('127.0.0.1', 0), backlog=64)
    block, written, held = b'x' * MiB, 0, []

    def connection():
        sender = socket.create_connection(listener.getsockname())
        return sender, listener.accept()[0]

    def read(receiver):
        left = 4 * MiB
        while left > 0:
            left -= len(receiver.recv(MiB))

    sender, receiver = connection()
    reader = threading.Thread(target=read, args=[receiver])
    reader.start()
    sender.sendall(block * 4)
    reader.join()
    permitted('4 MiB through a connection')
    while written < given['most'] * MiB and len(held) < 64:
        sender, receiver = pair = connection()
        held.append(pair)
        sender.settimeout(0.1)
        try:
            while written < given['most'] * MiB:
                written += sender.send(block)
        except TimeoutError:
            pass
    answer({'bounded': written <= given['bound'] * MiB})


def memory_of_many():
    """Each holds its part until all of them have theirs, or one was killed."""
    permitted('a child')
    children, parts = [], 8
    reader, writer = os.pipe()
    for _ in range(parts):
        child = os.fork()
        if child == 0:
            part = os.urandom(1) * (given['most'] * MiB // parts)
            os.write(writer, part[:1])
            signal.pause()
        children.append(child)
    signal.signal(signal.SIGCHLD, lambda *_: os._exit(1))
    for _ in children:
        os.read(reader, 1)
    answer('all of it')


def unlinked():
    """Unnamed files, which no folder listing shows."""
    permitted('a file')
    held, written = [], 0
    try:
        while written < given['most']:
            held.append(os.open('/tmp', os.O_TMPFILE | os.O_RDWR))
            written += os.write(held[-1], b'x' * MiB) // MiB
    except OSError as error:
        return answer({'ended': errno.errorcode[error.errno], 'bounded': written <= given['bound']})
    answer({'ended': 'never', 'bounded': written <= given['bound']})


def forks():
    os.waitpid(os.posix_spawn(sys.executable, [sys.executable, '-c', ''], {}), 0)
    permitted('a child')
    count = 0
    try:
        while count < given['most']:
            if os.fork() == 0:
                signal.pause()
            count += 1
    except BlockingIOError:
        pass
    answer({'bounded': count < given['most']})


def threads():
    threading.Thread(target=lambda: None).start()
    permitted('a thread')
    count, wake = 0, threading.Event()
    try:
        while count < given['most']:
            threading.Thread(target=wake.wait, daemon=True).start()
            count += 1
    except RuntimeError:
        pass
    answer({'bounded': count < given['most']})
    sys.stdout.flush()
    os._exit(0)


def descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    opened = [os.open('/dev/null', os.O_RDONLY)]
    permitted('a descriptor')
    try:
        while len(opened) < given['most']:
            opened.append(os.dup(opened[0]))
    except OSError as error:
        os.closerange(opened[0], opened[-1] + 1)
        return answer(errno.errorcode[error.errno])
    answer('never')


def spin():
    permitted('started')
    if os.fork() == 0:
        os.setsid()
    while True:
        pass


def sleep():
    permitted('started')
    time.sleep(1000)


def endless(stream):
    permitted('x')
    block = b'x' * 65536
    while True:
        os.write(stream, block)


def endless_of_a_child(stream):
    """The script ends immediately; its child continues to write."""
    permitted('x')
    if os.fork() == 0:
        os.setsid()
        endless(stream)
    time.sleep(1000)


def both():
    threading.Thread(target=endless, args=(1,), daemon=True).start()
    endless(2)


def sparse():
    write('/workspace/small', 'x' * 10)
    permitted('10 bytes')
    file = os.open('/workspace/giant', os.O_CREAT | os.O_RDWR, 0o600)
    giant = got(os.ftruncate, file, given['size'])
    used = os.fstat(file).st_blocks * 512
    os.pwrite(file, b'end', 10)
    answer({'used': used, 'small': os.stat('/workspace/small').st_size, 'made': giant is None or giant})


def closed_output():
    permitted('started')
    os.write(1, b'"said"')
    os.close(1)
    os.close(2)
    for _ in range(200_000):
        pass


def closed_everything():
    permitted('started')
    os.closerange(0, 100)
    os._exit(0)


def bytes_alone():
    permitted('started')
    os.write(1, bytes(range(128, 256)))


def written_input():
    """Its input is a socket, so it can be written to as well."""
    permitted('started')
    os.set_blocking(0, False)
    written = 0
    try:
        while written < given['most'] * MiB:
            written += os.write(0, b'x' * 65536)
    except OSError:
        pass
    answer({'bounded': written < given['most'] * MiB})


def by_signal():
    permitted('started')
    os.kill(os.getpid(), getattr(signal, given['signal']))


def crash():
    permitted('started')
    resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
    ctypes.string_at(0)


def nothing():
    permitted('started')
    answer('nothing')


def shared_memory():
    """System V memory, which belongs to no process."""
    permitted('a segment')
    held = 0
    libc = ctypes.CDLL(None, use_errno=True)
    libc.shmat.restype = ctypes.c_void_p
    while held < given['most']:
        segment = libc.shmget(0, 16 * MiB, 0o1600)
        if segment == -1:
            break
        address = libc.shmat(segment, None, 0)
        ctypes.memset(address, 1, 16 * MiB)
        libc.shmdt(ctypes.c_void_p(address))
        held += 16
    answer({'bounded': held <= given['bound']})


ways = {
    'fill': lambda: filled_over(given['folder']),
    'endless': lambda: endless(given['stream']),
    'bytes': bytes_alone,
    'endless of a child': lambda: endless_of_a_child(given['stream']),
}
ways.get(given['way'], globals().get(given['way'].replace(' ', '_')))()
