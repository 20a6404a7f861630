import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Grant, RunEvent, RunObserver, RunResult } from '../../packages/core/src/execute.ts';
import { SkillError } from '../../packages/core/src/index.ts';
import type { WorkspaceFile } from '../../packages/core/src/workspace.ts';
import { atDeadline } from '../../packages/runtime/src/testing/at-deadline.ts';
import type { CommandWorld } from './support/command-world.ts';

const never = new AbortController().signal;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The guarantees of a `SkillExecutor` to its callers for protocol command, in any language. */
export function commandContract(name: string, open: () => Promise<CommandWorld>): void {
  let world: CommandWorld;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world.close());

  interface Call {
    stdin?: string;
    files?: readonly WorkspaceFile[];
    signal?: AbortSignal;
    watch?: RunObserver;
  }
  const run = (grant: Grant, args: readonly string[], call: Call = {}): Promise<RunResult> => {
    const { stdin = '', files, signal = never, watch } = call;
    const input = { protocol: 'command' as const, args, stdin, ...(files === undefined ? {} : { files }) };
    return world.executor.execute(grant, input, signal, watch);
  };

  describe(`commands ${name}`, () => {
    test.each([
      ['text', ['0', 'a b', '', '"quoted"', 'ü😀', '--flag=1', '*', '$HOME'], 'what was piped in\n'],
      ['nothing', ['0'], ''],
      ['much of it', ['0', 'x'.repeat(100_000)], 'ü'.repeat(200_000)],
    ])('receive their arguments and stdin unchanged: %s', async (_, args, stdin) => {
      const { outcome, log } = await run(await world.command(), ['echo', ...args], { stdin });
      const stdout = `${args.join('\n')}\n${stdin}`;
      expect({ outcome, log }).toEqual({
        outcome: { status: 'succeeded', output: { exitCode: 0, stdout, stderr: 'done' } },
        log: 'done',
      });
    });

    test('fail with their output if they exit with another code than 0', async () => {
      expect((await run(await world.command(), ['echo', '33'])).outcome).toEqual({
        status: 'failed',
        failure: { exitCode: 33 },
        stdout: '33\n',
        stderr: 'done',
      });
    });

    describe('commands that are ended', () => {
      const soFar = { stdout: 'so far ü', stderr: 'and this' };

      test('leave their output when they are ended at their deadline', async () => {
        const { result, timeoutMs } = await atDeadline(
          async (timeoutMs) => run(await world.command({ timeoutMs }), ['stay']),
          ({ log }) => log !== '',
        );
        expect({ outcome: result.outcome, files: result.files, log: result.log }).toEqual({
          outcome: { status: 'timed-out', timeoutMs, ...soFar },
          files: undefined,
          log: 'and this',
        });
      });

      test('leave their output when they are ended by their caller, whose observer received the same', async () => {
        const events: RunEvent[] = [];
        const heard = new AbortController();
        const watch: RunObserver = (event) => {
          events.push(event);
          if (textOf(events, 'stdout') === soFar.stdout && textOf(events, 'stderr') === soFar.stderr) {
            heard.abort('heard');
          }
        };
        const { outcome } = await run(await world.command(), ['stay'], { signal: heard.signal, watch });
        expect(outcome).toEqual({ status: 'canceled', reason: 'heard', ...soFar });
      });

      test('leave the allowed part of too much output, without half a character', async () => {
        const { outcome } = await run(await world.command({ outputBytes: 999 }), ['flood']);
        expect(outcome).toEqual({
          status: 'output-too-large',
          outputBytes: 999,
          stdout: `${'üüüüü\n'.repeat(90)}üüüü`,
          stderr: '',
        });
      });

      test('leave the single bytes that they wrote until they are ended', async () => {
        const written = { stdout: 'x'.repeat(500), stderr: '' };
        const { result, timeoutMs } = await atDeadline(
          async (timeoutMs) => (await run(await world.command({ timeoutMs }), ['drip', '500'])).outcome,
          (outcome) => 'stdout' in outcome && outcome.stdout === written.stdout,
        );
        expect(result).toEqual({ status: 'timed-out', timeoutMs, ...written });
      });

      test('leave no output if they never started', async () => {
        const { outcome } = await run(await world.command(), ['stay'], { signal: AbortSignal.abort('late') });
        expect(outcome).toEqual({ status: 'canceled', reason: 'late' });
      });
    });

    describe('the workspace of commands', () => {
      test('have the given files in a workspace and return the changed ones', async () => {
        const files = [
          { path: 'gone.txt', content: bytesOf('not for long') },
          { path: 'in/given.txt', content: bytesOf('given ü') },
          { path: 'kept.txt', content: bytesOf('kept') },
          { path: 'untouched.bin', content: Uint8Array.of(0, 255) },
        ];
        const execution = await run(await world.command(), ['files'], { files });
        expect(execution.outcome.status).toBe('succeeded');
        expect(execution.files?.map(shown)).toEqual([
          ['gone.txt', 'deleted', 0, null],
          ['kept.txt', 'changed', 13, 'kept and more'],
          ['link', 'created', 0, null, 'kept.txt'],
          ['out/made.txt', 'created', 8, 'given ü'],
        ]);
      });

      test('have a workspace and a temporary folder for each call and cannot change the skill', async () => {
        const grant = await world.command();
        for (let call = 0; call < 3; call++) {
          const { outcome, files } = await run(grant, ['mark']);
          expect(outcome).toEqual({
            status: 'succeeded',
            output: { exitCode: 0, stdout: 'nothing nothing nothing closed', stderr: '' },
          });
          expect(files?.map(({ path }) => path)).toEqual(['mark', 'other-mark']);
        }
      });

      test('refuse a file inside another file in their workspace', async () => {
        const files = ['a', 'a/b'].map((path) => ({ path, content: bytesOf('x') }));
        const refusal = await run(await world.command(), ['mark'], { files }).catch(
          (error: unknown) => error,
        );
        expect(refusal).toBeInstanceOf(SkillError);
        expect((refusal as SkillError).code).toBe('INPUT_INVALID');
        expect((await run(await world.command(), ['mark'])).outcome.status).toBe('succeeded');
      });
    });
  });
}

function textOf(events: readonly RunEvent[], kind: 'stdout' | 'stderr'): string {
  return events.map((event) => (event.kind === kind ? event.text : '')).join('');
}

function shown({ path, change, bytes, content, link }: NonNullable<RunResult['files']>[number]): unknown[] {
  const text = content instanceof Uint8Array ? new TextDecoder().decode(content) : null;
  return [path, change, bytes, text, ...(link === undefined ? [] : [link])];
}
