"""More rights than granted: other users, capabilities, new namespaces, roots and devices."""

import fcntl
import resource
import socket
import stat
import struct
import subprocess

from attack import attack, ctypes, given, got, in_child, libc, os, read, refused, report, syscall, write

readable, writable = given['readable'], given['writable']


def status(process='self'):
    lines = (line.split(':', 1) for line in read(f'/proc/{process}/status').splitlines())
    return {name: value.strip() for name, value in lines}


def sets(process):
    own = status(process)
    return {name: int(own[f'Cap{name}'], 16) for name in ('Inh', 'Prm', 'Eff', 'Bnd', 'Amb')}


@attack('capabilities, in any of its sets')
def _():
    return sets('self'), status()['Uid'].split()


@attack('capabilities of the first process')
def _():
    return sets(1), status(1)['Uid'].split()


@attack('setuid programs')
def _():
    print_sets = "print([l.split()[1] for l in open('/proc/self/status') if l.startswith('CapEff')][0].strip('0'))"
    ran = subprocess.run([f'{readable}/capable', '-I', '-c', f"{print_sets}; print('ran')"], capture_output=True, text=True)
    return ran.stdout.split(), [status()['NoNewPrivs'], status()['Seccomp']]


@attack('clearing no_new_privs')
def _():
    return got(lambda: fail(libc.prctl(38, 0, 0, 0, 0))), libc.prctl(39, 0, 0, 0, 0)


def fail(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), 'refused')
    return result


@attack('becoming another user')
def _():
    users = (0, 1, 100001, 61184, 65534)
    calls = [refused(os.setuid, user) for user in users] + [refused(os.setresuid, user, user, user) for user in users]
    return set(calls) == {True}, got(os.setuid, os.getuid())


@attack('becoming another group')
def _():
    calls = [refused(os.setgid, group) for group in (0, 1, 100001)] + [refused(os.setgroups, [0]), refused(os.setgroups, [])]
    return set(calls) == {True}, got(os.setgid, os.getgid())


@attack('the daemon’s groups')
def _():
    return [group for group in os.getgroups() if group != os.getgid()], os.getgid()


@attack('raising capabilities')
def _():
    header = struct.pack('Ii', 0x20080522, 0)
    everything = struct.pack('6I', *([0xFFFFFFFF] * 6))
    ambient = got(lambda: fail(libc.prctl(47, 2, 21, 0, 0)))
    return [got(syscall, (126, 91), header, everything), ambient], syscall((126, 91), header, b'\0' * 24)


@attack('a new user namespace, through a program')
def _():
    def unshare():
        return fail(libc.unshare(0x10000000))

    return got(unshare), int(read('/proc/sys/user/max_user_namespaces')) >= 0


@attack('another user id map')
def _():
    return [refused(write, f'/proc/self/{name}', '0 0 1') for name in ('uid_map', 'gid_map', 'setgroups')], len(
        read('/proc/self/uid_map').split()
    ) > 2


@attack('another root folder')
def _():
    return got(os.chroot, '/tmp'), got(os.chdir, '/tmp')


@attack('mounting new file systems')
def _():
    def mount(kind):
        return syscall((165, 40), b'none', b'/tmp', kind.encode(), 0, None)

    kinds = ('tmpfs', 'proc', 'sysfs', 'overlay', 'devpts', 'cgroup2', 'debugfs', 'mqueue', 'bpf', 'fuse')
    return sorted({got(mount, kind) for kind in kinds}), got(os.mkdir, '/tmp/own')


@attack('creating device nodes')
def _():
    devices = {'mem': (1, 1), 'kmsg': (1, 11), 'disk': (8, 0), 'virtual disk': (254, 0), 'fuse': (10, 229)}
    kinds = (stat.S_IFCHR, stat.S_IFBLK)
    made = {got(os.mknod, '/tmp/node', kind | 0o666, os.makedev(*d)) for d in devices.values() for kind in kinds}
    return sorted(made), got(os.mknod, '/tmp/fifo', stat.S_IFIFO | 0o600)


