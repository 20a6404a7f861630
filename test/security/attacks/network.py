"""Every peer that a process could reach. The listeners belong to the test, on the host's loopback."""

import fcntl
import socket
import struct

from attack import attack, ctypes, given, got, os, report, syscall

LINK_UP = 1

with open('/proc/net/unix') as table:
    unix_sockets_at_start = table.readlines()


def connect(family, address, kind=socket.SOCK_STREAM):
    with socket.socket(family, kind) as client:
        client.settimeout(5)
        client.connect(address)
        client.sendall(b'from inside')
        return 'connected'


def own(family, address, kind=socket.SOCK_STREAM):
    """The permitted twin: a listener of its own, contacted in the same way."""
    with socket.socket(family, kind) as server:
        server.bind(address)
        if kind == socket.SOCK_STREAM:
            server.listen()
        return connect(family, server.getsockname(), kind)


@attack('TCP over IPv4')
def _():
    return got(connect, socket.AF_INET, ('127.0.0.1', given['tcp4'])), own(socket.AF_INET, ('127.0.0.1', 0))


@attack('TCP over IPv6')
def _():
    return got(connect, socket.AF_INET6, ('::1', given['tcp6'])), own(socket.AF_INET6, ('::1', 0))


@attack('TCP to an IPv4 address inside an IPv6 one')
def _():
    return got(connect, socket.AF_INET6, ('::ffff:127.0.0.1', given['tcp4'])), own(
        socket.AF_INET6, ('::ffff:127.0.0.1', 0)
    )


@attack('TCP with data in its first packet')
def _():
    def fast_open():
        with socket.socket() as client:
            return client.sendto(b'from inside', socket.MSG_FASTOPEN, ('127.0.0.1', given['tcp4']))

    return got(fast_open), own(socket.AF_INET, ('127.0.0.1', 0))


