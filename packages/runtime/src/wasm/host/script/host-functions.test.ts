import { expect, test } from 'vitest';
import { endOf, runScript } from '../../testing/script-world.ts';
import { CapabilityViolated } from '../capability-violated.mjs';

test('fetch makes one host request and returns its response', async () => {
  const source = `
    import { fetch } from 'ambit';
    export default async () => {
      const [a, b] = [await fetch('https://a.test/'), await fetch('b', { method: 'PUT', headers: { x: 'y' }, body: '' })];
      let error;
      try { b.text(); } catch ({ message }) { error = message; }
      return [a.status, a.ok, a.headers, a.text(), a.json(), b.status, b.ok, error];
    };`;
  const asked: unknown[] = [];
  const output = await endOf(source, {
    invoke: (name, args) => {
      asked.push([name, args]);
      const headers = { 'content-type': 'application/json' };
      return asked.length === 1
        ? { status: 200, headers, text: '{"a":1}' }
        : { status: 302, headers, base64: '/w==' };
    },
  });
  expect(asked).toEqual([
    ['http_request', [{ method: 'GET', url: 'https://a.test/', headers: {} }]],
    ['http_request', [{ method: 'PUT', url: 'b', headers: { x: 'y' }, body: '' }]],
  ]);
  expect(output).toEqual([
    ...[200, true, { 'content-type': 'application/json' }, '{"a":1}', { a: 1 }],
    ...[302, false, 'the response from b is not UTF-8'],
  ]);
});

test('a capability violation ends the call, however the script wraps it', async () => {
  const invoke = () => {
    throw new CapabilityViolated('filesystem', 'read /etc/passwd');
  };
  for (const body of [
    'readFile("a")',
    'try { readFile("a"); } catch {} finally { return 1; }',
    'for (;;) try { readFile("a"); } finally { continue; }',
    'new Promise(() => readFile("a")).catch(() => 1); return 1',
    'Promise.resolve().then(() => readFile("a")).catch(() => 1); await null; await null; return 1',
    'JSON.stringify({ get a() { return readFile("a"); } }); return 1',
    '[2, 1].sort(() => readFile("a")); return 1',
  ]) {
    const log: string[] = [];
    const source = `import { readFile } from 'ambit'; export default async () => { ${body}; }`;
    const { verdict, output } = await runScript(source, { invoke });
    expect({ body, verdict, output, log }).toEqual({
      body,
      verdict: { status: 'capability-violated', capability: 'filesystem', detail: 'read /etc/passwd' },
      output: undefined,
      log: [],
    });
  }
});

test('a script that changes how its values become JSON cannot reach another host function', async () => {
  const asked: unknown[] = [];
  const source = `
    import { env } from 'ambit';
    export default () => {
      const ends = [];
      for (const forged of ['x', ['exec', ['id']], ['env', 'TZ'], ['__proto__', []], null]) {
        Array.prototype.toJSON = () => { delete Array.prototype.toJSON; return forged; };
        try { env('TZ'); ends.push('done'); } catch (error) { ends.push(error.message); }
      }
      return ends;
    };`;
  const invoke = (name: string, args: unknown[]) => asked.push([name, args]);
  expect(await endOf(source, { invoke })).toEqual(Array(5).fill('unknown host function'));
  expect(asked).toEqual([]);
});
