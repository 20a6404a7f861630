import { flagOf, type Visibility } from './hidden-from.ts';
import { parseYaml } from './parse-yaml.ts';

/** The file of a skill with its settings for Codex. https://developers.openai.com/codex/skills */
export const codexFile = 'agents/openai.yaml';

/** A longer file hides its skill from models. */
export const codexFileBytesMax = 64 * 1024;

/** The key, wherever it is. */
const mention = /allow[^a-z0-9\n]{0,3}implicit[^a-z0-9\n]{0,3}invocation/i;

const offered: Visibility = { hiddenFrom: [], warnings: [] };

/**
 * Reads `policy.allow_implicit_invocation` of a skill's `agents/openai.yaml`. If it is false, Codex does not offer the skill to
 * models, and a person can still start it. A value that is neither true nor false, and the key in a file that is not YAML, hide
 * the skill too. `text` is `undefined` for a file that is not read: a link, UTF-16, or more than `codexFileBytesMax` bytes. Never
 * throws.
 */
export function hiddenByCodex(text: string | undefined): Visibility {
  if (text === undefined)
    return hidden(
      `${codexFile} is not read, because it is a link, UTF-16 or larger than ${codexFileBytesMax} bytes`,
    );
  if (!mention.test(text)) return offered;
  let value: unknown;
  try {
    value = parseYaml(text.replace(/^\uFEFF/, ''));
  } catch {
    return hidden(`${codexFile} has allow_implicit_invocation, and is not YAML`);
  }
  const top = entriesOf(value);
  const inner = top.flatMap(([name, each]) => (name.toLowerCase() === 'policy' ? entriesOf(each) : []));
  const allowed = flagOf([...top, ...inner], 'allow_implicit_invocation');
  if (allowed === undefined || allowed === true) return offered;
  if (allowed === false) return { hiddenFrom: ['models'], warnings: [] };
  return hidden(`policy.allow_implicit_invocation of ${codexFile} is neither true nor false`);
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function hidden(why: string): Visibility {
  return { hiddenFrom: ['models'], warnings: [`${why}, so models are not offered the skill`] };
}
