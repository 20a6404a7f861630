"""Files that were not granted, by every way to reach files."""

import json
import mmap
import stat
import subprocess

from attack import attack, given, got, os, read, refused, report, syscall, write

secret, readable, writable = given['secret'], given['readable'], given['writable']


@attack('an absolute path to a host file')
def _():
    return got(read, secret), got(read, f'{readable}/file')


@attack('".." out of the skill folder')
def _():
    return got(read, f'/skill/scripts/../..{secret}'), read('/skill/scripts/../note')


@attack('".." out of a granted path')
def _():
    return got(read, f'{readable}/../secret/file'), read(f'{readable}/folder/../file')


@attack('a symlink in the skill folder that leads out')
def _():
    return got(read, '/skill/link-out'), read('/skill/link-within')


@attack('a symlink in a granted path that leads out')
def _():
    return got(read, f'{readable}/link-out'), read(f'{readable}/link-within')


@attack('a symlink planted in the workspace that leads out')
def _():
    os.symlink(secret, '/workspace/planted')
    os.symlink('own', '/workspace/within')
    write('/workspace/own', 'own')
    return got(read, '/workspace/planted'), read('/workspace/within')


@attack('a symlink planted in a granted path that leads out')
def _():
    os.symlink(secret, f'{writable}/planted')
    os.symlink('file', f'{writable}/within')
    return got(read, f'{writable}/planted'), read(f'{writable}/within')


@attack('a hard link from a skill file to a writable folder')
def _():
    write('/workspace/a', 'own')
    os.link('/workspace/a', '/workspace/b')
    return got(os.link, '/skill/note', '/workspace/linked'), read('/workspace/b')


@attack('a hard link from a readable path to a writable path')
def _():
    os.link(f'{writable}/file', f'{writable}/linked')
    return got(os.link, f'{readable}/file', f'{writable}/from-readable'), read(f'{writable}/linked')


@attack('the root of every process')
def _():
    processes = [name for name in os.listdir('/proc') if name.isdigit()] + ['self', 'thread-self']
    found = sorted({got(read, f'/proc/{process}/root{secret}') for process in processes})
    return found, read('/proc/self/root/skill/note')


@attack('the working directory of the first process, and its parents')
def _():
    return got(read, f'/proc/1/cwd/../../../..{secret}'), read('/proc/self/cwd/../skill/note')


@attack('the root of the daemon, by its process id on the host')
def _():
    return got(os.listdir, f'/proc/{given["daemon"]}/root'), got(os.listdir, '/proc/1/root/skill/scripts') != []


def descriptors(process):
    folder = f'/proc/{process}/fd'
    return {int(name): got(os.readlink, f'{folder}/{name}') for name in os.listdir(folder)}


@attack('inherited descriptors of its own process')
def _():
    mine = {number: target for number, target in descriptors('self').items() if target != 'ENOENT'}
    beyond = [target.split(':')[0] for number, target in sorted(mine.items()) if number > 2]
    return beyond, [number for number in sorted(mine) if number <= 2]


@attack('open descriptors of the first process')
def _():
    held = descriptors(1)
    return [target for number, target in sorted(held.items()) if number > 2], [n for n in sorted(held) if n <= 2]


@attack('an inherited descriptor of the daemon')
def _():
    return got(os.pread, given['descriptor'], 100, 0), os.fstat(0).st_ino > 0


@attack('device nodes of the host')
def _():
    devices = 'mem kmem port kmsg kvm fuse sda vda nvme0n1 loop-control net/tun uinput console tty0 vsock rtc'
    os.write(os.open('/dev/null', os.O_WRONLY), b'gone')
    opened = {got(os.open, f'/dev/{name}', os.O_RDONLY) for name in devices.split()}
    return sorted(opened), [len(os.urandom(4)), len(read('/dev/zero'))]


@attack('devices other than the harmless ones')
def _():
    nodes = [name for name in os.listdir('/dev') if stat.S_ISCHR(os.stat(f'/dev/{name}', follow_symlinks=False).st_mode)]
    blocks = [name for name in os.listdir('/dev') if stat.S_ISBLK(os.stat(f'/dev/{name}', follow_symlinks=False).st_mode)]
    return blocks, sorted(nodes)


@attack('kernel memory')
def _():
    return [refused(read, f'/proc/{name}') for name in ('kcore', 'kmsg')], read('/proc/version')[:5]


@attack('/sys')
def _():
    return got(os.listdir, '/sys'), os.path.isdir('/proc/self')


@attack('a setuid program in a granted path')
def _():
    script = 'import os; print(os.getuid(), os.geteuid(), os.getegid())'
    ran = subprocess.run([f'{readable}/setuid', '-I', '-c', script], capture_output=True, text=True)
    plain = subprocess.run(['/usr/bin/python3', '-I', '-c', script], capture_output=True, text=True)
    return ran.stdout or ran.stderr, plain.stdout


