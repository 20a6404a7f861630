"""The kernel itself, by system call numbers, without library wrappers."""

import fcntl
import mmap
import platform
import resource
import select
import struct
import termios

from attack import attack, ctypes, given, got, in_child, os, report, signal, syscall

x64 = platform.machine() == 'x86_64'


def each(**calls):
    """The result of each call, with arguments that do nothing: (x86-64, arm64), then the arguments."""
    answers = {}
    for name, (numbers, *arguments) in calls.items():
        if (numbers[0] if x64 else numbers[1]) is not None:
            answers[name] = got(syscall, numbers, *arguments)
    return {answer: sorted(name for name in answers if answers[name] == answer) for answer in set(answers.values())}


def only(answers, expected='EPERM'):
    """The expected result if it was the only one, otherwise all of them, for inspection."""
    return expected if set(answers) == {expected} else answers


nothing = (0, 0, 0, 0, 0)


@attack('mount and related calls')
def _():
    calls = each(
        mount=((165, 40), *nothing),
        umount2=((166, 39), b'/tmp', 0),
        pivot_root=((155, 41), b'/', b'/'),
        chroot=((161, 51), b'/'),
        open_tree=((428, 428), -100, b'/tmp', 0),
        move_mount=((429, 429), -1, b'', -1, b'', 0),
        fsopen=((430, 430), b'tmpfs', 0),
        fsconfig=((431, 431), -1, *nothing),
        fsmount=((432, 432), -1, 0, 0),
        fspick=((433, 433), -100, b'/tmp', 0),
        mount_setattr=((442, 442), -100, b'/tmp', 0, 0, 0),
        statmount=((457, 457), *nothing),
        listmount=((458, 458), *nothing),
    )
    return only(calls), os.statvfs('/tmp').f_bsize > 0


@attack('unshare and setns')
def _():
    namespace = os.open('/proc/self/ns/uts', os.O_RDONLY)
    calls = each(unshare=((272, 97), 0), setns=((308, 268), namespace, 0))
    return only(calls), os.readlink('/proc/self/ns/uts').split(':')[0]


def cloned(flags):
    child = syscall((56, 220), flags | signal.SIGCHLD, 0, 0, 0, 0)
    if child == 0:
        os._exit(7)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@attack('clone into any new namespace')
def _():
    flags = {
        'mount': 0x00020000,
        'cgroup': 0x02000000,
        'uts': 0x04000000,
        'ipc': 0x08000000,
        'user': 0x10000000,
        'pid': 0x20000000,
        'net': 0x40000000,
        'user and mount': 0x10020000,
    }
    return sorted({got(cloned, value) for value in flags.values()}), cloned(0)


@attack('clone with flags in the upper half of its argument')
def _():
    return got(cloned, 0x10000000 | 0x100000000), cloned(0)


@attack('clone3, whose flags are in memory')
def _():
    arguments = struct.pack('8Q', 0x10000000, 0, 0, 0, signal.SIGCHLD, 0, 0, 0)
    return got(syscall, (435, 435), arguments, len(arguments)), in_child(os.getpid) > 0


@attack('access to other processes')
def _():
    calls = each(
        ptrace=((101, 117), 0, 0, 0, 0),
        process_vm_readv=((310, 270), os.getpid(), 0, 0, 0, 0, 0),
        process_vm_writev=((311, 271), os.getpid(), 0, 0, 0, 0, 0),
        process_madvise=((440, 440), *nothing),
        pidfd_getfd=((438, 438), -1, 0, 0),
        kcmp=((312, 272), os.getpid(), os.getpid(), 0, 0, 0),
    )
    return only(calls), syscall((434, 434), os.getpid(), 0) > 2


@attack('attaching to its own first process')
def _():
    return got(syscall, (101, 117), 16, 1, 0, 0), got(os.kill, 1, 0)


@attack('keyrings')
def _():
    calls = each(
        add_key=((248, 217), b'user', b'own', b'own', 3, -3),
        request_key=((249, 218), b'user', b'own', 0, -3),
        keyctl=((250, 219), 0, -3, 1, 0, 0),
    )
    return only(calls), syscall((319, 279), b'own', 0) > 2


@attack('bpf')
def _():
    return only(each(bpf=((321, 280), 0, b'\0' * 120, 120))), syscall((317, 277), 2, 0, struct.pack('I', 0x7FFF0000))


