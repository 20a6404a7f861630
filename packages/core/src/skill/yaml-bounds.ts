import { CST, Lexer } from 'yaml';

/**
 * Limits for the YAML of a skill. The parser compares each key of a mapping with all others,
 * searches the document for each alias and recurses into each level, so its time is not linear in
 * the length.
 */
export const yamlBounds = {
  characters: 64 * 1024,
  /**
   * Lexer tokens: a name, a value, a bracket, a comma, an indentation, a line break. The bundled
   * sidecars have 66 to 1,402.
   */
  tokens: 5000,
  aliases: 16,
  /** How often a value may occur in the result through nested aliases. */
  repeats: 32,
  /** Nested brackets and braces, or dashes and question marks on one line. */
  depth: 64,
};

/**
 * Why a skill's YAML is too large to parse, as a predicate of its source; `undefined` if it is not.
 * Takes about a microsecond per token and stops at the limit.
 */
export function whyTooLarge(yaml: string): string | undefined {
  if (yaml.length > yamlBounds.characters) {
    return `has ${yaml.length} characters; the limit is ${yamlBounds.characters}. Move long parts into files of the skill`;
  }
  const { tokens, aliases, depth } = measureYaml(yaml);
  if (tokens > yamlBounds.tokens) {
    return `has more than ${yamlBounds.tokens} YAML tokens (names, values, brackets, commas, line breaks). Shorten it, or move parts of it into files of the skill`;
  }
  if (aliases > yamlBounds.aliases) {
    return `has more than ${yamlBounds.aliases} YAML aliases. Write the values out`;
  }
  if (depth > yamlBounds.depth) return `is nested more than ${yamlBounds.depth} deep. Flatten it`;
  return undefined;
}

interface YamlSize {
  tokens: number;
  aliases: number;
  depth: number;
}

/** Counts what makes YAML slow to parse, until the first limit is exceeded. */
export function measureYaml(yaml: string, tokensMax = yamlBounds.tokens): YamlSize {
  const size: YamlSize = { tokens: 0, aliases: 0, depth: 0 };
  let open = 0;
  let onLine = 0;
  let isText = false;
  for (const token of new Lexer().lex(yaml)) {
    size.tokens += 1;
    // The content of a scalar follows a marker token and can look like anything.
    const type: CST.TokenType | 'text' | null = isText ? 'text' : CST.tokenType(token);
    isText = type === 'scalar';
    if (type === 'alias') size.aliases += 1;
    else if (type === 'flow-seq-start' || type === 'flow-map-start') open += 1;
    else if (type === 'flow-seq-end' || type === 'flow-map-end') open -= 1;
    else if (type === 'seq-item-ind' || type === 'explicit-key-ind') onLine += 1;
    else if (type === 'newline') onLine = 0;
    size.depth = Math.max(size.depth, open, onLine);
    if (size.tokens > tokensMax || size.aliases > yamlBounds.aliases || size.depth > yamlBounds.depth) break;
  }
  return size;
}
