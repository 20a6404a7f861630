import { UsageError } from '@ambit/core/outcome';
import { parseLargeYaml } from '@ambit/core/skill';

/** Enough for some thousand skills. A hostile document of more could keep the YAML parser busy for minutes. */
const charactersMax = 256 * 1024;

/**
 * The value of a manifest in YAML. Throws a `UsageError` that begins with `what` for an invalid text, and with
 * `remedy` for a long one.
 */
export function yamlValue(text: string, what: string, remedy: string): unknown {
  if (text.length > charactersMax)
    throw new UsageError(`${what} has ${text.length} characters; the limit is ${charactersMax}. ${remedy}`);
  try {
    return parseLargeYaml(text);
  } catch (error) {
    throw new UsageError(`${what} is not YAML: ${(error as Error).message.split('\n', 1)[0]}`, {
      cause: error,
    });
  }
}