@attack('perf events')
def _():
    attributes = struct.pack('2I', 1, 112) + b'\0' * 104
    return only(each(perf_event_open=((298, 241), attributes, 0, -1, -1, 0))), resource.getrusage(0).ru_utime >= 0


@attack('io_uring')
def _():
    calls = each(
        io_uring_setup=((425, 425), 1, b'\0' * 120),
        io_uring_enter=((426, 426), -1, *nothing),
        io_uring_register=((427, 427), -1, 0, 0, 0),
    )
    return only(calls), select.epoll().fileno() > 2


@attack('userfaultfd')
def _():
    return only(each(userfaultfd=((323, 282), 1))), len(mmap.mmap(-1, 4096))


@attack('modules and other kernels')
def _():
    calls = each(
        init_module=((175, 105), 0, 0, b''),
        finit_module=((313, 273), -1, b'', 0),
        delete_module=((176, 106), b'none', 0),
        create_module=((174, None), 0, 0),
        kexec_load=((246, 104), 0, 0, 0, 0),
        kexec_file_load=((320, 294), -1, -1, 0, 0, 0),
        reboot=((169, 142), 0, 0, 0, 0),
    )
    return only(calls), os.uname().sysname


@attack('the machine’s clock')
def _():
    import time

    calls = each(
        settimeofday=((164, 170), 0, 0),
        clock_settime=((227, 112), 0, 0),
        clock_adjtime=((305, 266), 0, b'\0' * 208),
        adjtimex=((159, 171), b'\0' * 208),
    )
    return only(calls), time.clock_gettime(time.CLOCK_REALTIME) > 0


@attack('other settings of the whole machine')
def _():
    calls = each(
        swapon=((167, 224), b'/tmp/none', 0),
        swapoff=((168, 225), b'/tmp/none'),
        acct=((163, 89), b'/tmp/none'),
        quotactl=((179, 60), *nothing),
        quotactl_fd=((443, 443), -1, 0, 0, 0),
        syslog=((103, 116), 10, 0, 0),
        sethostname=((170, 161), b'own', 3),
        setdomainname=((171, 162), b'own', 3),
        vhangup=((153, 58),),
        nfsservctl=((180, 42), 0, 0, 0),
    )
    return only(calls), os.uname().nodename


@attack('hardware access, and obsolete calls')
def _():
    calls = each(
        iopl=((172, None), 0),
        ioperm=((173, None), 0, 0, 0),
        modify_ldt=((154, None), 0, 0, 0),
        uselib=((134, None), b'/tmp/none'),
        ustat=((136, None), 0, 0),
        sysfs=((139, None), 3, 0, 0),
        _sysctl=((156, None), 0),
        vserver=((236, None), 0),
        lookup_dcookie=((212, 18), 0, 0, 0),
    )
    return only(calls), os.sysconf('SC_PAGE_SIZE')


@attack('file handles')
def _():
    handle = struct.pack('Ii', 128, 0) + b'\0' * 128
    calls = each(
        name_to_handle_at=((303, 264), -100, b'/tmp', handle, b'\0' * 4, 0),
        open_by_handle_at=((304, 265), -100, handle, 0),
        fanotify_init=((300, 262), 0x200, 0),
        fanotify_mark=((301, 263), -1, 0, 0, -100, b'/tmp'),
    )
    return only(calls), syscall((257, 56), -100, b'/tmp', os.O_DIRECTORY, 0) > 2


@attack('moving memory between nodes, and secret memory')
def _():
    calls = each(
        mbind=((237, 235), 0, 0, 0, 0, 0, 0),
        set_mempolicy=((238, 237), 0, 0, 0),
        get_mempolicy=((239, 236), 0, 0, 0, 0, 0),
        migrate_pages=((256, 238), 0, 0, 0, 0),
        move_pages=((279, 239), 0, 0, 0, 0, 0, 0),
        set_mempolicy_home_node=((450, 450), 0, 0, 0, 0),
        memfd_secret=((447, 447), 0),
    )
    return only(calls), mmap.mmap(-1, 4096).madvise(mmap.MADV_DONTNEED)


@attack('calls newer than the filter')
def _():
    return only({got(syscall, number, *nothing): number for number in range(463, 512)}, 'ENOSYS'), syscall((39, 172)) > 0


@attack('the numbers of x32')
def _():
    if not x64:
        return 'ENOSYS', True
    x32, own = 0x40000000, (39, 41, 56, 101, 165, 248, 272, 321, 425, 512, 521, 545)
    return only({got(syscall, x32 | number, *nothing): number for number in own}, 'ENOSYS'), syscall((39, 172)) > 0