@attack('creating device nodes in a writable host folder')
def _():
    return got(os.mknod, f'{writable}/node', stat.S_IFBLK | 0o666, os.makedev(254, 0)), got(
        os.mknod, f'{writable}/fifo', stat.S_IFIFO | 0o600
    )


@attack('changing the owner of files')
def _():
    write(f'{writable}/own')
    return [refused(os.chown, f'{writable}/own', user, user) for user in (0, 1, 100001)], got(
        os.chown, f'{writable}/own', os.getuid(), os.getgid()
    )


def kept(change, path):
    """The setuid, setgid and sticky bits of a file after a change."""
    return got(change, path), oct(os.stat(path).st_mode & 0o6000)


@attack('leaving a setuid program on the host')
def _():
    write(f'{writable}/changed', '#!/bin/sh\n')
    write(f'{writable}/by-descriptor', '#!/bin/sh\n')
    write(f'{writable}/plain', '#!/bin/sh\n')
    ways = [
        # Each bit alone, because the filter refuses any of them.
        kept(lambda path: os.chmod(path, 0o4755), f'{writable}/changed'),
        kept(lambda path: os.chmod(path, 0o2755), f'{writable}/changed'),
        kept(lambda path: os.fchmod(os.open(path, os.O_RDONLY), 0o6755), f'{writable}/by-descriptor'),
    ]
    bits = [bits for _, bits in ways]
    for mode in (0o4755, 0o2755):
        got(os.open, f'{writable}/created-{mode}', os.O_CREAT | os.O_WRONLY, mode)
        got(os.mknod, f'{writable}/made-{mode}', stat.S_IFREG | mode)
    for name in [f'{way}-{mode}' for way in ('created', 'made') for mode in (0o4755, 0o2755)]:
        bits.append(oct(os.stat(f'{writable}/{name}').st_mode & 0o6000) if os.path.exists(f'{writable}/{name}') else '0o0')
    return bits, kept(lambda path: os.chmod(path, 0o755), f'{writable}/plain')


@attack('capabilities in extended attributes')
def _():
    capability = struct.pack('<5I', 0x02000001, 0xFFFFFFFF, 0, 0xFFFFFFFF, 0)
    write(f'{writable}/attributed')
    return [
        refused(os.setxattr, f'{writable}/attributed', name, capability)
        for name in ('security.capability', 'trusted.own')
    ], os.listxattr(f'{writable}/attributed')


@attack('a higher priority')
def _():
    def realtime():
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))

    return [got(realtime), refused(os.nice, -5)], in_child(os.nice, 5)


@attack('higher resource limits')
def _():
    raised = []
    for name in ('NOFILE', 'NPROC', 'MEMLOCK', 'NICE', 'RTPRIO', 'MSGQUEUE'):
        number = getattr(resource, f'RLIMIT_{name}')
        soft, hard = resource.getrlimit(number)
        if hard != resource.RLIM_INFINITY:
            raised.append(refused_limit(number, (soft, hard + 1)))
    return set(raised) == {True}, got(resource.setrlimit, resource.RLIMIT_CORE, (0, resource.getrlimit(4)[1]))


def refused_limit(number, limits):
    try:
        resource.setrlimit(number, limits)
    except (OSError, ValueError):
        return True
    return False


@attack('escaping the out-of-memory killer')
def _():
    return refused(write, '/proc/self/oom_score_adj', '-1000'), in_child(write, '/proc/self/oom_score_adj', '1000')


@attack('another host name')
def _():
    return got(socket.sethostname, 'own'), socket.gethostname()


@attack('the owner and parent of a namespace')
def _():
    namespace = os.open('/proc/self/ns/user', os.O_RDONLY)
    parent = got(fcntl.ioctl, namespace, 0xB702)
    return parent, fcntl.ioctl(namespace, 0xB703)


@attack('entering the namespaces of the first process')
def _():
    kinds = ('user', 'mnt', 'net', 'pid', 'ipc', 'uts', 'cgroup')

    def enter(kind):
        return syscall((308, 268), os.open(f'/proc/1/ns/{kind}', os.O_RDONLY), 0)

    return sorted({got(enter, kind) for kind in kinds}), os.listdir('/proc/self/ns') != []


write(f'{writable}/mine')
report()
