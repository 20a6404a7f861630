import { runProgram } from './run-program.ts';

/** A running `@anthropic-ai/sandbox-runtime`, or why it cannot run on this machine. */
export type SandboxRuntime =
  | { run(command: string): Promise<void>; close(): Promise<void> }
  | { missing: string };

/**
 * Starts `@anthropic-ai/sandbox-runtime` with the strictest settings that can run a command: no
 * network and no writable files. It scans the working directory before each command, so the caller
 * should use an empty one.
 */
export async function sandboxRuntime(): Promise<SandboxRuntime> {
  try {
    const { SandboxManager } = await import('@anthropic-ai/sandbox-runtime');
    const { errors } = SandboxManager.checkDependencies();
    if (errors.length > 0) return { missing: errors.join('; ') };
    await SandboxManager.initialize({
      network: { allowedDomains: [], deniedDomains: [] },
      filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
    });
    return {
      async run(command) {
        await runProgram(await SandboxManager.wrapWithSandbox(command), [], { shell: true });
        SandboxManager.cleanupAfterCommand();
      },
      close: () => SandboxManager.reset(),
    };
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
}

/** Its proxy on loopback, which allows one host; or why it cannot run. */
export type SandboxRuntimeProxy =
  | { port: number; authorization: string; close(): Promise<void> }
  | { missing: string };

export async function sandboxRuntimeProxy(host: string): Promise<SandboxRuntimeProxy> {
  try {
    const { SandboxManager } = await import('@anthropic-ai/sandbox-runtime');
    const { errors } = SandboxManager.checkDependencies();
    if (errors.length > 0) return { missing: errors.join('; ') };
    await SandboxManager.initialize({
      network: { allowedDomains: [host], deniedDomains: [] },
      filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
    });
    const port = SandboxManager.getProxyPort();
    if (port === undefined) return { missing: 'it has no proxy' };
    const token = Buffer.from(`srt:${SandboxManager.getProxyAuthToken() ?? ''}`).toString('base64');
    return { port, authorization: `Basic ${token}`, close: () => SandboxManager.reset() };
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
}
