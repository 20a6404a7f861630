import { describe, expect, test } from 'vitest';
import { authorization, httpWorld } from '../../testing/http-world.ts';

const headers = { host: 'localhost:7433', authorization };

describe('GET /audit', () => {
  test("returns the log's response", async () => {
    const page = { records: [], next: 7 };
    const answer = await httpWorld({ page }).app.inject({ url: '/audit', headers });
    expect({ status: answer.statusCode, body: answer.json() }).toEqual({ status: 200, body: page });
  });

  test.each([
    ['', { limit: 50 }],
    ['?limit=200&before=12', { limit: 200, before: 12 }],
    ['?skill=csv-profile&outcome=timed-out', { skill: 'csv-profile', outcome: 'timed-out', limit: 50 }],
    ['?outcome=denied&executionId=e1', { outcome: 'denied', executionId: 'e1', limit: 50 }],
    ['?outcome=running', { outcome: 'running', limit: 50 }],
  ])('queries the log with "%s"', async (query, asked) => {
    const { app, queries } = httpWorld();
    await app.inject({ url: `/audit${query}`, headers });
    expect(queries).toEqual([asked]);
  });
});
