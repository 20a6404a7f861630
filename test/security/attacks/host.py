"""What stays out of reach of a skill with the rights of a user."""

import glob
import socket
import subprocess

from attack import attack, given, got, os, read, refused, report, syscall, write

above, project = given['above'], given['project']
data, config, secret = f'{project}/.ambit', f'{project}/ambit.config.yaml', f'{above}/secret/token'
beside = f'{above}/beside'


@attack('listing the data directory')
def _():
    return got(os.listdir, data), os.listdir(f'{beside}/folder')


@attack('reading the key, the configuration and a secret')
def _():
    return [got(read, path) for path in (f'{data}/key', config, secret)], read(f'{beside}/file')


@attack('a new file in the data directory')
def _():
    return got(write, f'{data}/new'), write(f'{beside}/new')


@attack('replacing the configuration')
def _():
    write(f'{project}/forged')
    write(f'{beside}/forged')
    return (
        [got(write, config), got(os.unlink, config), got(os.rename, f'{project}/forged', config)],
        got(os.rename, f'{beside}/forged', f'{beside}/moved'),
    )


@attack('moving the folders above what is hidden')
def _():
    moved = [data, project, above, f'{above}/secret']
    return (
        [got(os.rename, path, f'{path}.away') for path in moved],
        got(os.rename, f'{beside}/folder', f'{beside}/folder.away'),
    )


@attack('exchanging the data directory with another folder')
def _():
    exchange = lambda a, b: syscall((316, 276), -100, a.encode() + b'\0', -100, b.encode() + b'\0', 2)
    os.makedirs(f'{project}/empty', exist_ok=True)
    write(f'{beside}/one')
    write(f'{beside}/two')
    return got(exchange, data, f'{project}/empty'), exchange(f'{beside}/one', f'{beside}/two')


@attack('other ways to the same folder')
def _():
    ways = [
        f'/proc/self/root{data}/key',
        f'/proc/1/root{data}/key',
        f'/proc/self/cwd/..{data}/key',
        f'{beside}/link/key',
        f'{project}/../{os.path.basename(project)}/.ambit/key',
    ]
    os.symlink(data, f'{beside}/link')
    os.symlink(f'{beside}/file', f'{beside}/link-within')
    return [got(read, path) for path in ways], read(f'{beside}/link-within')


@attack('a hard link to a hidden file')
def _():
    os.link(f'{beside}/file', f'{beside}/linked')
    return [got(os.link, path, f'{beside}/taken') for path in (f'{data}/key', config)], read(f'{beside}/linked')


@attack('changing what hides it')
def _():
    return [got(os.chmod, data, 0o777), got(os.rmdir, data)], os.chmod(f'{beside}/file', 0o600)


@attack('removing the mounts')
def _():
    return [
        got(syscall, (166, 39), data.encode() + b'\0', 2),
        got(syscall, (165, 40), b'none\0', b'/mnt\0', b'tmpfs\0', 0, None),
    ], got(os.listdir, f'{beside}/none')


@attack('new namespaces, in which the mounts could be undone')
def _():
    return [
        got(syscall, (272, 97), 0x1002_0000),
        subprocess.run(['unshare', '-Um', 'true'], capture_output=True).returncode != 0,
    ], subprocess.run(['true']).returncode == 0


@attack('skills and their grants')
def _():
    planted = [f'{project}/skills/planted', f'{project}/skills/linked/planted', f'{above}/linked/planted']
    return [got(write, path) for path in planted], write(f'{project}/planted')


@attack('variables with secrets')
def _():
    hidden = sorted(name for name in os.environ if 'AMBIT' in name or 'TOKEN' in name)
    texts = [read(path) for path in glob.glob('/proc/[0-9]*/environ')]
    return [hidden, any(given['secret'] in text for text in texts)], len(texts) > 0


@attack('processes of the host')
def _():
    return got(os.kill, given['pid'], 0), got(os.kill, os.getpid(), 0)


@attack('open files of the daemon')
def _():
    return sorted(map(int, os.listdir('/proc/self/fd')))[3:-1], got(os.fstat, 0) is not None


@attack('Unix sockets, also abstract ones of the host’s network')
def _():
    with socket.create_connection(('127.0.0.1', given['port'])) as connection:
        answer = connection.recv(100).decode()
    return got(socket.socket, socket.AF_UNIX), answer


@attack('raw sockets')
def _():
    kinds = [(socket.AF_PACKET, socket.SOCK_RAW), (socket.AF_INET, socket.SOCK_RAW)]
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()
    return [refused(socket.socket, *kind) for kind in kinds], None


@attack('capabilities and the rights of other users')
def _():
    status = dict(line.split(':\t', 1) for line in read('/proc/self/status').splitlines() if ':\t' in line)
    sets = [int(status[f'Cap{name}'], 16) for name in ('Inh', 'Prm', 'Eff', 'Bnd', 'Amb')]
    return [sets, refused(os.setuid, 0), refused(os.setgroups, [])], [os.getuid(), os.getgid()]


@attack('leaving the limits through a cgroup')
def _():
    writable = [path for path in glob.glob('/sys/fs/cgroup/**/cgroup.procs', recursive=True) if os.access(path, os.W_OK)]
    return writable, os.access(f'{beside}/file', os.W_OK)


@attack('kernel file systems that are mounted elsewhere')
def _():
    return [line for line in read('/proc/self/mountinfo').splitlines() if ' - proc ' in line and ' /proc ' not in line], True


report()
