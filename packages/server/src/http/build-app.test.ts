import { describe, expect, test } from 'vitest';
import { authorization, httpWorld, logFull } from './testing/http-world.ts';

describe('GET /readyz', () => {
  const ask = async (options: Parameters<typeof httpWorld>[0]) => {
    const { app, events } = httpWorld(options);
    const answer = await app.inject({ url: '/readyz', headers: { host: '127.0.0.1' } });
    return { status: answer.statusCode, body: answer.json(), events };
  };

  test('needs no key and returns 200 while calls are accepted', async () => {
    expect(await ask({})).toEqual({
      status: 200,
      body: { status: 'ready', configuration: 'current', checks: { disk: 'ok', audit: 'ok' } },
      events: [],
    });
  });

  test('returns the code that calls are refused with, and nothing about the machine', async () => {
    expect(await ask({ unready: logFull })).toEqual({
      status: 503,
      body: {
        status: 'unavailable',
        code: 'AUDIT_UNAVAILABLE',
        checks: { disk: 'ok', audit: 'AUDIT_UNAVAILABLE' },
      },
      events: [],
    });
  });
});

describe('is accepted', () => {
  test.each([
    'localhost',
    'LOCALHOST:1',
    '127.0.0.1:7433',
    '127.8.9.10',
    '[::1]:7433',
    'ambit.example',
    'AMBIT.example:443',
    '[2001:db8::1]:7433',
  ])('accepts a request to %s', async (host) => {
    const { app } = httpWorld({ hosts: ['ambit.example', '2001:db8::1'] });
    expect((await app.inject({ url: '/skills', headers: { host, authorization } })).statusCode).toBe(200);
  });

  test.each([
    ['localhost:7433', 'http://localhost:7433'],
    ['Localhost:7433', 'http://localhost:7433'],
    ['ambit.example', 'https://ambit.example'],
  ])('accepts a page of the server itself, at %s from %s', async (host, origin) => {
    const { app } = httpWorld({ hosts: ['ambit.example'] });
    expect((await app.inject({ url: '/skills', headers: { host, origin, authorization } })).statusCode).toBe(
      200,
    );
  });
});
