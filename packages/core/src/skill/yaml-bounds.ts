import { CST, Lexer } from 'yaml';

/** Limits for a YAML document. */
export interface YamlBounds {
  readonly characters: number;
  /**
   * Lexer tokens: a name, a value, a bracket, a comma, an indentation, a line break. The bundled
   * sidecars have 66 to 1,402.
   */
  readonly tokens: number;
  readonly aliases: number;
  /** The number of times that a value may occur in the result through nested aliases. */
  readonly repeats: number;
  /** Nested brackets and braces, or dashes and question marks on one line. */
  readonly depth: number;
  /** The remedy for too many characters, and for too many tokens. */
  readonly advice: { readonly characters: string; readonly tokens: string };
}

/**
 * Limits for the YAML of a skill. The parser compares each key of a mapping with all others,
 * searches the document for each alias and recurses into each level, so its time is not linear in
 * the length.
 */
export const yamlBounds: YamlBounds = {
  characters: 64 * 1024,
  tokens: 5000,
  aliases: 16,
  repeats: 32,
  depth: 64,
  advice: {
    characters: 'Move long parts into files of the skill',
    tokens: 'Shorten it, or move parts of it into files of the skill',
  },
};

/** Limits for the YAML that operators write. */
export const largeYamlBounds: YamlBounds = {
  characters: 2 * 1024 * 1024,
  tokens: 100_000,
  aliases: 100,
  repeats: 100,
  depth: 64,
  advice: { characters: 'Shorten it', tokens: 'Shorten it' },
};

/**
 * Returns why YAML is too large to parse, as a predicate of its source; `undefined` if it is not. Takes
 * about a microsecond per token and stops at the limit.
 */
export function whyTooLarge(yaml: string, bounds: YamlBounds = yamlBounds): string | undefined {
  if (yaml.length > bounds.characters) {
    return `has ${yaml.length} characters; the limit is ${bounds.characters}. ${bounds.advice.characters}`;
  }
  const { tokens, aliases, depth } = measureYaml(yaml, bounds);
  if (tokens > bounds.tokens) {
    return `has more than ${bounds.tokens} YAML tokens (names, values, brackets, commas, line breaks). ${bounds.advice.tokens}`;
  }
  if (aliases > bounds.aliases) return `has more than ${bounds.aliases} YAML aliases. Write the values out`;
  if (depth > bounds.depth) return `is nested more than ${bounds.depth} deep. Flatten it`;
  return undefined;
}

interface YamlSize {
  tokens: number;
  aliases: number;
  depth: number;
}

/** Counts what makes YAML slow to parse, until the first limit is exceeded. */
export function measureYaml(yaml: string, bounds: YamlBounds = yamlBounds): YamlSize {
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
    if (size.tokens > bounds.tokens || size.aliases > bounds.aliases || size.depth > bounds.depth) break;
  }
  return size;
}
