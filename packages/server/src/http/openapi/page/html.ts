/** Text that is HTML. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Piece = string | number | Html | undefined | readonly Piece[];

/**
 * Builds HTML. Values are escaped unless they are `Html`; a list is concatenated, `undefined` is
 * empty.
 */
export function html(words: TemplateStringsArray, ...values: readonly Piece[]): Html {
  return new Html(words.map((word, index) => word + render(values[index])).join(''));
}

/**
 * Renders the Markdown that descriptions use: paragraphs, `-` lists, code in backquotes, links.
 * Everything else is text.
 */
export function prose(markdown: string): Html {
  const blocks = markdown.split(/\n{2,}|\n(?=- )/).map((block) => {
    const item = /^- (.*)$/s.exec(block)?.[1];
    return item === undefined ? html`<p>${inline(block)}</p>` : html`<p class="item">${inline(item)}</p>`;
  });
  return html`${blocks}`;
}

/** The same within a line. */
export function inline(markdown: string): Html {
  const pieces = markdown.split(/(`[^`]+`|\[[^\]]+\]\(https?:[^)\s]+\))/).map((piece) => {
    if (piece.startsWith('`')) return html`<code>${piece.slice(1, -1)}</code>`;
    const [, label, url] = /^\[([^\]]+)\]\((https?:[^)\s]+)\)$/.exec(piece) ?? [];
    return label === undefined ? html`${piece}` : html`<a href="${url}" rel="noreferrer">${label}</a>`;
  });
  return html`${pieces}`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function render(value: Piece): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(render).join('');
  return String(value).replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}
