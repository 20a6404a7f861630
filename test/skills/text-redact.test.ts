import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { processorMs } from '../../packages/core/src/testing/processor-ms.ts';
import { isWhole } from '../support/whole.ts';
import { raw, wasmSkill } from './wasm-skill.ts';

const redact = await wasmSkill('text-redact');

// Assembled from parts, so scanners do not report this file as a leak.
const random = (length: number) => 'a1B2c3D4e5F6g7H8'.repeat(300).slice(0, length);
const pem = (label: string, body: string) => `-----BEGIN ${label}-----${body}-----END ${label}-----`;
const SECRETS: [type: string, secret: string][] = [
  ['github-token', `ghp_${random(36)}`],
  ['github-token', `gho_${random(36)}`],
  ['github-token', `ghs_${random(36)}`],
  ['github-token', `github_pat_${random(22)}_${random(59)}`],
  ['gitlab-token', `glpat-${random(20)}`],
  ['aws-access-key-id', 'AKIAIOSFODNN7EXAMPLE'],
  ['aws-access-key-id', `ASIA${'Q7'.repeat(8)}`],
  ['slack-token', `xoxb-123456789012-123456789012-${random(24)}`],
  ['slack-token', `xoxp-123456789012-${random(24)}`],
  ['slack-token', `xapp-1-${random(24)}`],
  ['google-api-key', `AIza${random(35)}`],
  ['google-oauth', `ya29.${random(40)}`],
  ['google-oauth', `GOCSPX-${random(28)}`],
  ['sk-api-key', `sk-${random(48)}`],
  ['sk-api-key', `sk-proj-${random(30)}_${random(20)}-${random(20)}`],
  ['sk-api-key', `sk-ant-api03-${random(93)}AA`],
  ['sk-api-key', 'sk-lf-0af7651916cd43dd8448-eb211c80319c'],
  ['stripe-key', `sk_live_${random(24)}`],
  ['stripe-key', `rk_live_${random(24)}`],
  ['stripe-key', `whsec_${random(32)}`],
  ['npm-token', `npm_${random(36)}`],
  ['pypi-token', `pypi-${random(60)}`],
  ['hugging-face-token', `hf_${random(34)}`],
  ['sendgrid-key', `SG.${random(22)}.${random(43)}`],
  ['jwt', `eyJ${random(20)}.eyJ${random(40)}.${random(43)}`],
  ['jwt', `eyJ${random(20)}.${random(40)}.${random(16)}.${random(40)}.${random(22)}`],
  ['private-key', pem('RSA PRIVATE KEY', `\n${random(64)}\n${random(20)}==\n`)],
  ['private-key', pem('PRIVATE KEY', `\\n${random(64)}\\n`)],
  ['private-key', pem('OPENSSH PRIVATE KEY', `\n${random(64)}\n`)],
  ['private-key', pem('PGP PRIVATE KEY BLOCK', `\n\n${random(64)}\n=ab1C\n`)],
  ['email', 'jane.doe+lists@mail.example.co.uk'],
  ['email', "o'neil_2@example.com"],
  ['email', 'jörg@müller.de'],
  ['email', 'иван@пример.рф'],
  ['email', 'nguyễn@example.vn'],
  ['email', 'info@xn--mller-kva.xn--p1ai'],
  ['card-number', '4111111111111111'],
  ['card-number', '4111 1111 1111 1111'],
  ['card-number', '5500-0000-0000-0004'],
  ['card-number', '2223003122003222'],
  ['card-number', '3782 822463 10005'],
  ['card-number', '30569309025904'],
  ['card-number', '6011111111111117'],
  ['card-number', '3530111333300000'],
  ['card-number', '4222222222222'],
  ['card-number', '6304000000000000000'],
];

