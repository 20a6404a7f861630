import { thrownText } from '@ambit/core/outcome';
import { hostProgram } from './programs/host-program.ts';
import { runInSandbox } from './sandbox/run-in-sandbox.ts';
import type { Sandbox } from './sandbox/sandbox.ts';

/** Whether a sandbox works on this machine; if not, `detail` is the error. */
export type SandboxStatus = { works: true } | { works: false; detail: string };

/** Checks by running an empty shell script in the sandbox. */
export async function probeSandbox(sandbox: Sandbox): Promise<SandboxStatus> {
  try {
    const shell = hostProgram('sh');
    const run = await runInSandbox(
      sandbox,
      {
        command: {
          argv: [shell.path, '-c', ':'],
          env: {},
          cwd: '/',
          mounts: shell.mounts,
          links: shell.links,
        },
      },
      { stdin: new Uint8Array(), timeoutMs: 10_000, outputBytes: 4096 },
      AbortSignal.timeout(10_000),
    );
    if (run.end.status === 'exited' && run.end.exitCode === 0) return { works: true };
    return { works: false, detail: `a test shell in the sandbox ended with ${JSON.stringify(run.end)}` };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { works: false, detail: thrownText(cause) };
  }
}
