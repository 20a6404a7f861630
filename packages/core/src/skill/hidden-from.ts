/** The readers that are not offered a skill: models, or the menus of people. Calls by people are not affected. */
export type HiddenFrom = 'models' | 'menus';

/** The keys that restrict who is offered a skill. */
export const restrictingKeys = ['disable-model-invocation', 'user-invocable'] as const;

/** The separator of the words of a key: a hyphen, an underscore, or a character that looks like one or like nothing. */
const between = '[^a-z0-9\\n]{0,3}';
const words = {
  'disable-model-invocation': `disable${between}model${between}invocation`,
  'user-invocable': `user${between}invocable`,
};

/** The places of each key in frontmatter that is not YAML. The first two are no ordinary words, so a mention is enough. */
const written = {
  'disable-model-invocation': new RegExp(`(?:^|[^\\w-])${words['disable-model-invocation']}(?![\\w-])`, 'im'),
  'user-invocable': new RegExp(`(?:^|[^\\w-])${words['user-invocable']}(?![\\w-])`, 'im'),
  internal: /^(?:[ \t]*metadata[ \t]*:[^\n]*[{,[])?[-? \t"'\\]*(?:metadata\.)?internal["'\\]*[ \t]*:/im,
};

/** A line of a file without frontmatter that would restrict if it were in one. */
const restrictingLine = new RegExp(
  `^[^a-z0-9\\n]{0,10}(${Object.values(words).join('|')})[^a-z0-9\\n]{0,5}:`,
  'im',
);

/** The readers that are not offered a skill, and warnings about unclear fields. */
export interface Visibility {
  hiddenFrom: readonly HiddenFrom[];
  warnings: readonly string[];
}

/**
 * Reads `disable-model-invocation`, `user-invocable` and `metadata.internal`. Both of the first are read in
 * `metadata` too, where the specification has the keys of tools. A value that is neither true nor false, two
 * that differ, or a key in `unread`, the part of the frontmatter that could not be read as YAML, hides the
 * skill from models: its author may have restricted it.
 */
export function hiddenFrom(fields: Readonly<Record<string, unknown>>, unread: string): Visibility {
  const top = Object.entries(fields);
  const inner = top.flatMap(([name, value]) =>
    plain(name) === 'metadata' && typeof value === 'object' && value !== null ? Object.entries(value) : [],
  );
  const flag = (entries: Entries, key: keyof typeof written): Flag =>
    flagOf(entries, key) ?? (written[key].test(unread) ? 'unclear' : undefined);
  const disabled = flag([...top, ...inner], 'disable-model-invocation');
  const invocable = flag([...top, ...inner], 'user-invocable');
  const dotted = top.flatMap(([name, value]): [string, unknown][] =>
    plain(name) === 'metadatainternal' ? [['internal', value]] : [],
  );
  const internal = flag([...inner, ...dotted], 'internal');
  const unclear: string[] = [];
  if (disabled === 'unclear') unclear.push('disable-model-invocation');
  if (invocable === 'unclear') unclear.push('user-invocable');
  if (internal === 'unclear') unclear.push('metadata.internal');
  const hidden: HiddenFrom[] = [];
  if (disabled === true || internal === true || unclear.length > 0) hidden.push('models');
  if (invocable === false) hidden.push('menus');
  return {
    hiddenFrom: hidden,
    warnings: unclear.map(
      (key) => `${key} is neither true nor false, so models are not offered the skill; write true or false`,
    ),
  };
}

/**
 * Hides a skill without frontmatter from models if a line of it would restrict it: what is above its `---`, or an invisible
 * character, can hide the frontmatter from a reader.
 */
export function hiddenWithoutFrontmatter(text: string): Visibility {
  const key = restrictingLine.exec(text)?.[1];
  if (key === undefined) return { hiddenFrom: [], warnings: [] };
  const name = /^user/i.test(key) ? 'user-invocable' : 'disable-model-invocation';
  return {
    hiddenFrom: ['models'],
    warnings: [
      `${name} is not in frontmatter, so models are not offered the skill; begin the file with ---, name, description and ---`,
    ],
  };
}

type Entries = readonly (readonly [name: string, value: unknown])[];

/** `undefined`: the key is absent. */
type Flag = boolean | 'unclear' | undefined;

/**
 * The value of a key that is true or false, of which only the letters matter, whatever their case. Two values that differ are
 * `unclear`.
 */
export function flagOf(entries: Entries, key: string): Flag {
  const flags = entries
    .filter(([name]) => plain(name) === plain(key))
    .map(([, value]): Flag => {
      const text = typeof value === 'object' ? '' : String(value).toLowerCase();
      if (['true', 'yes', 'on'].includes(text)) return true;
      return ['false', 'no', 'off'].includes(text) ? false : 'unclear';
    });
  return flags.some((flag) => flag !== flags[0]) ? 'unclear' : flags[0];
}

/** The letters of a name. Typists and editors replace hyphens, and add invisible characters. */
function plain(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
