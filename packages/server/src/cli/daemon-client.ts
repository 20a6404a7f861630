import { SkillError, type SkillErrorCode, skillErrorCodes } from '@ambit/core';
import { type ExecuteAnswer, executeResult } from '../wire/execute-answer.ts';
import type { Call, Runner } from './actions.ts';
import { CliError } from './cli-error.ts';

/** How a daemon is called. */
export interface DaemonAccess {
  url: string;
  key: string;
  /** Absent: as everywhere. */
  fetch?: typeof fetch;
}

/** Runs calls in a daemon. Refusals come back as the errors that they were there. */
export function daemonClient(access: DaemonAccess): Runner {
  const { url } = access;
  return {
    async execute(call, signal) {
      const response = await post(
        access,
        `/skills/${encodeURIComponent(call.skillId)}/execute`,
        call,
        signal,
      );
      const body = await readBody(url, response);
      if (!response.ok) throw refusal(url, response.status, body);
      return executeResult(body as unknown as ExecuteAnswer);
    },
    async close() {
      // Every call has its own connection, which `fetch` keeps.
    },
  };
}

async function post(
  { url, key, fetch: call = fetch }: DaemonAccess,
  path: string,
  { input, narrowing, receipt, workspace, fileContents }: Call,
  signal: AbortSignal,
): Promise<Response> {
  const address = `${url}${path}`;
  try {
    return await call(address, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...input,
        ...narrowing,
        ...sentFiles(input.files),
        ...(receipt && { receipt }),
        ...(workspace !== undefined && { workspace }),
        // A call without a workspace has them anyway.
        ...(workspace !== undefined && fileContents && { fileContents }),
      }),
      signal,
    });
  } catch (error) {
    throw signal.aborted ? signal.reason : unreachable(address, error);
  }
}

function sentFiles(files: Call['input']['files']): object {
  if (files === undefined) return {};
  return {
    files: files.map(({ path, content }) => ({ path, base64: Buffer.from(content).toString('base64') })),
  };
}

async function readBody(url: string, response: Response): Promise<Record<string, unknown>> {
  try {
    return (await response.json()) as Record<string, unknown>;
  } catch (error) {
    throw unreachable(url, error);
  }
}

/** What a daemon's refusal is here: the error that it was there, or `DAEMON_REFUSED`. */
export function refusal(url: string, status: number, body: Record<string, unknown>): SkillError | CliError {
  const { code, detail, type: _type, title: _title, status: _status, ...details } = body;
  if (isSkillErrorCode(code)) return new SkillError(code, String(detail), { details });
  return new CliError(
    'DAEMON_REFUSED',
    `the daemon at ${url} refused the call with ${status} ${code}: ${detail}`,
    {
      details: { ...details, code, status },
    },
  );
}

function isSkillErrorCode(code: unknown): code is SkillErrorCode {
  return (skillErrorCodes as readonly unknown[]).includes(code);
}

export function unreachable(address: string, cause: unknown): CliError {
  return new CliError(
    'DAEMON_UNREACHABLE',
    `the daemon that holds the data directory does not answer at ${address}; if it hangs, stop it and try again`,
    { cause },
  );
}
