// Threat model: T323, T324, T325

import { setTimeout as delay } from 'node:timers/promises';
import { SkillError } from '@ambit/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { otlpReceiver } from '../testing/otlp-receiver.ts';
import { otlpTraces, type Traces } from './otlp-traces.ts';

const always = { ratio: 1, followsCaller: true };
const request = { executionId: 'e1', method: 'POST', route: '/skills/:id/execute', traceparent: undefined };
const caller = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' };

async function tracedTo(url: string, { sampler = always, failures = [] as unknown[] } = {}): Promise<Traces> {
  const traces = otlpTraces({
    url: `${url}/v1/traces`,
    sampler,
    version: '1.2.3',
    gatherMs: 10,
    closeMs: 50,
    lost: { onFailure: (error) => void failures.push(error) },
  });
  onTestFinished(() => traces.close());
  return traces;
}

describe('a caller with a traceparent', () => {
  const began = ({ requests }: Traces, traceparent: string) => requests.began({ ...request, traceparent });

  test.each([
    'nonsense',
    `00-${'0'.repeat(32)}-${caller.span}-01`,
    `00-${caller.trace}-${caller.span}-01-and-more`,
    'x'.repeat(10_000),
  ])('that is invalid starts a new trace: %.60s', async (traceparent) => {
    const receiver = await otlpReceiver();
    const span = began(await tracedTo(receiver.url), traceparent);
    span.ended({ status: 200, code: undefined });
    const { parents } = await receiver.trace(span.traceId, 1);
    expect([span.traceId === caller.trace, parents]).toEqual([false, ['']]);
  });

  test("that is not sampled is not traced, unless the operator ignores callers' decisions", async () => {
    const receiver = await otlpReceiver();
    const asked = began(await tracedTo(receiver.url), `00-${caller.trace}-${caller.span}-00`);
    const unasked = await tracedTo(receiver.url, { sampler: { ratio: 1, followsCaller: false } });
    asked.ended({ status: 200, code: undefined });
    began(unasked, `00-${caller.trace}-${'a'.repeat(16)}-00`).ended({ status: 200, code: undefined });
    const { parents } = await receiver.trace(caller.trace, 1);
    expect(parents).toEqual(['a'.repeat(16)]);
  });
});

test('a span records an error as its code, never its message, and an outcome that is no success as an error', async () => {
  const receiver = await otlpReceiver();
  const { requests, calls } = await tracedTo(receiver.url);
  const span = requests.began({ ...request, method: 'BREW', route: undefined });
  const refusal = new SkillError('SECRET_UNAVAILABLE', 'hunter2 is not there');
  span.within(() => {
    const call = calls.start({ executionId: 'e1' });
    const run = call.start('run', { runtime: 'wasm' });
    run.note({ outcome: 'timed-out', sandbox: 'none' });
    run.end();
    call.end(refusal);
  });
  span.ended({ status: 503, code: 'SECRET_UNAVAILABLE' });
  const { roots } = await receiver.trace(span.traceId, 3);
  expect(roots).toEqual([
    {
      name: 'HTTP',
      kind: 2,
      isError: true,
      attributes: {
        'http.request.method': '_OTHER',
        'http.response.status_code': 503,
        'ambit.execution.id': 'e1',
        'error.type': 'SECRET_UNAVAILABLE',
      },
      below: [
        {
          name: 'execute_tool',
          kind: 1,
          isError: true,
          attributes: {
            'gen_ai.operation.name': 'execute_tool',
            'ambit.execution.id': 'e1',
            'error.type': 'SECRET_UNAVAILABLE',
          },
          below: [
            {
              name: 'run',
              kind: 1,
              isError: true,
              below: [],
              attributes: {
                'ambit.skill.runtime': 'wasm',
                'ambit.sandbox': 'none',
                'ambit.outcome': 'timed-out',
                'error.type': 'timed-out',
              },
            },
          ],
        },
      ],
    },
  ]);
  expect(receiver.bodies.join('')).not.toContain('hunter2');
});

describe('a collector', () => {
  const traceOne = ({ requests }: Traces): void =>
    requests.began(request).ended({ status: 200, code: undefined });

  test('that refuses spans is reported once', async () => {
    const receiver = await otlpReceiver(400);
    const failures: unknown[] = [];
    const traces = await tracedTo(receiver.url, { failures });
    traceOne(traces);
    while (failures.length === 0) await delay(5);
    traceOne(traces);
    while (receiver.bodies.length < 2) await delay(5);
    await traces.close();
    expect(failures).toEqual([expect.any(Error)]);
  });

  test.each(['that never answers', 'that does not exist'])('%s does not delay shutdown', async (which) => {
    const receiver = await otlpReceiver(undefined);
    const traces = await tracedTo(which === 'that never answers' ? receiver.url : 'http://127.0.0.1:1');
    traceOne(traces);
    await traces.close();
    // On a busy machine, the deadline of the shutdown can be over before the request has arrived.
    expect(receiver.bodies.length).toBeLessThanOrEqual(which === 'that never answers' ? 1 : 0);
  });
});