describe('a secret', () => {
  test.each(SECRETS)('%s: %s is masked and counted', async (type, secret) => {
    const kind = kindOf(type);
    for (const [before, after] of [
      ['', ''],
      ['before ', ' after'],
      ['{"value":"', '"}'],
      ['(', ').'],
      ['\u001b[1;32m', '\u001b[0m'],
      ['💬', '🙂'],
      ['x="\\n', '\\n"'],
      ['?q=%3D', '&b=1'],
      ['\\u003d', '\n'],
    ]) {
      expect(await redact({ text: `${before}${secret}${after}` })).toEqual({
        output: { text: `${before}[redacted-${kind}]${after}`, found: [{ kind, type, count: 1 }], total: 1 },
      });
    }
  });

  const awsSecret = 'aws-secret-access-key';
  test.each([
    ['what follows Bearer', 'Authorization: Bearer ', random(24), '\r\n', 'bearer-token'],
    [
      'what follows bearer, with its padding',
      'authorization:bearer   ',
      `${random(22)}==`,
      '"',
      'bearer-token',
    ],
    ['an AWS secret beside its name', 'AWS_SECRET_ACCESS_KEY=', `${random(39)}/`, '\n', awsSecret],
    ['an AWS secret in JSON', '"SecretAccessKey": "', random(40), '"', awsSecret],
    ['an AWS secret in a file of settings', 'aws_secret_access_key = ', random(40), '', awsSecret],
    ['the password in a URL', 'postgres://app:', 's3cr3t', '@db:5432/app', 'url-password'],
    ['a password without a user', 'redis://:', 'p', '@cache', 'url-password'],
    ['a password with an @ in it', 'https://jane:', 'p@ss', '@example.com/', 'url-password'],
    ['an address in a URL', '/users?email=', 'jane%40example.com', '&page=2', 'email'],
    ['an address amid Chinese', '请联系', 'foo@example.com', '谢谢', 'email'],
    ['an address in angles', 'Jane <', 'jane@example.com', '>', 'email'],
    ['an address in quotes', "mail('", 'jane@example.com', "')", 'email'],
    ['an address at the end of a sentence', 'Ask ', 'jane@example.com', '. Now.', 'email'],
    ['an address before a date', '', 'jane@example.com', '-2024', 'email'],
    [
      'a key that was cut off',
      'k: ',
      `-----BEGIN PRIVATE KEY-----\n${random(64)}\n${random(9)}`,
      '',
      'private-key',
    ],
    [
      'a key that was cut off, with more text after it',
      '',
      `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n${random(64)}`,
      '\nnext line',
      'private-key',
    ],
    ['a card among other numbers', 'order 12 ', '4111 1111 1111 1111', ' 123', 'card-number'],
    ['a card in a table', '1,', '4111111111111111', ',123', 'card-number'],
    ['a card that a table made a fraction of', '1;', '4111111111111111', '.0', 'card-number'],
    ['a card after a space in a form', 'card=+', '4111111111111111', '&a=1', 'card-number'],
    ['a card in an identifier', 'card-', '4111-1111-1111-1111', '-x', 'card-number'],
  ])('%s is masked, and the text around it stays', async (_what, before, secret, after, type) => {
    const kind = kindOf(type);
    expect(await redact({ text: before + secret + after })).toEqual({
      output: { text: `${before}[redacted-${kind}]${after}`, found: [{ kind, type, count: 1 }], total: 1 },
    });
  });
});

