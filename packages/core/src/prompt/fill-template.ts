/** The variables of a template. An absent or `undefined` name is unknown. */
export type TemplateVariables = Readonly<Record<string, string | boolean | undefined>>;

/**
 * A section of a filled template. `variable` names the variable it is the value of; `null` for the
 * template's own text.
 */
export interface TemplateSegment {
  text: string;
  variable: string | null;
}

/**
 * Fills `{{name}}` and `{{#if name}}…{{else}}…{{/if}}`, which may be nested. An unknown name stays
 * unchanged, and is false in `{{#if}}`, like `false` and the empty string. Values are inserted
 * unchanged and not searched again, so `{{other}}` in a value stays. Blanks inside the braces do
 * not matter. Unterminated blocks, and `{{else}}` or `{{/if}}` without a block, stay as text.
 */
export function fillTemplate(template: string, variables: TemplateVariables): string {
  return templateSegments(template, variables)
    .map(({ text }) => text)
    .join('');
}

/** The same, with the origin of each section. */
export function templateSegments(template: string, variables: TemplateVariables): TemplateSegment[] {
  const variable = (name: string) => (Object.hasOwn(variables, name) ? variables[name] : undefined);
  const segments: TemplateSegment[] = [];
  /** Whether each open block hides its current branch, and how many do. */
  const hides: boolean[] = [];
  let hiding = 0;
  const begin = (isHidden: boolean): void => {
    hides.push(isHidden);
    if (isHidden) hiding++;
  };
  const end = (): boolean => {
    const wasHidden = hides.pop() === true;
    if (wasHidden) hiding--;
    return wasHidden;
  };
  for (const mark of read(template)) {
    if (mark.kind === 'if') begin(!variable(mark.name));
    else if (mark.kind === 'else') begin(!end());
    else if (mark.kind === 'end') end();
    else if (hiding > 0) continue;
    else if (mark.kind === 'text') segments.push({ text: mark.source, variable: null });
    else {
      const value = variable(mark.name);
      segments.push(
        value === undefined
          ? { text: mark.source, variable: null }
          : { text: String(value), variable: mark.name },
      );
    }
  }
  return segments;
}

interface Mark {
  kind: 'text' | 'value' | 'if' | 'else' | 'end';
  source: string;
  /** The name in a value or an `if`; empty for other marks. */
  name: string;
}

const marks = /\{\{\s*(?:#if\s+([\w.-]+)|(else)|(\/if)|([A-Za-z_][\w.-]*))\s*\}\}/g;

/** The template's text and marks in order. Marks outside a complete block are text. */
function read(template: string): Mark[] {
  const all: Mark[] = [];
  const open: { begin: Mark; middle: Mark | undefined }[] = [];
  let end = 0;
  for (const match of template.matchAll(marks)) {
    if (match.index > end) all.push(textMark(template.slice(end, match.index)));
    end = match.index + match[0].length;
    const [source, condition, otherwise, close, name = ''] = match;
    const mark: Mark = { kind: name === '' ? 'text' : 'value', source, name };
    all.push(mark);
    const block = open.at(-1);
    if (condition !== undefined)
      open.push({ begin: Object.assign(mark, { name: condition }), middle: undefined });
    else if (otherwise !== undefined && block !== undefined && block.middle === undefined)
      block.middle = mark;
    else if (close !== undefined && block !== undefined) {
      open.pop();
      block.begin.kind = 'if';
      if (block.middle !== undefined) block.middle.kind = 'else';
      mark.kind = 'end';
    }
  }
  if (end < template.length) all.push(textMark(template.slice(end)));
  return all;
}

function textMark(source: string): Mark {
  return { kind: 'text', source, name: '' };
}
