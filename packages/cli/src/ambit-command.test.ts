import { UsageError } from '@ambit/core/outcome';
import { expect, test } from 'vitest';
import { type Command, type CommandContext, defineCommand } from './command/define-command.ts';
import { parseLine } from './testing/parse-line.ts';

const parse = (commands: readonly Command[], line: string): Promise<CommandContext> =>
  parseLine(commands, line.split(' '));

const texts = { summary: 'copy things', description: 'Copy things.' };

test('the flags and arguments of a command have the names, values and types of its data', async () => {
  const ran: unknown[] = [];
  const copy = defineCommand({
    name: 'copy',
    ...texts,
    args: {
      kind: { text: 'what to copy', choices: { file: 1, folder: 2 } },
      newName: { text: 'its name', optional: true },
      others: { text: 'other names', optional: true, variadic: true },
    },
    options: {
      toDir: { value: 'dir', text: 'where to', required: true },
      retries: { value: 'n', text: 'how often', parse: Number, default: 3 },
      sort: { value: 'how', text: 'the order', choices: ['name', 'size'] },
      tag: { value: 'tag', text: 'a tag', repeatable: true },
      force: { text: 'replace files' },
    },
    run(_context, { toDir, retries, sort, tag, force, json }, { kind, newName, others }) {
      const flags: [string, number, 'name' | 'size' | undefined, string[] | undefined, boolean | undefined] =
        [toDir, retries, sort, tag, force];
      const args: ['file' | 'folder', string | undefined, string[]] = [kind, newName, others];
      // @ts-expect-error: an option without a default may be absent
      const order: string = sort;
      // @ts-expect-error: an optional argument may be absent
      const name: string = newName;
      ran.push([flags, args, order, name, json]);
    },
  });
  await parse([copy], 'copy file --to-dir a');
  await parse([copy], 'copy folder b c d --to-dir a --retries 5 --sort size --tag x --tag y --force --json');
  expect(ran).toEqual([
    [['a', 3, undefined, undefined, undefined], ['file', undefined, []], undefined, undefined, undefined],
    [['a', 5, 'size', ['x', 'y'], true], ['folder', 'b', ['c', 'd']], 'size', 'b', true],
  ]);
});

test('a value that `parse` refuses is a usage error with its sentence, and any other error passes through', async () => {
  const parseSize = (text: string): number => {
    if (text === 'broken') throw new TypeError('a mistake of the program');
    throw new UsageError('Write a number.');
  };
  const size = { text: 'how large', parse: parseSize };
  const fill = defineCommand({ name: 'fill', ...texts, args: { size }, run: () => undefined });
  await expect(parse([fill], 'fill x')).rejects.toThrow(
    /'x' is invalid for argument 'size'\. Write a number\.$/,
  );
  await expect(parse([fill], 'fill broken')).rejects.toThrow(TypeError);
});

test('a choice is checked each time that a repeatable option is used', async () => {
  const tag = { value: 'tag', text: 'a tag', choices: ['x', 'y'], repeatable: true } as const;
  const mark = defineCommand({ name: 'mark', ...texts, options: { tag }, run: () => undefined });
  expect((await parse([mark], 'mark --tag x --tag y')).flags).toEqual({ color: true, tag: ['x', 'y'] });
  await expect(parse([mark], 'mark --tag x --tag z')).rejects.toThrow('Allowed choices are x, y.');
});

test('refuses a list where a command comes before its parent', async () => {
  const below = defineCommand({ name: 'copy all', ...texts });
  const above = defineCommand({ name: 'copy', ...texts });
  await expect(parse([below, above], 'copy')).rejects.toThrow(
    'the command above copy all is not defined before it',
  );
});
