import { expect, test } from 'vitest';
import { validateManifest } from '../quality/validate-manifest.ts';
import { validateSidecar } from '../quality/validate-sidecar.ts';
import { readManifest } from './manifest.ts';
import { readSidecar } from './sidecar.ts';

const comment = (characters: number): string => `#${'x'.repeat(characters - 2)}\n`;

test('a sidecar of 64 Ki characters is read, and one of more is refused before it is parsed', () => {
  const rest = 'priority: 7\n';
  expect(readSidecar(comment(64 * 1024 - rest.length) + rest).priority).toBe(7);
  const longer = `${comment(64 * 1024 - rest.length)} ${rest}`;
  const why = 'has 65537 characters; at most 65536 are read. Move what is long into files of the skill';
  expect(() => readSidecar(longer)).toThrow(`ambit.yaml ${why}`);
  expect(validateSidecar(longer, []).errors).toEqual([
    { file: 'ambit.yaml', line: 1, message: `the file ${why}` },
  ]);
});

test('frontmatter of 64 Ki characters is read, and more is refused before it is parsed; a body may be longer', () => {
  const rest = 'name: long\ndescription: d';
  const skillMd = (yaml: string): string => `---\n${yaml}\n---\n${'body '.repeat(20_000)}`;
  expect(readManifest(skillMd(comment(64 * 1024 - rest.length) + rest), 'long').manifest.name).toBe('long');
  const longer = skillMd(`${comment(64 * 1024 - rest.length + 1)}${rest}`);
  const why =
    'the frontmatter has 65537 characters; at most 65536 are read. Move what is long into files of the skill';
  expect(() => readManifest(longer, 'long')).toThrow(`SKILL.md: ${why}`);
  expect(validateManifest(longer, 'long').errors).toEqual([{ file: 'SKILL.md', line: 1, message: why }]);
});
