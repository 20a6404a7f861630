// Threat model: T147, T148, T149, T152

import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import type { Publisher } from '../../config/file/publisher-keys.ts';
import { statementOf } from '../../local/sign-skill.ts';
import { signedWorld } from './testing/signed-world.ts';

/** The codes and messages of refused skills. */
async function refusedBy({ add }: Pick<Awaited<ReturnType<typeof signedWorld>>, 'add'>): Promise<string[]> {
  const { refused } = await add();
  return refused.map(({ code, message }) => `${code} ${message}`);
}

async function refusal(change: Promise<unknown>): Promise<string> {
  return change.then(
    () => 'none',
    (error: { code: string; message: string }) => `${error.code} ${error.message}`,
  );
}

test('a signed skill is installed with its publisher, and its signature does not change its digest', async () => {
  const { add, sign, installs, approve, events, inForce, requester } = await signedWorld();
  const { digest, keyId } = await sign();
  const identity = `ed25519:${keyId}`;
  expect((await add()).skills).toMatchObject([{ digest, publisher: 'acme', provenance: null }]);
  expect(await installs.list()).toMatchObject([{ state: 'unapproved', publisher: 'acme', identity }]);
  expect((await installs.review('forms')).provenance).toEqual({
    publisher: 'acme',
    identity,
    change: null,
    problem: null,
  });
  // A publisher approves nothing.
  expect(await inForce()).toBe('untrusted');
  expect(await approve()).toMatchObject({ publisher: 'acme', identity, tier: 'verified' });
  expect(events.at(-1)).toMatchObject({ kind: 'skill.approved', publisher: 'acme', identity });
  expect(await inForce()).toBe('verified');
  expect((await installs.sync({ frozen: true }, requester)).skills).toEqual([]);
});

test('a skill of a source without a publisher needs no signature', async () => {
  const it = await signedWorld();
  it.configure({ publishers: [{ ...it.acme, match: ['acme/*'] }] });
  expect((await it.add()).skills).toMatchObject([{ id: 'acme:forms', publisher: null }]);
});

describe('refuses a skill of a publisher', () => {
  test.each<[string, (it: Awaited<ReturnType<typeof signedWorld>>) => Promise<unknown>, string]>([
    ['without a signature', async () => undefined, 'is not signed'],
    ['with the signature of another key', ({ sign, other }) => sign(other), 'is not valid for any key'],
    [
      'with the signature of an older version',
      async ({ sign, write }) => {
        await sign();
        await write('second');
      },
      'is for the version sha256:',
    ],
    [
      'with the signature of a different skill',
      async ({ sign, signatureFile }) => {
        await sign();
        const signed = JSON.parse(await readFile(signatureFile, 'utf8'));
        signed.statement.name = 'others';
        await writeFile(signatureFile, JSON.stringify(signed));
      },
      'is for the skill "others"',
    ],
    [
      'with a changed statement',
      async ({ sign, signatureFile, write, forms }) => {
        await sign();
        const before = JSON.parse(await readFile(signatureFile, 'utf8'));
        await write('second');
        const statement = JSON.parse(await statementOf(forms));
        await writeFile(signatureFile, JSON.stringify({ ...before, statement }));
      },
      'is not valid for any key',
    ],
    [
      'with a signature file that is none',
      ({ signatureFile }) => writeFile(signatureFile, '{}'),
      'is not a signature that Ambit knows',
    ],
    [
      'with a malformed Sigstore bundle',
      ({ signatureFile }) =>
        writeFile(signatureFile, '{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json"}'),
      'is of Sigstore, and not of a key',
    ],
    [
      'with a signature file that is a link',
      async ({ sign, signatureFile, folder }) => {
        await sign();
        await writeFile(join(folder, 'elsewhere'), await readFile(signatureFile));
        await rm(signatureFile);
        await symlink(join(folder, 'elsewhere'), signatureFile);
      },
      'is not a signature that Ambit knows',
    ],
    [
      'with a signature file that is too large',
      async ({ sign, signatureFile }) => {
        await sign();
        const text = await readFile(signatureFile, 'utf8');
        await writeFile(signatureFile, text.padEnd(64 * 1024 + 1));
      },
      'is not a signature that Ambit knows',
    ],
    [
      'whose key file cannot be read',
      async ({ sign, own }) => {
        await sign();
        await rm(`${own}.pub`);
      },
      'own.key.pub cannot be used: ENOENT',
    ],
    [
      'whose key file has the private key',
      async ({ sign, own }) => {
        await sign();
        await writeFile(`${own}.pub`, await readFile(own));
      },
      'it is a private key',
    ],
  ])('%s, and installs it once it is signed', async (_, spoil, why) => {
    const it = await signedWorld();
    const publicKey = await readFile(`${it.own}.pub`);
    await spoil(it);
    const refused = await refusedBy(it);
    expect(refused).toHaveLength(1);
    expect(refused[0]).toMatch(/^SIGNATURE_INVALID /);
    expect(refused[0]).toContain(why);
    expect(it.events).toMatchObject([
      {
        kind: 'install.refused',
        refusals: [
          {
            folder: 'forms',
            code: 'SIGNATURE_INVALID',
            skill: { id: 'acme:forms', digest: expect.stringMatching(/^sha256:/) },
          },
        ],
      },
    ]);

    await rm(it.signatureFile, { force: true });
    await writeFile(`${it.own}.pub`, publicKey);
    await it.sign();
    expect((await it.add()).skills).toMatchObject([{ publisher: 'acme' }]);
  });
});

