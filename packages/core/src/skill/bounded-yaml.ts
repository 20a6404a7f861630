import {
  Composer,
  type CST,
  type Document,
  type LineCounter,
  Parser,
  type YAMLError,
  YAMLParseError,
} from 'yaml';

/**
 * The number of mistakes of a document that are read, and of warnings. Each is an error with a stack trace, and a text can have
 * one in every two characters.
 */
export const mistakesMax = 20;

/** A YAML document with its mistakes, without places in their messages. */
export interface ReadYaml {
  /** Absent if there are more than `mistakesMax` mistakes. `errors` has the first ones then. */
  document: Document.Parsed | undefined;
  errors: readonly YAMLError[];
  warnings: readonly YAMLError[];
}

/**
 * Reads a YAML document like `parseDocument` of the library, and stops at the mistake after `mistakesMax`. Further warnings are
 * dropped. Logs nothing.
 */
export function readYaml(text: string, lineCounter?: LineCounter): ReadYaml {
  const parser = new Parser(lineCounter?.addNewLine);
  const composer = new Composer({ prettyErrors: false, logLevel: 'error' });
  // The library has no limit, and no other way to see a mistake before its error is made.
  const inside = composer as unknown as {
    doc: Document | null;
    errors: YAMLError[];
    warnings: YAMLError[];
    onError: (source: unknown, code: string, message: string, isWarning?: boolean) => void;
  };
  let [mistakes, warnings] = [0, 0];
  const count = (): void => {
    if (++mistakes > mistakesMax) throw new TooManyMistakes();
  };
  const { onError } = inside;
  inside.onError = (source, code, message, isWarning = false) => {
    if (!isWarning) count();
    else if (++warnings > mistakesMax) return;
    onError(source, code, message, isWarning);
  };
  let document: Document.Parsed | undefined;
  try {
    for (const next of composer.compose(counted(parser.parse(text), count), true, text.length)) {
      if (document === undefined) document = next as Document.Parsed;
      else {
        document.errors.push(
          new YAMLParseError([next.range[0], next.range[1]], 'MULTIPLE_DOCS', multipleDocuments),
        );
        break;
      }
    }
  } catch (error) {
    if (!(error instanceof TooManyMistakes)) throw error;
    // Documents that were read, then the unfinished one.
    const parts = [document, inside.doc, inside];
    return {
      document: undefined,
      errors: parts.flatMap((part) => part?.errors ?? []),
      warnings: parts.flatMap((part) => part?.warnings ?? []),
    };
  }
  return { document, errors: document?.errors ?? [], warnings: document?.warnings ?? [] };
}

class TooManyMistakes extends Error {}

const multipleDocuments = 'Source contains multiple documents; please use YAML.parseAllDocuments()';

/** Calls `onMistake` for each mistake that the parser passes on as a token. */
function* counted(tokens: Iterable<CST.Token>, onMistake: () => void): Generator<CST.Token> {
  for (const token of tokens) {
    if (token.type === 'error') onMistake();
    yield token;
  }
}
