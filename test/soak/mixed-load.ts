import { setTimeout as delay } from 'node:timers/promises';
import type { Daemon } from '../support/daemon-process.ts';

/** Callers that make one request after another, of every kind. */
export interface MixedLoad {
  /** Resolves after this time, once every request has its response. */
  runFor(ms: number): Promise<void>;
  /** The number of responses of each kind, on one line. */
  tally(): string;
  /** Unexpected responses. */
  wrong(): readonly string[];
}

/** A kind of request, its share in percent, and the expected response. */
interface Kind {
  name: string;
  share: number;
  ask(): Promise<string>;
  right: string;
}

const overloaded = '503 OVERLOADED';

/** Accepts `OVERLOADED` as the response to any request. */
export function mixedLoad(daemon: Daemon, callers: number): MixedLoad {
  const kinds = kindsOf(daemon);
  const counts = new Map<string, number>();
  const wrong: string[] = [];
  let asked = 0;
  const askOnce = async (): Promise<void> => {
    const kind = kindAt(kinds, asked++);
    const got = await kind.ask().catch((error: Error) => `no answer: ${error.message}`);
    const what = `${kind.name} ${got === kind.right ? 'right' : got}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
    if (got !== kind.right && got !== overloaded) wrong.push(`${kind.name}: ${got}, not ${kind.right}`);
    // Waits before the next request, as an overloaded client should.
    if (got === overloaded) await delay(50);
  };
  return {
    async runFor(ms) {
      const until = performance.now() + ms;
      const caller = async (): Promise<void> => {
        while (performance.now() < until) await askOnce();
      };
      await Promise.all(Array.from({ length: callers }, caller));
    },
    tally: () => [...counts].map(([what, count]) => `${count} ${what}`).join(', '),
    wrong: () => wrong,
  };
}

function kindsOf(daemon: Daemon): Kind[] {
  const executed = async (skill: string, body: unknown): Promise<string> => {
    const { status, body: answer } = await daemon.execute(skill, body);
    return `${status} ${answer.outcome?.status ?? answer.code}`;
  };
  const got = async (method: string, path: string, body?: unknown): Promise<string> => {
    const { status, body: answer } = await daemon.request(method, path, body === undefined ? {} : { body });
    return `${status} ${answer.code ?? ''}`.trim();
  };
  const redact = { input: { text: 'mail ada@example.org' } };
  return [
    { name: 'wasm', share: 60, ask: () => executed('text-redact', redact), right: '200 succeeded' },
    { name: 'python', share: 6, ask: () => executed('py-echo', { input: { n: 1 } }), right: '200 succeeded' },
    { name: 'fails', share: 4, ask: () => executed('sh-fails', { input: {} }), right: '200 failed' },
    {
      name: 'invalid',
      share: 6,
      ask: () => executed('text-redact', { input: 1 }),
      right: '422 INPUT_INVALID',
    },
    { name: 'unknown', share: 4, ask: () => executed('nobody', redact), right: '404 SKILL_NOT_FOUND' },
    { name: 'prompt', share: 10, ask: () => got('POST', '/prompt', { phase: 'review' }), right: '200' },
    { name: 'skills', share: 5, ask: () => got('GET', '/skills'), right: '200' },
    { name: 'audit', share: 5, ask: () => got('GET', '/audit?limit=20'), right: '200' },
  ];
}

/** Spreads the kinds over a hundred requests by their shares. */
function kindAt(kinds: readonly Kind[], index: number): Kind {
  let place = (index * 37) % 100;
  for (const kind of kinds) {
    if (place < kind.share) return kind;
    place -= kind.share;
  }
  throw new Error('the shares do not add up to a hundred');
}
