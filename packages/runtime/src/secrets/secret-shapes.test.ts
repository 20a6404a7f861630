// Threat model: T253, T259

import { describe, expect, test } from 'vitest';
import { redactShapes, redactStored } from './secret-shapes.ts';

// Assembled here, so secret scanners do not report this file.
const of = (...parts: string[]): string => parts.join('');
const random = 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5jK7mN9pQ1sT3';

describe('text with the shape of a secret', () => {
  test.each([
    [`a ${of('gh', 'p_', random.slice(0, 36))} b`, 'a [redacted] b'],
    [`(${of('github', '_pat_', random)})`, '([redacted])'],
    [of('glp', 'at-', random.slice(0, 20)), '[redacted]'],
    [`key=${of('AK', 'IAABCDEFGHIJKLMNOP')};`, 'key=[redacted];'],
    [of('xo', 'xb-1234567890-abc'), '[redacted]'],
    [`"${of('AI', 'za', random.slice(0, 35))}"`, '"[redacted]"'],
    [of('sk', '_live_', random.slice(0, 24)), '[redacted]'],
    [of('sk', '-ant-api03-', random), '[redacted]'],
    [of('sk', '-proj-', random), '[redacted]'],
    [of('ambit', '_', random), '[redacted]'],
    [String.raw`line\n${of('gh', 'p_', random.slice(0, 36))}`, String.raw`line\n[redacted]`],
    [`x ${of('ey', 'JhbGciOiJub25lIn0.', 'eyJzdWIiOiIxIn0.', 'c2ln')} y`, 'x [redacted] y'],
    ['a\n-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nb', 'a\n[redacted]\nb'],
    [String.raw`"-----BEGIN PRIVATE KEY-----\nMII`, '"[redacted]'],
    ['postgres://app:hunter2@db/x', 'postgres://app:[redacted]@db/x'],
    ['https://u:p@ss@host/', 'https://u:[redacted]@host/'],
    ['Authorization: Basic YWRhOmxvdmVsYWNl', 'Authorization: Basic [redacted]'],
    ['{"authorization":"Bearer abcdefgh"}', '{"authorization":"Bearer [redacted]"}'],
    ['bearer abc123def456', 'bearer [redacted]'],
    [`AWS_SECRET_ACCESS_KEY: ${random.slice(0, 40)}`, 'AWS_SECRET_ACCESS_KEY: [redacted]'],
    ['{"password": "hun\\"ter2", "n": 1}', '{"password": "[redacted]", "n": 1}'],
    [
      '{"stdout":"{\\"apiKey\\":\\"abc\\",\\"n\\":1}"}',
      '{"stdout":"{\\"apiKey\\":\\"[redacted]\\",\\"n\\":1}"}',
    ],
    ["{'client_secret': 'abc'}", "{'client_secret': '[redacted]'}"],
    ['DB_PASSWORD=hunter2 HOME=/', 'DB_PASSWORD=[redacted] HOME=/'],
    ['GET /x?token=abc123&n=1', 'GET /x?token=[redacted]&n=1'],
    ['{"password":"cut off', '{"password":"[redacted]'],
    ['password: hunter2\nuser: ada', 'password: [redacted]\nuser: ada'],
    ['X-Api-Key: abc-123', 'X-Api-Key: [redacted]'],
    ['{"password":12345678,"n":1}', '{"password":[redacted],"n":1}'],
  ])('redacts the secret in %s and leaves its surroundings', (text, expected) => {
    expect(redactShapes(text)).toBe(expected);
    expect(redactShapes(expected)).toBe(expected);
  });

  test.each([
    'sk-fading-circle-container-2',
    '{"max_tokens": 5, "tokens": "many"}',
    'the bearer of bad news',
    'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    '018f3a5e-7b1c-7c3d-9e2f-0123456789ab',
    'https://example.org:443/a@b',
    'a passwordless day',
    '{"token":null,"secret":{"n":1}}',
  ])('leaves %s, which is not a secret', (text) => {
    expect(redactShapes(text)).toBe(text);
  });
});

test('redacts hostile text of a million characters in one pass', () => {
  const pieces = [
    '-----BEGIN PRIVATE KEY-----', '-----END ', '-----BEGIN ', 'eyJ', 'eyJaaaaaaa.', '://a:', '://', 'a:', 'sk-', 'sk-a',
    'xoxb-', 'ghp_', 'password', '"password":"', "'password':'", '\\"password\\":\\"', '\\', '"', 'bearer ', 'authorization:',
    'aws_secret_access_key=', 'token=', 'A', ' ', '@', '.',
  ]; // biome-ignore format: a list of pieces
  for (const first of pieces)
    for (const second of pieces) {
      const text = `${first}${second}`;
      redactShapes(text.repeat(Math.ceil(20_000 / text.length)));
    }
  for (const piece of pieces) redactShapes(piece.repeat(Math.ceil(1_000_000 / piece.length)));
});

test('redacts an assigned value in quotes completely, and leaves text near it', () => {
  expect(redactShapes(`PASSWORD='my secret words' next`)).toBe(`PASSWORD='[redacted]' next`);
  expect(redactShapes(String.raw`{"text":"password=\"a b c\" next"}`)).toBe(
    String.raw`{"text":"password=\"[redacted]\" next"}`,
  );
  expect(redactShapes('{"text":"password=","other":"kept"}')).toBe('{"text":"password=","other":"kept"}');
});

describe('text that is stored', () => {
  const token = of('gh', 'p_', random.slice(0, 36));
  const inBase64 = (bytes: Buffer) => JSON.stringify({ stdout: bytes.toString('base64'), n: 1 });

  test.each([
    ['bytes with a token', Buffer.from(`caf\u00e9 ${token}\n`, 'latin1')],
    ['bytes that are cut in a password', Buffer.from('\u00ff password=hunter2', 'latin1')],
    ['UTF-16', Buffer.from(`\ufeff${token}`, 'utf16le')],
  ])('has no secret in the base64 of %s', (_, bytes) => {
    const text = inBase64(bytes);
    expect(redactShapes(text)).toBe(text);
    expect(redactStored(text)).toBe('{"stdout":"[redacted]","n":1}');
  });

  test('has other base64 unchanged, and its text is redacted as any other', () => {
    const image = inBase64(Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ', 'base64'));
    expect(redactStored(`${image} ${inBase64(Buffer.from(token))} ${token}`)).toBe(
      `${image} {"stdout":"[redacted]","n":1} [redacted]`,
    );
  });
});