@attack("the host's home folders")
def _():
    homes = ['/root', '/home', given['home'], os.path.expanduser('~root')]
    return sorted({got(os.listdir, home) for home in homes}), os.listdir(os.environ['HOME']) != []


@attack("the host's user accounts and settings")
def _():
    names = 'shadow gshadow sudoers hostname resolv.conf ssl ssh machine-id crontab'
    return sorted({got(read, f'/etc/{name}') for name in names.split()}), sorted(os.listdir('/etc'))


@attack("the host's users and names in the sandbox's own files")
def _():
    names = 'passwd group hosts nsswitch.conf'
    return [name for name in names.split() if read(f'/etc/{name}') == given['host'][name]], read('/etc/hosts')


@attack("the host's other folders")
def _():
    names = 'var run srv opt mnt media boot sbin usr/sbin usr/local/bin usr/share/doc usr/include usr/lib/systemd'
    return sorted({got(os.listdir, f'/{name}') for name in names.split()}), 'python3' in os.listdir('/usr/bin')


@attack("another user's file in a granted path")
def _():
    return got(read, f'{readable}/private'), read(f'{readable}/file')


@attack('making another user’s file readable')
def _():
    return got(os.chmod, f'{writable}/foreign', 0o666), got(os.chmod, f'{writable}/file', 0o666)


def additions(folder):
    """Tries every way to add to a folder."""
    return [
        got(write, f'{folder}/new'),
        got(os.mkdir, f'{folder}/made'),
        got(os.symlink, 'x', f'{folder}/pointing'),
        got(os.mkfifo, f'{folder}/fifo'),
    ]


def changes(folder, file):
    """Tries every way to change a file in it."""
    name = f'{folder}/{file}'
    return [
        got(write, name, 'own'),
        got(os.open, name, os.O_WRONLY | os.O_APPEND),
        got(os.truncate, name, 3),
        got(os.rename, name, f'{folder}/moved'),
        got(os.chmod, name, 0o777),
        got(os.utime, name),
        got(os.setxattr, name, 'user.own', b'own'),
        got(os.unlink, name),
    ]


def all_of(answers):
    return sorted({str(answer) for answer in answers})


@attack('changing its own folder')
def _():
    return all_of(additions('/skill') + changes('/skill', 'note')), all_of(additions('/workspace'))


@attack('changing its own script')
def _():
    return all_of(additions('/skill/scripts') + changes('/skill/scripts', 'files.py')), write('/tmp/new')


@attack('changing the libraries')
def _():
    library = os.path.dirname(json.__file__)
    return [got(write, f'{library}/own.py'), refused(write, json.__file__)], read(json.__file__)[:1] != ''


@attack('changing the programs')
def _():
    python = os.path.realpath('/usr/bin/python3')
    return [got(write, '/usr/bin/own'), refused(write, python), refused(os.unlink, python)], os.access(python, os.X_OK)


@attack('changing the root folder')
def _():
    return all_of(additions('/') + additions('/usr') + additions('/etc')), all_of(additions('/tmp'))


@attack('files in the device folder')
def _():
    tried = additions('/dev') + additions('/dev/pts')
    return [answer for answer in tried if answer in (None, 'written')], all_of(additions('/dev/shm'))


@attack('changing a path granted for reading')
def _():
    return all_of(additions(readable) + changes(readable, 'file')), all_of(additions(writable))


@attack('reopening a readable file for writing')
def _():
    write('/workspace/reopened', 'own')
    own, file = os.open('/workspace/reopened', os.O_RDONLY), os.open('/skill/note', os.O_RDONLY)
    again = got(os.open, f'/proc/self/fd/{file}', os.O_RDWR)
    return again, os.write(os.open(f'/proc/self/fd/{own}', os.O_RDWR), b'x')


@attack('writing to a file through a memory mapping')
def _():
    def mapped(path, flags):
        file = os.open(path, flags)
        return mmap.mmap(file, 3, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE).write(b'own')

    write('/workspace/mapped', 'abc')
    return got(mapped, '/skill/note', os.O_RDONLY), mapped('/workspace/mapped', os.O_RDWR)


def remount(path, flags):
    return syscall((165, 40), b'none', path.encode(), None, flags, None)


@attack('remounting its own folder as writable')
def _():
    bind, again = 4096, 32
    return got(remount, '/skill', bind | again), os.statvfs('/skill').f_flag & os.ST_RDONLY


@attack('unmounting a mount that hides a path')
def _():
    return got(syscall, (166, 39), b'/skill', 2), os.path.ismount('/skill')


report()
