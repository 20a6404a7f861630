import { CST, Lexer } from 'yaml';

/**
 * The most YAML that is read of a skill. The parser compares each key of a mapping with every other one, looks through
 * the document for each alias, and recurses into each level, so that its time does not follow from a text's length alone.
 */
export const yamlBounds = {
  characters: 64 * 1024,
  /** What the lexer sees: a name, a value, a bracket, a comma, an indentation, a line break. The bundled sidecars have 66 to 1,402. */
  tokens: 5000,
  aliases: 16,
  /** How often a value can stand in the result, by aliases to aliases. */
  repeats: 32,
  /** Brackets and braces within one another, or dashes and question marks on one line. */
  depth: 64,
};

/**
 * Why a skill's YAML is too large to parse, to be read after the name of what it is in; `undefined` for one that is not.
 * Costs a microsecond a token, and looks at no more tokens than are allowed.
 */
export function whyTooLarge(yaml: string): string | undefined {
  if (yaml.length > yamlBounds.characters) {
    return `has ${yaml.length} characters; at most ${yamlBounds.characters} are read. Move what is long into files of the skill`;
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

/** Counts what makes YAML expensive to parse, until the first bound is exceeded. */
export function measureYaml(yaml: string, tokensMax = yamlBounds.tokens): YamlSize {
  const size: YamlSize = { tokens: 0, aliases: 0, depth: 0 };
  let open = 0;
  let onLine = 0;
  let isText = false;
  for (const token of new Lexer().lex(yaml)) {
    size.tokens += 1;
    // A text's content follows a mark of the lexer's own, and can look like anything.
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