describe('text that only resembles a secret stays:', () => {
  test.each([
    [
      'hashes',
      '3f786850e387550fdab836ed7e6dc881de23001b e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    ],
    ['UUIDs, of digits too', '550e8400-e29b-41d4-a716-446655440000 41111111-1111-1111-1111-111111111111'],
    ['times in milliseconds and microseconds', '1700000000006 1700000000000002'],
    ['a number that fails the check', '4111111111111112 4111 1111 1111 1112'],
    ['a number that passes the check and is no card', '1234567812345670 7992739871300009 9999999999999995'],
    ['a number too long or too short', '41111111111111111111 411111111116'],
    ['a card inside a longer number or word', 'x4111111111111111 4111111111111111x 14111111111111111'],
    ['fractions and telephone numbers', '0.4111111111111111 +378282246310005'],
    ['digits one by one', '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1'],
    ['names with an @ and no domain', '@types/node a@b react@18.2.0 user@localhost HEAD@{1} a@b.c x@1.2.3.4'],
    ['git remotes, pictures and units', 'git@github.com:a/b.git logo@2x.png getty@tty1.service'],
    ['tokens that are too short or too long', `ghp_${random(35)} AKIAIOSFODNN7EXAMPL AIza${random(36)}`],
    ['a prefix inside a word', `xghp_${random(36)} my_AKIAIOSFODNN7EXAMPLE`],
    ['names in code', 'sk-fading-circle-container-2 npm_config_registry sk_live_key hf_hub_download'],
    ['sentences', 'The bearer of good news. Bearer authentication-is-required. Basic knowledge.'],
    ['base64 that is no JWT', 'eyJhbGciOiJub25lIn0 eyJ.eyJ.eyJ'],
    ['public keys', pem('PUBLIC KEY', `\n${random(64)}\n`)],
    ['URLs without a password', 'https://example.com:8080/a:b http://[::1]:80/ mailto:x'],
    ['placeholders', `postgres://app:\${PASSWORD}@db postgres://app:****@db postgres://app:{{pw}}@db`],
    [
      'text that was masked before',
      'https://a:[redacted-password]@b.c [redacted-email] Bearer [redacted-token]',
    ],
    ['half a surrogate pair, NUL and quotes', '\ud800 \udc00\ud800 \u0000 "\\" 🙂'],
    ['nothing at all', ''],
  ])('%s', async (_what, text) => {
    expect(await redact({ text })).toEqual({ output: { text, found: [], total: 0 } });
  });
});

describe('the caller can choose', () => {
  const text = `jane@example.com 4111111111111111 AKIAIOSFODNN7EXAMPLE a://b:c@d ${pem('PRIVATE KEY', '\n')}`;

  test.each([
    ['email', text.replace('jane@example.com', '#'), 'email'],
    ['card', text.replace('4111111111111111', '#'), 'card-number'],
    ['token', text.replace('AKIAIOSFODNN7EXAMPLE', '#'), 'aws-access-key-id'],
    ['password', text.replace('b:c@', 'b:#@'), 'url-password'],
    ['private-key', text.replace(pem('PRIVATE KEY', '\n'), '#'), 'private-key'],
  ])('only %s', async (kind, masked, type) => {
    expect(await redact({ text, kinds: [kind], mask: '#' })).toEqual({
      output: { text: masked, found: [{ kind, type, count: 1 }], total: 1 },
    });
  });

  test('several kinds, and a mask that names the kind', async () => {
    const both = `${text} ${text}`;
    expect(await redact({ text: both, kinds: ['card', 'email'], mask: '<{kind}|{kind}>' })).toEqual({
      output: {
        text: both
          .replaceAll('jane@example.com', '<email|email>')
          .replaceAll('4111111111111111', '<card|card>'),
        found: [
          { kind: 'email', type: 'email', count: 2 },
          { kind: 'card', type: 'card-number', count: 2 },
        ],
        total: 4,
      },
    });
  });
});

describe('the first of overlapping secrets is masked completely:', () => {
  test.each([
    [
      'a token as the password of a URL',
      `https://x:ghp_${random(36)}@github.com/`,
      'https://x:[redacted-password]@github.com/',
    ],
    [
      'a token as the user of a URL',
      `https://ghp_${random(36)}@github.com/`,
      'https://[redacted-token]@github.com/',
    ],
    [
      'an address as the user of a URL',
      'a://jane@example.com:secret@host',
      'a://[redacted-email]:[redacted-password]@host',
    ],
    [
      'a JWT after Bearer',
      `Bearer eyJ${random(20)}.eyJ${random(20)}.${random(20)}`,
      'Bearer [redacted-token]',
    ],
    [
      'addresses that run into each other',
      'a@b.com@c.com,d@e.org',
      '[redacted-email]@c.com,[redacted-email]',
    ],
    [
      'two keys without a break',
      pem('PRIVATE KEY', 'a').repeat(2),
      '[redacted-private-key][redacted-private-key]',
    ],
    ['a token in a key', pem('PRIVATE KEY', `\nghp_${random(36)}\n`), '[redacted-private-key]'],
  ])('%s', async (_what, text, masked) => {
    expect(await redact({ text })).toMatchObject({ output: { text: masked } });
  });
});

describe('random texts', () => {
  const secret = fc.constantFrom(...SECRETS.map(([, value]) => value));
  const scrap = fc.constantFrom(
    ...[
      '@',
      '%40',
      '://',
      ':',
      '.',
      '-',
      ' ',
      '\n',
      '\\n',
      '\\',
      '"',
      'a',
      'm',
      '4111',
      '1',
      'é',
      '🙂',
      '\ud800',
    ],
    ...['eyJ', 'sk-', 'Bearer ', 'b.com', '\u001b[31m', '%3D'],
    ...['aws_secret_access_key=', 'AKIA', 'ghp_', 'x'.repeat(40)],
  );
  const gap = fc.constantFrom(' ', '\n', '"', '<', '\t');
  const armour = fc.constantFrom(
    '-----BEGIN PRIVATE KEY-----',
    '-----END PRIVATE KEY-----',
    '-----BEGIN X-----',
  );
  const piece = fc.oneof(
    fc.array(scrap, { maxLength: 12 }).map((all) => all.join('')),
    secret,
    armour,
  );
  const soup = fc.array(fc.tuple(piece, gap), { maxLength: 12 }).map((all) => all.flat().join(''));

  test('with separated secrets do not change when masked again', async () => {
    await fc.assert(
      fc.asyncProperty(soup, async (text) => {
        const { text: once } = (await outputOf(text)) as { text: string };
        expect(await outputOf(once)).toEqual({ text: once, found: [], total: 0 });
      }),
      { numRuns: isWhole ? 3_000 : 300 },
    );
  });

  test('never show a secret surrounded by white space', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.lorem(), secret)), async (parts) => {
        const text = parts.map(([words, value]) => `${words} ${value}\n`).join('');
        const output = JSON.stringify(await outputOf(text));
        expect(parts.filter(([, value]) => output.includes(JSON.stringify(value).slice(1, -1)))).toEqual([]);
        expect(output).toContain(`"total":${parts.length}`);
      }),
      { numRuns: isWhole ? 300 : 30 },
    );
  });

  test('without secrets stay unchanged', async () => {
    // Every shape needs one of these signs or a run of digits.
    const harmless = fc
      .string({ unit: 'binary', maxLength: 200 })
      .map((text) => text.replaceAll(/[@%:_.\-0-9]/g, ' '));
    await fc.assert(
      fc.asyncProperty(harmless, async (text) => {
        expect(await outputOf(text)).toEqual({ text, found: [], total: 0 });
      }),
      { numRuns: isWhole ? 1_000 : 100 },
    );
  });

  test('as invalid input are refused with a sentence, never with a trap', async () => {
    const valid =
      '{"text":"a@b.co \\ud83d\\ude00\\n","kinds":["email"],"mask":"\\u0000","n":[-1.5e+3,true,false,null,{}]}';
    const broken = fc
      .tuple(fc.nat(valid.length), fc.nat(6), fc.string({ maxLength: 4 }))
      .map(([at, gone, fresh]) => raw(valid.slice(0, at) + fresh + valid.slice(at + gone)));
    await fc.assert(
      fc.asyncProperty(fc.oneof(broken, fc.uint8Array(), fc.json().map(raw)), async (input) => {
        const answer = await redact(input);
        if ('error' in answer) expect(answer.error).toMatch(/^[^\n]+\.$/);
        else expect(() => JSON.parse(new TextDecoder().decode(input))).not.toThrow();
      }),
      { numRuns: isWhole ? 2_000 : 200 },
    );
  });

  test('as JSON are read the way JSON.parse reads them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.json(), async (text, extra) => {
        const escaped = [...text.replaceAll('@', '')].map(escapedInTurns).join('');
        const input = ` {"x" : ${extra},\t"text":\r\n"${escaped}"} `;
        fc.pre(depthOf(extra) < 60);
        expect(await redact(raw(input))).toMatchObject({ output: { text: JSON.parse(input).text } });
      }),
      { numRuns: isWhole ? 500 : 50 },
    );
  });
});

