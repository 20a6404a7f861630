import { deepEqual } from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { redacted, table, text } from './container-claims.ts';
import { options, type Setup, seccompProfile, shell } from './setup.ts';

/** The error of bubblewrap without each of the system calls. */
const errors: Readonly<Record<string, string>> = {
  clone: 'bwrap: No permissions to create new namespace',
  mount: 'bwrap: Failed to make / slave: Operation not permitted',
  pivot_root: 'bwrap: pivot_root: Operation not permitted',
  sethostname: "bwrap: Can't set hostname to ambit: Operation not permitted",
  umount2: 'bwrap: unmount old root: Operation not permitted',
  unshare: 'bwrap: unshare user ns: Operation not permitted',
};

/** Without it, a container could start no process at all. From the default profile of Docker. */
const withoutNamespaces = {
  names: ['clone'],
  action: 'SCMP_ACT_ALLOW',
  args: [{ index: 0, value: 0x7e020000, op: 'SCMP_CMP_MASKED_EQ' }],
};

/** Leaves out one setting after the other. */
export async function checkSettings(setup: Setup): Promise<void> {
  const { engine, configuration, claim } = setup;
  await claim('without the seccomp profile, doctor names it', async () => {
    const given = await options(setup, { profile: null });
    await checkRefusal(given, engine.defaultProfileError, /seccomp profile: --security-opt seccomp=/);
  });
  await claim('with hidden parts of /proc, doctor says how to show them', async () => {
    const given = await options(setup, { hidesProc: true });
    const error = "bwrap: Can't mount proc on /newroot/proc: Operation not permitted";
    await checkRefusal(given, error, new RegExp(`--security-opt ${engine.unmask.replaceAll('*', '\\*')}`));
  });
  await claim('as root without capabilities, doctor says to be an ordinary user', async () => {
    const given = [...(await options(setup)), '--user=0', '--cap-add=DAC_OVERRIDE'];
    await checkRefusal(given, 'root could not become another user: ', /^Run Ambit as an ordinary user/);
  });
  await claim('as root with the usual capabilities, doctor says to be an ordinary user', async () => {
    const given = (await options(setup)).filter((option) => !['--cap-drop', 'ALL'].includes(option));
    const error = 'root could not map the users of a sandbox: ';
    await checkRefusal([...given, '--user=0'], error, /^Run Ambit as an ordinary user/);
  });
  await claim('with all settings, the same commands succeed', async () => {
    deepEqual(await tried(await options(setup)), {
      rows: 1,
      code: 0,
      text: redacted,
      status: 'ok',
      found: 'bubblewrap, tested',
      fix: undefined,
    });
  });
  // What bubblewrap needs is the same with every engine.
  if (engine.name !== 'podman') return;
  const profile = JSON.parse(await readFile(seccompProfile, 'utf8'));
  const others: object[] = profile.syscalls.slice(0, -1);
  const rule: { names: string[] } = profile.syscalls.at(-1);
  await claim('the seccomp profile has the calls of bubblewrap, and no others, in its last rule', async () =>
    deepEqual(rule.names, Object.keys(errors)),
  );
  for (const [call, error] of Object.entries(errors)) {
    await claim(`without ${call} in the profile, bubblewrap does not work`, async () => {
      const file = join(configuration, '..', 'without.json');
      const rest = { ...rule, names: rule.names.filter((name) => name !== call) };
      await writeFile(file, JSON.stringify({ ...profile, syscalls: [...others, rest, withoutNamespaces] }));
      const given = await options(setup, { profile: file });
      await checkRefusal(given, error, /seccomp profile: --security-opt seccomp=/);
    });
  }

  async function checkRefusal(given: readonly string[], error: string, fix: RegExp): Promise<void> {
    const { found, fix: said, ...rest } = await tried(given);
    deepEqual(rest, { rows: 'SANDBOX_UNAVAILABLE', code: 4, text: redacted, status: 'missing' });
    if (!found.startsWith(error)) throw new Error(`the error is "${found}" instead of "${error}"`);
    if (!fix.test(said ?? '')) throw new Error(`the fix is "${said}"`);
  }

  /** Runs a process skill, a WASM skill and doctor. */
  async function tried(given: readonly string[]) {
    const script = `ambit run csv-profile --json --input '${table}' 2>&1; echo "$?"
      ambit run text-redact --input '${text}'
      ambit doctor --json || true`;
    const [process = '', code, wasm = '', report = ''] = (await shell(engine, given, script)).split('\n');
    const { outcome, error } = JSON.parse(process);
    const checks: { name: string; status: string; found: string; fix?: string }[] = JSON.parse(report).checks;
    const sandbox = checks.find(({ name }) => name === 'process sandbox');
    return {
      rows: outcome?.output.rows ?? error.code,
      code: Number(code),
      text: JSON.parse(wasm).text,
      status: sandbox?.status,
      found: sandbox?.found ?? '',
      fix: sandbox?.fix,
    };
  }
}
