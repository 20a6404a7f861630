/** Who is not offered a skill: models, or the menus of people. Calls by people are not affected. */
export type HiddenFrom = 'models' | 'menus';

/** The keys that restrict who is offered a skill. */
export const restrictingKeys = ['disable-model-invocation', 'user-invocable'] as const;

/** Where each key can be in frontmatter that is not YAML. The first two are no ordinary words, so a mention is enough. */
const written = {
  'disable-model-invocation': /(?:^|[^\w-])disable[-_]model[-_]invocation(?![\w-])/im,
  'user-invocable': /(?:^|[^\w-])user[-_]invocable(?![\w-])/im,
  internal: /^(?:[ \t]*metadata[ \t]*:[^\n]*[{,[])?[? \t"'\\]*internal["'\\]*[ \t]*:/im,
};

/**
 * Reads `disable-model-invocation`, `user-invocable` and `metadata.internal`. A value that is neither
 * true nor false, or a key in `unread`, the part of the frontmatter that could not be read as YAML,
 * hides the skill from models: its author may have restricted it.
 */
export function hiddenFrom(
  fields: Readonly<Record<string, unknown>>,
  unread: string,
): { hiddenFrom: readonly HiddenFrom[]; warnings: readonly string[] } {
  const { metadata } = fields;
  const inner = typeof metadata === 'object' && metadata !== null ? metadata : {};
  const disabled = flagOf(fields, 'disable-model-invocation', unread);
  const invocable = flagOf(fields, 'user-invocable', unread);
  const internal = flagOf(inner, 'internal', unread);
  const unclear = [
    ...(disabled === 'unclear' ? ['disable-model-invocation'] : []),
    ...(invocable === 'unclear' ? ['user-invocable'] : []),
    ...(internal === 'unclear' ? ['metadata.internal'] : []),
  ];
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

type Flag = boolean | 'unclear' | undefined;

/** The value of a key, whose case does not matter, nor whether it has hyphens or underscores. */
function flagOf(fields: object, key: keyof typeof written, unread: string): Flag {
  const values = Object.entries(fields).filter(([name]) => plain(name) === key);
  const flags = values.map(([, value]): Flag => {
    const text = typeof value === 'object' ? '' : String(value).toLowerCase();
    if (['true', 'yes', 'on'].includes(text)) return true;
    return ['false', 'no', 'off'].includes(text) ? false : 'unclear';
  });
  const [first] = flags;
  if (flags.some((flag) => flag !== first)) return 'unclear';
  return first === undefined && written[key].test(unread) ? 'unclear' : first;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}