describe('a megabyte of repeated beginnings takes no longer than a megabyte of prose', () => {
  // Measured at 10 to 65 ms. Quadratic work would take minutes.
  test.each([
    ...[
      'a@',
      'a@b.c@',
      'a%40',
      'a.',
      '1',
      '4',
      '4111 ',
      '411-',
      '-',
      '-----BEGIN PRIVATE KEY-----',
      '-----END -----BEGIN ',
    ],
    ...[
      'eyJ',
      'eyJ-',
      'eyJ.',
      'eyJaaaaaaaaa.',
      'sk-',
      'xoxb-',
      'a://b:',
      'a://b:@',
      '\\n',
      '\\nsk-',
      'bearer ',
      '1m',
      'é',
    ],
    ...['aws_secret_access_key=', '00000000-0000-4000-8000-00000000000 ', `a@${'b.'.repeat(50)}`],
  ])('%j', async (beginning) => {
    const text = beginning.repeat(Math.ceil(1_000_000 / beginning.length));
    expect(await processorMs(() => redact({ text }))).toBeLessThan(1_000);
  });
});

describe('text-redact refuses with a sentence', () => {
  const kinds = '"kinds" must list one or more of email, token, private-key, password and card.';
  test.each([
    ['', 'The input is not an object.'],
    ['null', 'The input is not an object.'],
    ['{}', 'The input has no "text".'],
    ['{"text":5}', 'The value of "text" is not a string.'],
    ['{"text":"a","kinds":"email"}', 'The value of "kinds" is not a list.'],
    ['{"text":"a","kinds":[1]}', 'The value of "kinds" is not a string.'],
    ['{"text":"a","kinds":[]}', kinds],
    ['{"text":"a","kinds":["email","phone"]}', kinds],
    ['{"text":"a","mask":{}}', 'The value of "mask" is not a string.'],
    ['{"text":"a', 'The input is not valid JSON (at byte 10).'],
    ['{"text":"\\x"}', 'The input is not valid JSON (at byte 9).'],
    ['{"text":"\\u12g4"}', 'The input is not valid JSON (at byte 9).'],
    ['{"text":"a"}}', 'The input is not valid JSON (at byte 12).'],
    [`{"text":"a","x":${'['.repeat(64)}`, 'The input is nested more than 64 deep.'],
  ])('%s', async (input, error) => {
    expect(await redact(raw(input))).toEqual({ error });
  });

  test('a mask of more than 256 bytes', async () => {
    expect(await redact({ text: '', mask: 'x'.repeat(257) })).toEqual({
      error: '"mask" is longer than 256 bytes.',
    });
  });

  test('more than 4 MiB, and redacts 4 MiB in 16 MiB of memory', async () => {
    const overhead = JSON.stringify({ text: '' }).length;
    const text = 'x'.repeat((4 << 20) - overhead);
    expect(await redact({ text })).toEqual({ output: { text, found: [], total: 0 } });
    expect(await redact({ text: `${text}x` })).toEqual({
      error: 'The input is longer than 4 MiB. Redact the text in parts.',
    });
  });

  test('a text that would exceed 8 MiB with its masks, and redacts a shorter one in 16 MiB of memory', async () => {
    const text = 'a@b.co '.repeat(500_000);
    expect(await redact({ text, mask: '123456789012345' })).toMatchObject({ output: { total: 500_000 } });
    expect(await redact({ text, mask: '1234567890123456' })).toEqual({
      error: 'The redacted text is longer than 8 MiB. Use a shorter mask, or redact the text in parts.',
    });
  });
});

function kindOf(type: string): string {
  if (type === 'email' || type === 'private-key') return type;
  if (type === 'card-number') return 'card';
  return type === 'url-password' ? 'password' : 'token';
}

async function outputOf(text: string): Promise<unknown> {
  return ((await redact({ text })) as { output: unknown }).output;
}

/** Escapes two of three characters as UTF-16 code units, and leaves the third to JSON.stringify. */
function escapedInTurns(character: string, index: number): string {
  if (index % 3 === 0) return JSON.stringify(character).slice(1, -1);
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  return units.map((hex) => `\\u${hex}`).join('');
}

function depthOf(json: string): number {
  return json.split(/[[{]/).length;
}
