import { expect, test } from 'vitest';
import { contentOf, parseConfigFile } from './config-file.ts';
import { settingsSchema } from './settings.ts';

const sigstore =
  '{ issuer: https://ci.example, repository: https://github.com/acme/*, refs: [refs/tags/v*], trustedRoot: r.json }';

function read(publishers: string) {
  const { layer, issues } = parseConfigFile(
    Buffer.from(`publishers: ${publishers}`),
    '/etc/ambit.yaml',
    settingsSchema('/etc/ambit', '/home/ada'),
  );
  return {
    publishers: contentOf(layer).publishers,
    issues: issues.map((issue) => issue.split(': ').slice(1).join(': ')),
  };
}

test('reads publishers with a key or several, and with Sigstore', () => {
  expect(
    read(
      `[{ name: acme, match: acme/*, ed25519: acme.pub }, { name: two, match: [a/b, c/d], ed25519: [~/1, /2], tier: local }, { name: ci, match: e/f, sigstore: ${sigstore} }]`,
    ),
  ).toEqual({
    publishers: [
      { name: 'acme', match: ['acme/*'], ed25519: ['/etc/ambit/acme.pub'] },
      { name: 'two', match: ['a/b', 'c/d'], ed25519: ['/home/ada/1', '/2'], tier: 'local' },
      {
        name: 'ci',
        match: ['e/f'],
        sigstore: {
          issuer: 'https://ci.example',
          repository: 'https://github.com/acme/*',
          refs: ['refs/tags/v*'],
          runner: 'github-hosted',
          trustedRoot: '/etc/ambit/r.json',
        },
      },
    ],
    issues: [],
  });
});

test.each([
  [
    'neither a key nor Sigstore',
    '[{ name: a, match: a/b }]',
    ['publishers.0: write either ed25519 or sigstore'],
  ],
  [
    'both',
    `[{ name: a, match: a/b, ed25519: k, sigstore: ${sigstore} }]`,
    ['publishers.0: write either ed25519 or sigstore'],
  ],
  [
    'a name that is no name',
    '[{ name: "A b", match: a/b, ed25519: k }]',
    ['publishers.0.name: write lower-case letters, digits and single hyphens'],
  ],
  [
    'one name twice',
    '[{ name: a, match: a/b, ed25519: k }, { name: a, match: c/d, ed25519: k }]',
    ['publishers.1.name: a is listed twice'],
  ],
  [
    'no source',
    '[{ name: a, match: [], ed25519: k }]',
    ['publishers.0.match: write a pattern, or a list of them'],
  ],
  [
    'an unknown key, with the nearest known one',
    '[{ name: a, match: a/b, ed25519: k, teir: local }]',
    ['unknown field "teir" in publishers.0 (did you mean tier?)'],
  ],
  [
    'an issuer without TLS',
    `[{ name: a, match: a/b, sigstore: ${sigstore.replace('https://ci', 'http://ci')} }]`,
    ['publishers.0.sigstore.issuer: write an https:// URL'],
  ],
])('refuses %s', (_, yaml, issues) => {
  expect(read(yaml).issues).toEqual(issues);
});