@attack('call numbers in the upper half of the register')
def _():
    # The kernel reads only the lower half; the filter has to as well.
    return got(syscall, (272 | 1 << 32, 97 | 1 << 32), 0), syscall((39 | 1 << 32, 172 | 1 << 32)) == os.getpid()


def run_code(code):
    """Runs machine code that returns its result in the first register."""
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(code)
    return ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))()


# mov eax, N; the call; ret
of_32_bits = b'\xb8' + struct.pack('<I', 20) + b'\xcd\x80\xc3'
of_64_bits = b'\xb8' + struct.pack('<I', 39) + b'\x0f\x05\xc3'


@attack('32-bit system calls')
def _():
    if not x64:
        return given['foreignCall'], True
    return in_child(run_code, of_32_bits), in_child(run_code, of_64_bits) > 0


@attack('typing into a terminal')
def _():
    own, other = os.openpty()

    def type_into_its_terminal():
        # Into another terminal, the kernel itself refuses it.
        os.setsid()
        fcntl.ioctl(other, termios.TIOCSCTTY, 0)
        return len(fcntl.ioctl(other, termios.TIOCSTI, b'x'))

    answers = [got(fcntl.ioctl, own, termios.TIOCSTI, b'x'), in_child(type_into_its_terminal)]
    os.write(own, b'typed\n')
    return answers, os.read(other, 10).decode()


@attack('typing into a terminal, with a request number above 32 bits')
def _():
    own, other = os.openpty()
    answer = got(syscall, (16, 29), other, termios.TIOCSTI | 1 << 32, b'x')
    return answer, len(fcntl.ioctl(other, termios.TIOCGWINSZ, b'\0' * 8))


@attack('other terminal requests with effects outside the terminal')
def _():
    _, other = os.openpty()
    requests = {'TIOCLINUX': 0x541C, 'TIOCSETD': 0x5423, 'TIOCCONS': 0x541D}
    return sorted({got(fcntl.ioctl, other, number, b'\0' * 8) for number in requests.values()}), os.isatty(other)


@attack('another execution domain')
def _():
    personas = {'without random addresses': 0x0040000, 'readable is executable': 0x0400000, 'of 32 bits': 8}
    return sorted({got(syscall, (135, 92), persona) for persona in personas.values()}), syscall((135, 92), 0xFFFFFFFF)


@attack('watching the file accesses of other programs')
def _():
    folder = os.open('/tmp', os.O_RDONLY)
    calls = each(inotify_init=((253, None),), inotify_init1=((294, 26), 0))
    return [only(calls, 'ENOSYS'), got(fcntl.fcntl, folder, 1026, 1)], os.listdir('/tmp')


@attack('a file lease, which blocks other programs')
def _():
    file = os.open('/tmp/leased', os.O_CREAT | os.O_RDWR)
    return [got(fcntl.fcntl, file, 1024, kind) for kind in (0, 1)], fcntl.fcntl(file, 1025)


@attack('asynchronous I/O requests, limited for the whole machine')
def _():
    return got(syscall, (206, 0), 100, (ctypes.c_ulong * 1)()), os.pread(os.open('/proc/self/stat', os.O_RDONLY), 1, 0) != b''


@attack('huge pages from the machine’s pool')
def _():
    def mapped(flags):
        return mmap.mmap(-1, 1 << 21, flags=flags | mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) and 'mapped'

    calls = [
        got(mapped, 0x40000),
        got(mapped, 0x40000 | 21 << 26),
        got(syscall, (319, 279), b'own', 4),
        got(syscall, (29, 194), 0, 1 << 21, 0o5600),
    ]
    return sorted(set(calls)), mapped(0)


@attack('a core limit with which a crash starts a host program')
def _():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    syscall((302, 261), 0, 4, struct.pack('2Q', 0, 0), 0)
    syscall((160, 164), 4, struct.pack('2Q', 0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, 200))
    return in_child(resource.getrlimit, resource.RLIMIT_CORE), resource.getrlimit(resource.RLIMIT_NOFILE)


@attack('disabling the filter')
def _():
    disabled = got(lambda: syscall((157, 167), 22, 0, 0, 0, 0))
    lines = open('/proc/self/status').read().splitlines()
    return disabled, [line.split(':')[1].strip() for line in lines if line.startswith('Seccomp:')]


report()