test('of very many unsigned skills, a hundred are recorded by name and all are counted', async () => {
  const it = await signedWorld();
  for (let at = 0; at < 120; at += 1) {
    await mkdir(join(it.source, `s${at}`));
    await writeFile(join(it.source, `s${at}/SKILL.md`), `---\nname: s${at}\ndescription: d\n---\n`);
  }
  await it.sign();
  const { skills, refused } = await it.add();
  expect([skills.map(({ id }) => id), refused.length]).toEqual([['acme:forms'], 120]);
  const recorded = it.events.flatMap((event) =>
    event.kind === 'install.refused' ? [[event.refusals.length, event.count]] : [],
  );
  expect([recorded, it.events.length]).toEqual([[[100, 120]], 2]);
});

test('a signature for a different version is refused even where no publisher is configured', async () => {
  const it = await signedWorld();
  it.configure({ publishers: [] });
  await it.sign();
  expect((await it.add()).skills).toMatchObject([{ publisher: null }]);
  await it.write('second');
  expect(await refusedBy(it)).toEqual([expect.stringContaining('is for the version sha256:')]);
});

describe('a later version', () => {
  test('of the same signer takes over by installs.updates: auto', async () => {
    const { add, sign, approve, write, update, wait, inForce } = await signedWorld({ updates: 'auto' });
    await sign();
    await add();
    await approve();
    await write('second', '1.1.0');
    await sign();
    await update();
    wait(25);
    expect(await update()).toMatchObject({ change: 'approved', provenance: null });
    expect(await inForce()).toBe('verified');
  });

  test('with an older version number waits, although it is signed', async () => {
    const { add, sign, approve, write, update, wait } = await signedWorld({ updates: 'auto' });
    await sign();
    await add();
    await approve();
    await write('older', '0.9.0');
    await sign();
    await update();
    wait(25);
    expect(await update()).toMatchObject({ change: 'waiting', provenance: null });
  });

  test.each<[string, Partial<Publisher> | 'none', string]>([
    ['another key of the publisher', {}, 'signer of acme changed: ed25519:'],
    [
      'another publisher',
      { name: 'other' },
      'publisher changed: acme signed the previous version, and other signed',
    ],
    [
      'no publisher',
      'none',
      'weaker provenance: acme signed the previous version, and no publisher signed this one',
    ],
  ])('signed by %s waits, and the review says why, until it is approved', async (_, changed, why) => {
    const it = await signedWorld({ updates: 'auto' });
    await it.sign();
    await it.add();
    await it.approve();
    await it.write('second', '1.1.0');
    await it.sign(it.other);
    const publishers =
      changed === 'none' ? [] : [{ ...it.acme, ed25519: [`${it.own}.pub`, `${it.other}.pub`], ...changed }];
    it.configure({ publishers });
    const update = await it.update();
    expect(update?.change).toBe('waiting');
    expect(update?.provenance).toContain(why);
    it.wait(24 * 365);
    expect(await it.update()).toMatchObject({ change: 'waiting' });
    expect((await it.installs.review('forms')).provenance.change).toContain(why);
    expect(await it.inForce()).toBe('verified');
    await it.approve();
    expect(await it.installs.list()).toMatchObject([{ state: 'approved', waiting: null }]);
    expect((await it.installs.review('forms')).provenance.change).toBeNull();
  });

  test('of the same files that is now signed waits, while the approved one runs', async () => {
    const it = await signedWorld({ updates: 'auto' });
    it.configure({ publishers: [] });
    await it.add();
    await it.approve();
    await it.sign();
    it.configure({ publishers: [it.acme] });
    await it.update();
    it.wait(25);
    expect(await it.update()).toMatchObject({
      change: 'waiting',
      provenance: 'now signed by acme; the previous version was not signed',
    });
    expect(await it.inForce()).toBe('verified');
    expect(await it.approve()).toMatchObject({ publisher: 'acme' });
    expect(await it.inForce()).toBe('verified');
  });

  test('of a skill that was never approved is compared with the signer that was seen first', async () => {
    const it = await signedWorld();
    await it.sign();
    await it.add();
    await it.write('second');
    await it.sign(it.other);
    it.configure({ publishers: [{ ...it.acme, ed25519: [`${it.own}.pub`, `${it.other}.pub`] }] });
    expect(await it.update()).toMatchObject({ change: 'updated' });
    expect((await it.installs.review('forms')).provenance.change).toContain('signer of acme changed');
  });
});

