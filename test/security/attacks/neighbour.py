"""Two parallel calls. One plants marks wherever it can, the other looks for them. They synchronize through FIFOs in a
path granted to both."""

import socket

from attack import ctypes, given, got, json, libc, os, sys, write

libc.shmat.restype = ctypes.c_void_p
meeting, key = given.get('meeting'), 0x416D6269
places = ['/tmp/planted', '/workspace/planted', '/dev/shm/planted']


def wait_for(name, mode):
    """Opening a FIFO waits until its other end is opened."""
    os.close(os.open(f'{meeting}/{name}', mode))


def connected(address):
    with socket.socket(address_of(address)) as client:
        client.connect(address)
        return client.recv(100).decode()


def address_of(address):
    return socket.AF_INET if isinstance(address, tuple) else socket.AF_UNIX


def look():
    """The planted marks that exist."""
    segment = libc.shmget(key, 0, 0)
    queue = libc.mq_open(b'/planted', os.O_RDONLY)
    seen = {
        'files': [place for place in places if os.path.exists(place)],
        'System V memory': ctypes.string_at(libc.shmat(segment, None, 0x1000)).decode() if segment != -1 else 'ENOENT',
        'System V semaphores': libc.semget(key, 0, 0) != -1,
        'System V messages': libc.msgget(key, 0) != -1,
        'POSIX messages': queue != -1,
        'a port': got(connected, ('127.0.0.1', 7411)),
        'processes': sorted(int(name) for name in os.listdir('/proc') if name.isdigit()),
        'System V tables': sum(len(open(f'/proc/sysvipc/{name}').readlines()) - 1 for name in ('shm', 'sem', 'msg')),
        'mail': got(os.listdir, f'{meeting}/mail') if meeting else None,
    }
    for name, address in (('an abstract name', '\0planted'), ('a socket in /tmp', '/tmp/socket')):
        seen[name] = got(connected, address)
    return seen


def plant():
    for place in places:
        write(place, 'planted')
    segment = libc.shmget(key, 4096, 0o1666)
    ctypes.memmove(libc.shmat(segment, None, 0), b'planted\0', 8)
    libc.semget(key, 1, 0o1666)
    libc.msgget(key, 0o1666)
    libc.mq_open(b'/planted', os.O_CREAT | os.O_RDWR, 0o666, (ctypes.c_long * 8)(0, 1, 1024))
    listeners = []
    for address in ('\0planted', '/tmp/socket', ('127.0.0.1', 7411)):
        def listen(address=address):
            server = socket.socket(address_of(address))
            server.bind(address)
            server.listen()
            return server

        listeners.append(got(listen))
    return listeners


def serve(listeners):
    """Answers every connection, in a separate process."""
    import select

    if os.fork() != 0:
        return
    servers = [server for server in listeners if not isinstance(server, str)]
    while True:
        for server in select.select(servers, [], [])[0]:
            client = server.accept()[0]
            client.sendall(b'planted')
            client.close()


match given['part']:
    case 'planting':
        os.mkdir(f'{meeting}/mail')
        write(f'{meeting}/mail/letter')
        serve(plant())
        seen = look()
        wait_for('planted', os.O_WRONLY)
        wait_for('looked', os.O_RDONLY)
    case 'looking':
        wait_for('planted', os.O_RDONLY)
        seen = look()
        wait_for('looked', os.O_WRONLY)
    case 'coming after':
        seen = look()
json.dump(seen, sys.stdout)
