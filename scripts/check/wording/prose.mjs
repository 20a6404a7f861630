import ts from 'typescript';

/** @typedef {{ start: number, end: number }} Part positions in a file */

// Both functions return a text of the same length with the same line breaks, so positions are the
// same as in the file. A pattern never matches across a boundary.
const boundary = '\0';
/**
 * Replaces inline code, a link target or an expression in a template: part of a sentence, but not a
 * word.
 */
const placeholder = '\u{fffc}';

/**
 * The prose of a Markdown file, without fenced blocks except for their comments.
 * @param {string} text
 */
export function markdownProse(text) {
  /** @type {string | undefined} */
  let fence;
  const lines = text.split('\n').map((line) => {
    const marker = /^\s*(?:[-*>]\s+)?(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (marker?.startsWith(fence)) fence = undefined;
      return commentIn(line);
    }
    if (marker === undefined) return proseLine(line);
    fence = marker;
    return blank(line);
  });
  return withoutCode(lines.join('\n'));
}

/**
 * The prose of a TypeScript or JavaScript file: its comments, and strings of several words. Names,
 * regular expressions and import paths are excluded.
 * @param {string} path
 * @param {string} text
 */
export function sourceProse(path, text) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false, scriptKind(path));
  const prose = [...blank(text)];
  const copy = (/** @type {number} */ from, /** @type {number} */ to) => {
    for (let index = from; index < to; index++) prose[index] = text.charAt(index);
  };
  const { literals, strings } = literalsIn(file);
  for (const { start, end } of comments(text, literals)) {
    copy(start, end);
    for (const marker of commentMarkers(text, start, end)) prose.fill(' ', marker.start, marker.end);
    joinWithNext(prose, text, end);
  }
  for (const parts of strings) {
    if (!parts.some(({ start, end }) => /\s/.test(text.slice(start, end)))) continue;
    fillExpressions(prose, parts);
    for (const { start, end } of parts) copy(start, end);
  }
  return withoutCode(prose.join(''));
}

/** @param {string} path */
function scriptKind(path) {
  return path.endsWith('.ts') ? ts.ScriptKind.TS : ts.ScriptKind.JS;
}

/**
 * Everything that looks like a comment and is not in a literal.
 * @param {string} text
 * @param {readonly Part[]} literals
 */
function comments(text, literals) {
  /** @type {Part[]} */
  const found = [];
  let from = 0;
  for (const { start, end } of [...literals, { start: text.length, end: text.length }]) {
    for (const { index, 0: comment } of text.slice(from, start).matchAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g)) {
      found.push({ start: from + index, end: from + index + comment.length });
    }
    from = end;
  }
  return found;
}

/**
 * @param {string} text
 * @param {number} start
 * @param {number} end
 * @returns {Part[]} where the slashes and asterisks of a comment are
 */
function commentMarkers(text, start, end) {
  const markers = text.slice(start, end).matchAll(/^\/\/+|^\/\*+|\*\/$|^[ \t]*\*(?!\/)/gm);
  return [...markers].map(({ index, 0: marker }) => ({
    start: start + index,
    end: start + index + marker.length,
  }));
}

/**
 * A sentence can continue in the next line's `//`.
 * @param {string[]} prose
 * @param {string} text
 * @param {number} end
 */
function joinWithNext(prose, text, end) {
  const indent = /^\n[ \t]*(?=\/\/)/.exec(text.slice(end, end + 200))?.[0] ?? '';
  for (let index = 0; index < indent.length; index++) prose[end + index] = indent.charAt(index);
}

/**
 * @param {ts.SourceFile} file
 * @returns every string, part of a template and regular expression, in the order of the file, and
 * the texts of strings: a template's in parts
 */
function literalsIn(file) {
  /** @type {Part[]} */
  const literals = [];
  /** @type {Part[][]} */
  const strings = [];
  const part = (/** @type {ts.Node} */ node) => {
    const place = { start: node.getStart(file), end: node.end };
    literals.push(place);
    const open = node.kind === ts.SyntaxKind.TemplateHead || node.kind === ts.SyntaxKind.TemplateMiddle;
    return { start: place.start + 1, end: place.end - (open ? 2 : 1) };
  };
  const visit = (/** @type {ts.Node} */ node) => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) strings.push([part(node)]);
    else if (ts.isRegularExpressionLiteral(node)) part(node);
    else if (ts.isTemplateExpression(node)) {
      const parts = [part(node.head)];
      strings.push(parts);
      for (const span of node.templateSpans) {
        visit(span.expression);
        parts.push(part(span.literal));
      }
    } else ts.forEachChild(node, visit);
  };
  visit(file);
  return { literals, strings };
}

/**
 * Expressions in a template are part of its sentence. Strings within them are read separately.
 * @param {string[]} prose
 * @param {readonly Part[]} parts
 */
function fillExpressions(prose, parts) {
  for (const [index, { start }] of parts.slice(1).entries()) {
    for (let at = parts[index]?.end ?? start; at < start; at++) {
      if (prose[at] === boundary) prose[at] = placeholder;
    }
  }
}

/**
 * @param {string} line
 * @returns {string} with the cells of a table separated, and headings and list items separated from
 * the line above
 */
function proseLine(line) {
  return line
    .replace(/(?<!\\)\|/g, boundary)
    .replace(/^\s*(?:#+|[-*+]|\d+\.)\s/, blank)
    .replace(/\]\([^)\s]*\)/g, (target) => `]${placeholder.repeat(target.length - 1)}`)
    .replace(/^\s*$/, (spaces) => boundary.repeat(spaces.length));
}

/** @param {string} line */
function commentIn(line) {
  const start = /(?:^|\s)(?:#|\/\/)\s/.exec(line)?.index ?? line.length;
  return blank(line.slice(0, start)) + line.slice(start).replace(/[#/]/g, ' ');
}

/** @param {string} text */
function withoutCode(text) {
  return text.replace(/\\?`[^`\n\0]*`/g, (code) => placeholder.repeat(code.length));
}

/** @param {string} text */
function blank(text) {
  return text.replace(/[^\n]/g, boundary);
}