describe('the tier of a publisher', () => {
  test('is the default of an approval, and the highest that it can have', async () => {
    const it = await signedWorld();
    await it.sign();
    await it.add();
    it.configure({ publishers: [{ ...it.acme, tier: 'local' }] });
    expect(await it.approve()).toMatchObject({ tier: 'local' });
    expect(await it.inForce()).toBe('local');
    // Lowered afterwards, it lowers what was approved.
    it.configure({ publishers: [{ ...it.acme, tier: 'verified' }] });
    expect(await it.inForce()).toBe('verified');
    expect(await refusal(it.approve('local'))).toContain(
      'TIER_NOT_ALLOWED acme:forms cannot be approved at tier local',
    );
    expect(await it.approve()).toMatchObject({ tier: 'verified' });
  });

  test('never raises what the operator approved', async () => {
    const it = await signedWorld();
    await it.sign();
    await it.add();
    await it.approve('verified');
    it.configure({ publishers: [{ ...it.acme, tier: 'local' }] });
    expect(await it.inForce()).toBe('verified');
  });
});

describe('the lock file', () => {
  test.each<[string, (skill: Record<string, unknown>) => unknown, string]>([
    [
      'another signature',
      (skill) => {
        const signed = JSON.parse(String(skill['signature'])) as { signature: string };
        skill['signature'] = JSON.stringify({ ...signed, signature: Buffer.alloc(64).toString('base64') });
      },
      'is not valid for any',
    ],
    ['no signature', (skill) => delete skill['signature'], 'has no signature of acme'],
    ['another signer', (skill) => Object.assign(skill, { identity: 'ed25519:0' }), 'its signature is of'],
  ])('with %s is refused by sync and by approve, and the review says why', async (_, edit, why) => {
    const it = await signedWorld();
    await it.sign();
    await it.add();
    const text = await readFile(it.lockFile, 'utf8');
    const lock = parse(text) as { skills: Record<string, Record<string, unknown>> };
    edit(lock.skills['acme:forms'] ?? {});
    await writeFile(it.lockFile, stringify(lock));
    for (const frozen of [true, false])
      expect(await refusal(it.installs.sync({ frozen }, it.requester))).toMatch(
        new RegExp(`^SIGNATURE_INVALID .*${why}`),
      );
    expect((await it.installs.review('forms')).provenance.problem).toContain(why);
    expect(await refusal(it.approve())).toMatch(/^SIGNATURE_INVALID /);
    await writeFile(it.lockFile, text);
    expect(await refusal(it.installs.sync({ frozen: true }, it.requester))).toBe('none');
    expect(await refusal(it.approve())).toBe('none');
  });

  test('that names a publisher without its signature approves nothing', async () => {
    const it = await signedWorld();
    it.configure({ publishers: [] });
    await it.add();
    const text = await readFile(it.lockFile, 'utf8');
    await writeFile(it.lockFile, text.replaceAll('"publisher": null', '"publisher": "acme"'));
    expect(await refusal(it.approve())).toContain('no publisher acme is configured here');
    it.configure({ publishers: [it.acme] });
    expect(await refusal(it.approve())).toContain('has no signature of acme');
  });

  test('that names another publisher than the source has is not approved', async () => {
    const it = await signedWorld();
    await it.sign(it.other);
    it.configure({ publishers: [{ ...it.acme, name: 'other', ed25519: [`${it.other}.pub`] }] });
    await it.add();
    const other = { name: 'other', match: ['elsewhere/*'], ed25519: [`${it.other}.pub`] };
    it.configure({ publishers: [it.acme, other] });
    expect(await refusal(it.approve())).toMatch(
      /^SIGNATURE_INVALID .* is signed by other, and the skills of .* must be signed by acme/,
    );
    it.configure({ publishers: [{ ...other, match: [it.source] }] });
    expect(await refusal(it.approve())).toBe('none');
  });

  test('with an unsigned skill of a source whose publisher was configured later is not approved', async () => {
    const it = await signedWorld();
    it.configure({ publishers: [] });
    await it.add();
    it.configure({ publishers: [it.acme] });
    expect(await refusal(it.approve())).toContain('must be signed by acme');
  });
});

test('revoking a publisher refuses what it signed, also when it is installed later', async () => {
  const it = await signedWorld();
  await it.sign();
  await it.add();
  await it.approve();
  expect(await it.installs.revoke('publisher:acme', 'key stolen', it.requester)).toMatchObject({
    subject: 'publisher:acme',
    skills: ['acme:forms'],
  });
  expect(await it.inForce()).toBe('SKILL_REVOKED');
  await it.write('second');
  await it.sign();
  await it.update();
  expect(await refusal(it.approve())).toMatch(/^SKILL_REVOKED /);
  await it.installs.restore('publisher:acme', it.requester);
  expect(await it.inForce()).toBe('verified');
});
