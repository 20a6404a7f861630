/** Returns the remedy for a bubblewrap that fails with `detail`, for the banner and `ambit doctor`. */
export function bubblewrapFix(detail: string): string {
  return fixes.find(({ error }) => error.test(detail))?.fix ?? forbidden;
}

const forbidden =
  'The system does not let this user create a sandbox. In a container, use Ambit’s seccomp profile: --security-opt seccomp=FILE (docs/deployment.md#containers). Elsewhere, allow unprivileged user namespaces: sysctl user.max_user_namespaces and, where it exists, kernel.unprivileged_userns_clone=1';

/** The causes of errors with their remedies, the most specific first. */
const fixes: readonly { error: RegExp; fix: string }[] = [
  {
    error: /ENOENT/,
    fix: 'Install bubblewrap: apt-get install bubblewrap, dnf install bubblewrap or pacman -S bubblewrap',
  },
  {
    // The kernel allows a new /proc only if no part of the current one is masked.
    error: /mount proc/,
    fix: 'Parts of /proc are masked, as in most containers. Unmask them: --security-opt systempaths=unconfined with Docker, --security-opt unmask=/proc/* with Podman, procMount: Unmasked with Kubernetes',
  },
  {
    error: /^root could not|Joining specified user namespace/,
    fix: 'Run Ambit as an ordinary user, which needs no capability. As root it needs capabilities that containers do not have',
  },
  {
    error: /Permission denied/,
    fix: 'A security module, such as AppArmor, forbids the sandbox. In a container: --security-opt apparmor=unconfined. On Ubuntu 24.04 or newer: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or a profile for bubblewrap that allows userns',
  },
];