def datagram(port):
    """The first is sent; the second shows that nothing listened."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(5)
        client.connect(('127.0.0.1', port))
        client.send(b'from inside')
        return client.recv(100).decode()


def echoed():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(('127.0.0.1', 0))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.connect(server.getsockname())
            client.send(b'from inside')
            return server.recv(100).decode()


@attack('UDP')
def _():
    return got(datagram, given['udp']), echoed()


@attack('a DNS query with a secret in the name')
def _():
    question = struct.pack('>6H', 7, 0x0100, 1, 0, 0, 0) + b'\x06secret\x07invalid\x00' + struct.pack('>2H', 1, 1)

    def ask():
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.settimeout(5)
            client.connect(('127.0.0.1', given['udp']))
            client.send(question)
            return len(client.recv(512))

    return got(ask), [os.path.exists('/etc/resolv.conf'), open('/etc/nsswitch.conf').read().split('\n')[2]]


@attack('a Unix socket whose path was not granted')
def _():
    return got(connect, socket.AF_UNIX, given['hiddenSocket']), in_pair()


@attack('a Unix socket in a path granted for reading')
def _():
    return got(connect, socket.AF_UNIX, given['readableSocket']), [
        os.path.basename(given['readableSocket']) in os.listdir(os.path.dirname(given['readableSocket'])),
        in_pair(),
    ]


def in_pair():
    left, right = socket.socketpair()
    left.sendall(b'between two of its own')
    return right.recv(100).decode()


@attack('a datagram to a Unix socket in a path granted for reading')
def _():
    return got(connect, socket.AF_UNIX, given['readableDatagram'], socket.SOCK_DGRAM), in_pair()


@attack('a Unix socket with an abstract name')
def _():
    return got(connect, socket.AF_UNIX, f'\0{given["abstract"]}'), in_pair()


@attack('the abstract names and paths of the host’s sockets')
def _():
    names = [line.split()[-1] for line in unix_sockets_at_start[1:] if len(line.split()) > 7]
    return names, unix_sockets_at_start[0].split()[0]


NETLINK_ROUTE = 0
REQUEST, ACKNOWLEDGE, CREATE, DUMP = 1, 4, 0x400, 0x300


def netlink(kind, flags, body, family=NETLINK_ROUTE):
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, family) as kernel:
        kernel.bind((0, 0))
        kernel.send(struct.pack('=IHHII', 16 + len(body), kind, flags | REQUEST, 1, 0) + body)
        answer = kernel.recv(65536)
    kind = struct.unpack('=IHHII', answer[:16])[1]
    if kind == 2:
        number = -struct.unpack('=i', answer[16:20])[0]
        if number != 0:
            raise OSError(number, 'refused')
    return 'answered'


def attribute(kind, data):
    return struct.pack('=HH', 4 + len(data), kind) + data + b'\0' * (-len(data) % 4)


def links():
    return netlink(18, DUMP, struct.pack('=BxHiII', 0, 0, 0, 0, 0))


@attack('a new network interface')
def _():
    body = struct.pack('=BxHiII', 0, 0, 0, 0, 0) + attribute(3, b'out\0') + attribute(18, attribute(1, b'dummy\0'))
    return got(netlink, 16, ACKNOWLEDGE | CREATE, body), links()


@attack('a new address')
def _():
    body = struct.pack('=4Bi', socket.AF_INET, 8, 0, 0, 1) + attribute(2, socket.inet_aton('127.7.7.7'))
    return got(netlink, 20, ACKNOWLEDGE | CREATE, body), links()


@attack('a new route')
def _():
    body = struct.pack('=8BI', socket.AF_INET, 0, 0, 0, 254, 3, 253, 1, 0) + attribute(4, struct.pack('=i', 1))
    return got(netlink, 24, ACKNOWLEDGE | CREATE, body), links()


@attack('a firewall rule')
def _():
    table = struct.pack('=BBH', 2, 0, 0) + attribute(1, b'own\0')
    return got(netlink, 10 << 8, ACKNOWLEDGE | CREATE, table, 12), links()


def interface(request, flags=0):
    with socket.socket() as control:
        packed = struct.pack('16sh22x', b'lo', flags)
        return struct.unpack('16sh22x', fcntl.ioctl(control, request, packed))[1] & LINK_UP


@attack('taking an interface up or down')
def _():
    return [got(interface, 0x8914, 0), got(interface, 0x8914, 0x41)], interface(0x8913)


@attack('network interfaces other than its own loopback')
def _():
    with open('/proc/net/route') as routes:
        return [line.split()[0] for line in routes.readlines()[1:]], [name for _, name in socket.if_nameindex()]


@attack('raw IP packets')
def _():
    def raw(family, protocol):
        socket.socket(family, socket.SOCK_RAW, protocol).close()

    return [got(raw, socket.AF_INET, 1), got(raw, socket.AF_INET, 255), got(raw, socket.AF_INET6, 58)], echoed()


@attack('an echo request')
def _():
    return got(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 1).close()), echoed()


def opened(family, kind, protocol=0):
    syscall((41, 198), family, kind, protocol)
    return 'opened'


@attack('raw packets below IP')
def _():
    return got(opened, 17, 3, 0x0300), opened(2, 2)


@attack('a socket to the hypervisor (vsock)')
def _():
    return got(opened, 40, 1), opened(2, 1)


@attack('socket families that namespaces do not separate')
def _():
    families = {'X25': 9, 'KEY': 15, 'RDS': 21, 'CAN': 29, 'TIPC': 30, 'BLUETOOTH': 31, 'RXRPC': 33, 'ALG': 38}
    others = {'NFC': 39, 'KCM': 41, 'QIPCRTR': 42, 'SMC': 43, 'XDP': 44, 'MCTP': 45}
    return sorted({got(opened, family, 5) for family in {**families, **others}.values()}), opened(10, 1)


def paired(family, kind):
    syscall((53, 199), family, kind, 0, (ctypes.c_int * 2)())
    return 'opened'


@attack('protocols and netlink families that load a module, and MPTCP')
def _():
    internet = {'ICMP': 1, 'IGMP': 2, 'DCCP': 33, 'L2TP': 115, 'SCTP': 132, 'UDPLITE': 136, 'MPTCP': 262}
    netlink = {'SOCK_DIAG': 4, 'XFRM': 6, 'AUDIT': 9, 'NETFILTER': 12, 'KOBJECT_UEVENT': 15, 'GENERIC': 16, 'CRYPTO': 21}
    calls = [got(opened, family, kind, protocol) for protocol in internet.values() for family in (2, 10) for kind in (1, 2)]
    calls += [got(opened, 16, 3, protocol) for protocol in netlink.values()]
    return sorted(set(calls)), [opened(2, 1, 6), opened(10, 2, 17), opened(16, 3)]


@attack('socket types that need privileges or load a module')
def _():
    kinds = {'RAW': 3, 'RDM': 4, 'SEQPACKET': 5, 'DCCP': 6, 'PACKET': 10}
    calls = {got(opened, family, kind | 0o2000000) for kind in kinds.values() for family in (2, 10)}
    return sorted(calls), opened(2, 1 | 0o2000000 | 0o4000)


@attack('interface requests that load a driver')
def _():
    with socket.socket() as asking:
        requests = {'GIFBR': 0x8940, 'SIFBR': 0x8941, 'BRADDBR': 0x89A0, 'BRDELBR': 0x89A1, 'GIFVLAN': 0x8982, 'SIFVLAN': 0x8983}
        calls = {got(fcntl.ioctl, asking, number, b'\0' * 64) for number in requests.values()}
        return sorted(calls), len(fcntl.ioctl(asking, 0x8913, b'lo'.ljust(40, b'\0')))


@attack('socket pairs with descriptors that the kernel has not counted')
def _():
    return sorted({got(paired, 1, kind) for kind in (2, 5)}), paired(1, 1)


@attack('socket pairs of those families, which are created before they are refused')
def _():
    families = {'PACKET': 17, 'VSOCK': 40, 'TIPC': 30, 'XDP': 44, 'ALG': 38, 'NETLINK': 16, 'INET': 2}
    return sorted({got(paired, family, 3 if family in (16, 17, 44) else 1) for family in families.values()}), paired(1, 1)


@attack('the daemon’s process id, from the socket of the skill’s output')
def _():
    with socket.socket(fileno=os.dup(2)) as output:
        return struct.unpack('3i', output.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0], in_pair()


report()
