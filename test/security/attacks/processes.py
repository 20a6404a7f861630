"""Other processes, of the host and of the sandbox itself."""

import fcntl
import socket
import struct

from attack import attack, given, got, in_child, os, read, refused, report, signal, syscall, write

victim, daemon = given['victim'], given['daemon']


@attack('listing host processes')
def _():
    seen = sorted(int(name) for name in os.listdir('/proc') if name.isdigit())
    return [process for process in seen if process not in (1, os.getpid())], [read(f'/proc/{p}/comm').strip() for p in seen]


@attack('a signal to a host process of the same user')
def _():
    return [got(os.kill, victim, number) for number in (0, signal.SIGTERM, signal.SIGKILL)], in_child(kill_itself)


def kill_itself():
    os.kill(os.getpid(), signal.SIGKILL)


@attack('a signal to the daemon')
def _():
    return got(os.kill, daemon, signal.SIGTERM), got(os.kill, os.getpid(), 0)


@attack('a signal to a host process group')
def _():
    return [got(os.killpg, group, signal.SIGTERM) for group in (victim, daemon)], in_child(own_group)


def own_group():
    os.setpgid(0, 0)
    os.killpg(os.getpgrp(), signal.SIGKILL)


@attack('a signal to all processes')
def _():
    def everybody():
        """Its child, which is reaped, and no other process that can die of it."""
        child = os.fork()
        if child == 0:
            signal.pause()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.kill(-1, signal.SIGTERM)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    return in_child(lambda: got(os.kill, victim, 0)), everybody()


@attack('a signal to the first process, which would end the sandbox')
def _():
    return got(os.kill, 1, signal.SIGTERM), os.getppid()


@attack('a queued signal, a signal to a thread and a signal through a pidfd')
def _():
    information = struct.pack('3i', 15, 0, -1) + b'\0' * 116
    return [
        got(syscall, (129, 138), victim, 15, information),
        got(syscall, (200, 130), victim, 15),
        got(syscall, (234, 131), victim, victim, 15),
        got(syscall, (434, 434), victim, 0),
    ], got(syscall, (200, 130), os.getpid(), 0)


@attack('a signal to the creator of its output socket, through a pidfd')
def _():
    with socket.socket(fileno=os.dup(1)) as output:
        made = got(lambda: struct.unpack('i', output.getsockopt(socket.SOL_SOCKET, 77, 4))[0])
    # A kernel before 6.5 creates no such descriptor.
    answer = got(syscall, (424, 424), made, 0, None, 0) if isinstance(made, int) else 'EINVAL'
    own = syscall((434, 434), os.getpid(), 0)
    return answer, syscall((424, 424), own, 0, None, 0)


@attack('a signal through a descriptor’s owner')
def _():
    left, right = socket.socketpair()
    answers = [got(fcntl.fcntl, left, fcntl.F_SETOWN, process) for process in (victim, -victim)]
    fcntl.fcntl(left, fcntl.F_SETOWN, os.getpid())
    return answers, fcntl.fcntl(left, fcntl.F_GETOWN) == os.getpid() and right.fileno() > 2


@attack('waiting for, tracing or limiting a host process')
def _():
    return [
        got(os.waitpid, victim, os.WNOHANG),
        got(os.getpgid, victim),
        got(os.sched_getaffinity, victim),
        got(syscall, (302, 261), victim, 7, None, b'\0' * 16),
    ], len(os.sched_getaffinity(0)) > 0


@attack('slowing down every process of the same user')
def _():
    def slow_down():
        os.setpriority(os.PRIO_USER, 0, 19)
        return os.getpriority(os.PRIO_PROCESS, 0)

    return got(os.setpriority, os.PRIO_PROCESS, victim, 19), in_child(slow_down)


@attack('pinning a host process to one processor')
def _():
    return got(os.sched_setaffinity, victim, {0}), got(os.sched_setaffinity, 0, os.sched_getaffinity(0))


@attack('kernel settings')
def _():
    names = ['kernel/core_pattern', 'kernel/modprobe', 'kernel/randomize_va_space', 'kernel/pid_max', 'kernel/sysrq']
    names += ['kernel/ns_last_pid', 'vm/overcommit_memory', 'vm/drop_caches', 'fs/protected_symlinks', 'fs/file-max']
    names += ['user/max_user_namespaces', 'net/ipv4/ip_forward', 'kernel/hostname', 'fs/suid_dumpable']
    there = [name for name in names if os.path.exists(f'/proc/sys/{name}')]
    return [name for name in there if not refused(write, f'/proc/sys/{name}', '0')], read('/proc/sys/kernel/ostype').strip()


@attack('the kernel’s SysRq, interrupts and buses')
def _():
    names = ['sysrq-trigger', 'irq/default_smp_affinity', 'bus/pci/devices', 'mtrr', 'acpi/wakeup', 'scsi/scsi', 'timer_list']
    return [name for name in names if not refused(write, f'/proc/{name}', 'h')], got(write, '/proc/self/comm', 'own')


@attack('memory and settings of the first process')
def _():
    places = {'oom_score_adj': '-1000', 'uid_map': '0 0 1', 'attr/current': 'own', 'setgroups': 'allow'}
    return [place for place, text in places.items() if not refused(write, f'/proc/1/{place}', text)], got(
        write, '/proc/self/clear_refs', '1'
    )


@attack('cgroups of its own, to escape the resource limits')
def _():
    lines = read('/proc/self/cgroup').split()
    there = [os.path.exists(place) for place in ('/sys/fs/cgroup', '/sys', '/proc/self/root/sys')]
    return there, len(lines) > 0


@attack('the daemon’s terminal')
def _():
    own, other = os.openpty()
    return got(os.open, '/dev/tty', os.O_RDWR), os.isatty(own) and os.isatty(other)


report()
